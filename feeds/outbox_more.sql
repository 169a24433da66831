-- More changes that derived data depends on; see outbox.sql for the rest and for how they are written.
-- A block needs no row of its own: it ends follows (social/keep_blocks.sql), and those have theirs.

-- Mutes: the subject is the viewer whose feed changes.
CREATE FUNCTION courtyard_mute_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF courtyard_bulk_load() THEN RETURN NULL; END IF;
    INSERT INTO feeds_outbox (kind, subject_id, author_id) SELECT 'mutes_changed', muter_id, muted_id FROM changed;
    RETURN NULL;
END $$;

CREATE TRIGGER outbox_muted AFTER INSERT ON social_mute REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION courtyard_mute_changed();
CREATE TRIGGER outbox_mute_changed AFTER UPDATE ON social_mute REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION courtyard_mute_changed();
CREATE TRIGGER outbox_unmuted AFTER DELETE ON social_mute REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION courtyard_mute_changed();

-- Likes: the subject is the viewer who likes, `author_id` holds the post.
CREATE FUNCTION courtyard_like_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF courtyard_bulk_load() THEN RETURN NULL; END IF;
    INSERT INTO feeds_outbox (kind, subject_id, author_id) SELECT 'likes_changed', account_id, post_id FROM changed;
    RETURN NULL;
END $$;

CREATE TRIGGER outbox_liked AFTER INSERT ON posts_like REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION courtyard_like_changed();
CREATE TRIGGER outbox_unliked AFTER DELETE ON posts_like REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION courtyard_like_changed();

-- Who a mute or a like joins does not change, since no trigger would tell the other side.
CREATE FUNCTION courtyard_refuse_other_pair() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'a % keeps what it joins', TG_ARGV[0] USING ERRCODE = 'check_violation';
END $$;

CREATE TRIGGER mute_keeps_accounts BEFORE UPDATE OF muter_id, muted_id ON social_mute FOR EACH ROW
    WHEN ((OLD.muter_id, OLD.muted_id) IS DISTINCT FROM (NEW.muter_id, NEW.muted_id))
    EXECUTE FUNCTION courtyard_refuse_other_pair('mute');
CREATE TRIGGER like_keeps_pair BEFORE UPDATE OF account_id, post_id ON posts_like FOR EACH ROW
    WHEN ((OLD.account_id, OLD.post_id) IS DISTINCT FROM (NEW.account_id, NEW.post_id))
    EXECUTE FUNCTION courtyard_refuse_other_pair('like');
