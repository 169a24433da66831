-- A block ends the follows and requests between two accounts, and none is made while it stands, whoever writes:
-- services, admin, raw SQL. So a feed only has to know whom its viewer follows.
--
-- A follow and a block that commit at the same time must not miss each other. Both lock the account with the
-- smaller id of the pair: follows share it with each other, a block waits for them and they for it. One row each,
-- in rising order, so that no two wait for each other.

CREATE FUNCTION social_refuse_beside_block() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF coalesce(current_setting('courtyard.bulk_load', true), '') = 'on' THEN RETURN NULL; END IF;
    PERFORM FROM social_account WHERE id IN (SELECT least(follower_id, followee_id) FROM changed)
        ORDER BY id FOR KEY SHARE;
    -- A new statement: it sees a block that was waited for.
    IF EXISTS (
        SELECT FROM changed c JOIN social_block b
            ON (b.blocker_id, b.blocked_id) IN ((c.follower_id, c.followee_id), (c.followee_id, c.follower_id))
    ) THEN
        RAISE EXCEPTION 'one of the two accounts blocks the other' USING ERRCODE = 'check_violation';
    END IF;
    RETURN NULL;
END $$;

CREATE TRIGGER follow_beside_block AFTER INSERT ON social_follow REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION social_refuse_beside_block();
CREATE TRIGGER follow_request_beside_block AFTER INSERT ON social_followrequest REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION social_refuse_beside_block();

CREATE FUNCTION social_block_separates() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM social_account WHERE id IN (SELECT least(blocker_id, blocked_id) FROM changed)
        ORDER BY id FOR UPDATE;
    DELETE FROM social_follow f USING changed c
        WHERE (f.follower_id, f.followee_id) IN ((c.blocker_id, c.blocked_id), (c.blocked_id, c.blocker_id));
    DELETE FROM social_followrequest f USING changed c
        WHERE (f.follower_id, f.followee_id) IN ((c.blocker_id, c.blocked_id), (c.blocked_id, c.blocker_id));
    RETURN NULL;
END $$;

CREATE TRIGGER block_separates AFTER INSERT ON social_block REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION social_block_separates();
