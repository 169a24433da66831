-- next_post_id(): see posts/ids.py for the layout.
--
-- The sequence holds milliseconds * 64 + number, so that the greater of "now" and "one more than the last"
-- is strictly rising whatever the clock does. `last_value` and `setval` ignore transactions; the advisory lock
-- makes reading and writing them one step. It is a session lock, since a transaction's would be held until
-- COMMIT; hence the handler: a statement time-out inside it would leave it locked for ever.
--
-- courtyard.clock (milliseconds since 1970) replaces the clock in tests; courtyard.generator numbers databases.
CREATE SEQUENCE post_id_clock AS bigint MINVALUE 0 START 0;

CREATE FUNCTION next_post_id() RETURNS bigint LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    lock_key CONSTANT bigint := 7306075916;
    generator CONSTANT bigint := coalesce(nullif(current_setting('courtyard.generator', true), '')::bigint, 0);
    milliseconds bigint;
    drawn bigint;
BEGIN
    IF generator NOT BETWEEN 0 AND 63 THEN
        RAISE EXCEPTION 'courtyard.generator is %, it must be 0 to 63', generator;
    END IF;
    PERFORM pg_advisory_lock(lock_key);
    BEGIN
        milliseconds := coalesce(
            nullif(current_setting('courtyard.clock', true), '')::bigint,
            floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint
        ) - 1704067200000;
        SELECT greatest(milliseconds * 64, last_value + 1) INTO drawn FROM post_id_clock;
        PERFORM setval('post_id_clock', drawn);
    EXCEPTION WHEN query_canceled OR others THEN
        PERFORM pg_advisory_unlock(lock_key);
        RAISE;
    END;
    PERFORM pg_advisory_unlock(lock_key);
    RETURN (drawn / 64) * 4096 + generator * 64 + drawn % 64;
END
$$;
