-- Triggers that write the outbox, in the transaction of the change and whoever makes it: the ORM, bulk_create,
-- raw SQL, COPY. Statement-level, so that a bulk change costs one INSERT.
--
-- Bulk loaders set courtyard.bulk_load = on for their transaction and raise the epoch instead.

CREATE FUNCTION courtyard_bulk_load() RETURNS boolean LANGUAGE sql STABLE AS
$$ SELECT coalesce(current_setting('courtyard.bulk_load', true), '') = 'on' $$;

CREATE FUNCTION courtyard_transaction() RETURNS bigint LANGUAGE sql VOLATILE AS
$$ SELECT pg_current_xact_id()::text::bigint $$;

ALTER TABLE feeds_outbox ALTER COLUMN created_at SET DEFAULT clock_timestamp();
ALTER TABLE feeds_outbox ALTER COLUMN transaction_id SET DEFAULT courtyard_transaction();

-- Posts: argument 0 is the kind.
CREATE FUNCTION courtyard_post_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF courtyard_bulk_load() THEN RETURN NULL; END IF;
    INSERT INTO feeds_outbox (kind, subject_id, author_id) SELECT TG_ARGV[0], id, author_id FROM changed;
    RETURN NULL;
END $$;

CREATE TRIGGER outbox_published AFTER INSERT ON posts_post REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION courtyard_post_changed('published');
CREATE TRIGGER outbox_edited AFTER UPDATE ON posts_post REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION courtyard_post_changed('edited');
CREATE TRIGGER outbox_deleted AFTER DELETE ON posts_post REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION courtyard_post_changed('deleted');

-- Dishes and photos: their post is edited; once a transaction, and not in the one that publishes it.
CREATE FUNCTION courtyard_post_part_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF courtyard_bulk_load() THEN RETURN NULL; END IF;
    INSERT INTO feeds_outbox (kind, subject_id, author_id)
    SELECT 'edited', p.id, p.author_id FROM posts_post p
    WHERE p.id IN (SELECT post_id FROM changed)
      AND NOT EXISTS (
        SELECT FROM feeds_outbox o
        WHERE o.subject_id = p.id AND o.kind IN ('published', 'edited') AND o.done_at IS NULL
          AND o.transaction_id = courtyard_transaction());
    RETURN NULL;
END $$;

CREATE TRIGGER outbox_dish_added AFTER INSERT ON posts_dish REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION courtyard_post_part_changed();
CREATE TRIGGER outbox_dish_changed AFTER UPDATE ON posts_dish REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION courtyard_post_part_changed();
CREATE TRIGGER outbox_dish_moved AFTER UPDATE ON posts_dish REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION courtyard_post_part_changed();
CREATE TRIGGER outbox_dish_removed AFTER DELETE ON posts_dish REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION courtyard_post_part_changed();
CREATE TRIGGER outbox_photo_added AFTER INSERT ON posts_photo REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION courtyard_post_part_changed();
CREATE TRIGGER outbox_photo_changed AFTER UPDATE ON posts_photo REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION courtyard_post_part_changed();
CREATE TRIGGER outbox_photo_moved AFTER UPDATE ON posts_photo REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION courtyard_post_part_changed();
CREATE TRIGGER outbox_photo_removed AFTER DELETE ON posts_photo REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION courtyard_post_part_changed();

-- Follows: argument 0 is the kind; the subject is the viewer whose feed changes.
CREATE FUNCTION courtyard_follow_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF courtyard_bulk_load() THEN RETURN NULL; END IF;
    INSERT INTO feeds_outbox (kind, subject_id, author_id)
    SELECT TG_ARGV[0], follower_id, followee_id FROM changed;
    RETURN NULL;
END $$;

CREATE TRIGGER outbox_followed AFTER INSERT ON social_follow REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION courtyard_follow_changed('followed');
CREATE TRIGGER outbox_unfollowed AFTER DELETE ON social_follow REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION courtyard_follow_changed('unfollowed');

-- Accounts: only what a feed or an authentication shows. A recount or a new last_seen is no change. (Its columns of
-- today are in account_changed.sql.)
CREATE FUNCTION courtyard_account_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF courtyard_bulk_load() THEN RETURN NULL; END IF;
    INSERT INTO feeds_outbox (kind, subject_id)
    SELECT 'account_changed', n.id FROM new_rows n JOIN old_rows o USING (id)
    WHERE (n.username, n.display_name, n.avatar_url, n.city, n.is_cook, n.is_active, n.auth_version, n.time_zone)
        IS DISTINCT FROM
          (o.username, o.display_name, o.avatar_url, o.city, o.is_cook, o.is_active, o.auth_version, o.time_zone);
    RETURN NULL;
END $$;

CREATE TRIGGER outbox_account_changed AFTER UPDATE ON social_account
    REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
    FOR EACH STATEMENT EXECUTE FUNCTION courtyard_account_changed();

-- An account that is erased: its tokens and sessions end.
CREATE FUNCTION courtyard_account_erased() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF courtyard_bulk_load() THEN RETURN NULL; END IF;
    INSERT INTO feeds_outbox (kind, subject_id) SELECT 'account_changed', id FROM changed;
    RETURN NULL;
END $$;

CREATE TRIGGER outbox_account_erased AFTER DELETE ON social_account REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION courtyard_account_erased();

-- A follow is made and ended; whom it joins does not change, since no trigger would tell either side.
CREATE FUNCTION courtyard_refuse_other_follow() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'a follow keeps its two accounts' USING ERRCODE = 'check_violation';
END $$;

CREATE TRIGGER follow_keeps_accounts BEFORE UPDATE OF follower_id, followee_id ON social_follow FOR EACH ROW
    WHEN ((OLD.follower_id, OLD.followee_id) IS DISTINCT FROM (NEW.follower_id, NEW.followee_id))
    EXECUTE FUNCTION courtyard_refuse_other_follow();
