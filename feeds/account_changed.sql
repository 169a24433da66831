-- Accounts: only what a feed, a page's language or an authentication shows. A recount or a new last_seen is no change.
-- Replaces the function of outbox.sql: the columns are those of feeds.cards.AccountCard.
CREATE OR REPLACE FUNCTION courtyard_account_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF courtyard_bulk_load() THEN RETURN NULL; END IF;
    INSERT INTO feeds_outbox (kind, subject_id)
    SELECT 'account_changed', n.id FROM new_rows n JOIN old_rows o USING (id)
    WHERE (n.username, n.display_name, n.avatar_url, n.city, n.is_cook, n.is_active, n.auth_version, n.time_zone,
           n.language, n.order_url)
        IS DISTINCT FROM
          (o.username, o.display_name, o.avatar_url, o.city, o.is_cook, o.is_active, o.auth_version, o.time_zone,
           o.language, o.order_url);
    RETURN NULL;
END $$;
