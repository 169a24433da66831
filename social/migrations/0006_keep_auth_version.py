from pathlib import Path

from django.db import migrations

SQL = (Path(__file__).parent.parent / "keep_auth_version.sql").read_text()

UNDO = """
DROP FUNCTION social_keep_auth_version CASCADE;
"""


class Migration(migrations.Migration):

    dependencies = [
        ('social', '0005_language'),
    ]

    operations = [
        migrations.RunSQL(SQL, UNDO),
    ]
