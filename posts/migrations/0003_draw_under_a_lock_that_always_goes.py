from pathlib import Path

from django.db import migrations


class Migration(migrations.Migration):
    """For databases made before the function was written as it is now; for new ones the same once more."""

    dependencies = [
        ('posts', '0002_likes_and_hiding'),
    ]

    operations = [
        migrations.RunSQL((Path(__file__).parent.parent / "next_post_id.sql").read_text(), migrations.RunSQL.noop),
    ]
