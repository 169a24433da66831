-- The authentication version never falls, whoever writes: whoever saves a whole account that was read before it rose
-- would bring sessions and tokens back to life that somebody has ended meanwhile.

CREATE FUNCTION social_keep_auth_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.auth_version := OLD.auth_version;
    RETURN NEW;
END $$;

CREATE TRIGGER keep_auth_version BEFORE UPDATE OF auth_version ON social_account
    FOR EACH ROW WHEN (NEW.auth_version < OLD.auth_version) EXECUTE FUNCTION social_keep_auth_version();
