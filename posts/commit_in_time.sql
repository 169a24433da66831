-- A post that commits more than 5 s after its id was drawn is refused: readers who ask what is new look at the ids
-- of the last ten seconds only. Publishing tries again with a new id. Imports, whose ids come from the posts' own
-- times, switch it off with courtyard.bulk_load and raise the epoch.
--
-- SQLSTATE CY001 tells it from every other refusal. An id ahead of the clock (which stepped back) is not late.
CREATE FUNCTION posts_refuse_late_commit() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    drawn_at CONSTANT bigint := (NEW.id >> 12) + 1704067200000;
    now_is CONSTANT bigint := coalesce(
        nullif(current_setting('courtyard.clock', true), '')::bigint,
        floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint);
BEGIN
    IF now_is - drawn_at > 5000 AND coalesce(current_setting('courtyard.bulk_load', true), '') <> 'on' THEN
        RAISE EXCEPTION 'post % would commit % ms after its id', NEW.id, now_is - drawn_at
            USING ERRCODE = 'CY001';
    END IF;
    RETURN NULL;
END $$;

CREATE CONSTRAINT TRIGGER posts_commit_in_time AFTER INSERT ON posts_post
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION posts_refuse_late_commit();
