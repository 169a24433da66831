from pathlib import Path

from django.db import migrations

SQL = (Path(__file__).parent.parent / "outbox.sql").read_text()

UNDO = """
DROP FUNCTION courtyard_post_changed, courtyard_post_part_changed, courtyard_follow_changed,
    courtyard_account_changed, courtyard_account_erased, courtyard_refuse_other_follow, courtyard_bulk_load CASCADE;
ALTER TABLE feeds_outbox ALTER COLUMN transaction_id SET DEFAULT 0;
DROP FUNCTION courtyard_transaction;
DELETE FROM feeds_feedsettings;
"""


class Migration(migrations.Migration):
    dependencies = [("feeds", "0001_initial"), ("posts", "0001_initial"), ("social", "0001_initial")]

    operations = [migrations.RunSQL(SQL + "\nINSERT INTO feeds_feedsettings (id) VALUES (1);", UNDO)]
