# The pages of accounts and menus show what staff did last to them; Django's own history of a row reads the same.
# Its log comes with indexes by user and by kind of row only.
from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [
        ("admin", "0003_logentry_add_action_flag_choices"),
        ("social", "0008_discover"),
    ]

    operations = [
        migrations.RunSQL(
            "CREATE INDEX admin_log_of_object ON django_admin_log (content_type_id, object_id, id)",
            "DROP INDEX admin_log_of_object",
        )
    ]
