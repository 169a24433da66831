-- next_post_id(): see posts/ids.py for the layout.
--
-- The sequence holds milliseconds * 64 + number, so that the greater of "now" and "one more than the last"
-- is strictly rising whatever the clock does. `last_value` and `setval` ignore transactions; the advisory lock
-- makes reading and writing them one step.
--
-- Whoever kept the lock would keep everybody else from publishing. A transaction's lock is held until COMMIT; a
-- session's stays for good when a statement time-out strikes just after it was taken. So it is taken in a block that
-- always ends with an error: whichever error it is, the block's subtransaction is rolled back and the lock with it,
-- while the sequence and the variable keep their values.
--
-- courtyard.clock (milliseconds since 1970) replaces the clock in tests; courtyard.generator numbers databases.
CREATE SEQUENCE IF NOT EXISTS post_id_clock AS bigint MINVALUE 0 START 0;

CREATE OR REPLACE FUNCTION next_post_id() RETURNS bigint LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    lock_key CONSTANT bigint := 7306075916;
    generator CONSTANT bigint := coalesce(nullif(current_setting('courtyard.generator', true), '')::bigint, 0);
    milliseconds bigint;
    drawn bigint;
BEGIN
    IF generator NOT BETWEEN 0 AND 63 THEN
        RAISE EXCEPTION 'courtyard.generator is %, it must be 0 to 63', generator;
    END IF;
    BEGIN
        PERFORM pg_advisory_xact_lock(lock_key);
        milliseconds := coalesce(
            nullif(current_setting('courtyard.clock', true), '')::bigint,
            floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint
        ) - 1704067200000;
        SELECT greatest(milliseconds * 64, last_value + 1) INTO drawn FROM post_id_clock;
        PERFORM setval('post_id_clock', drawn);
        RAISE SQLSTATE 'CY002';
    EXCEPTION WHEN SQLSTATE 'CY002' THEN
        NULL;  -- drawn, and unlocked
    END;
    RETURN (drawn / 64) * 4096 + generator * 64 + drawn % 64;
END
$$;
