-- A post keeps its author: stored feeds hold its id as hers, and no follower of another would learn of it.
CREATE FUNCTION posts_refuse_other_author() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'a post keeps its author' USING ERRCODE = 'check_violation';
END $$;

CREATE TRIGGER posts_keep_author BEFORE UPDATE OF author_id ON posts_post FOR EACH ROW
    WHEN (OLD.author_id IS DISTINCT FROM NEW.author_id) EXECUTE FUNCTION posts_refuse_other_author();
