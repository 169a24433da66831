-- The files of a photo that goes are listed to be deleted, in its own transaction and whoever deletes it: a menu that
-- goes with its photos, an account that is erased, raw SQL. So are those that it no longer names.
-- What a photo's `file` stands for is in posts/media/names.py.
CREATE FUNCTION posts_files_of(upload text, file text, widths integer[])
RETURNS TABLE (storage text, name text) LANGUAGE sql IMMUTABLE AS $$
    SELECT 'uploads', upload WHERE upload <> ''
    UNION ALL SELECT 'default', file || '-square.webp' WHERE file <> ''
    UNION ALL SELECT 'default', file || '-' || width || '.webp' FROM unnest(widths) AS width WHERE file <> ''
$$;

CREATE FUNCTION posts_list_leftovers() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        INSERT INTO posts_leftover (storage, name)
        SELECT f.* FROM old_rows o, posts_files_of(o.upload, o.file, o.widths) f
        ON CONFLICT DO NOTHING;
    ELSE
        INSERT INTO posts_leftover (storage, name)
        SELECT f.* FROM old_rows o JOIN new_rows n USING (id), posts_files_of(o.upload, o.file, o.widths) f
        WHERE (o.upload, o.file, o.widths) IS DISTINCT FROM (n.upload, n.file, n.widths)
        EXCEPT SELECT f.* FROM new_rows n, posts_files_of(n.upload, n.file, n.widths) f
        ON CONFLICT DO NOTHING;
    END IF;
    RETURN NULL;
END $$;

CREATE TRIGGER leftovers_of_deleted AFTER DELETE ON posts_photo REFERENCING OLD TABLE AS old_rows
    FOR EACH STATEMENT EXECUTE FUNCTION posts_list_leftovers();
CREATE TRIGGER leftovers_of_changed AFTER UPDATE ON posts_photo
    REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
    FOR EACH STATEMENT EXECUTE FUNCTION posts_list_leftovers();
