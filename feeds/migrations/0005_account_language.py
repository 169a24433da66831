from pathlib import Path

from django.db import migrations


class Migration(migrations.Migration):
    """Cards of accounts have a language, so that another one is a change."""

    dependencies = [
        ('feeds', '0004_count_likes'),
        ('social', '0005_language'),
    ]

    operations = [
        migrations.RunSQL((Path(__file__).parent.parent / "account_changed.sql").read_text(), migrations.RunSQL.noop),
    ]
