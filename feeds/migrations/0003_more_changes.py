from pathlib import Path

from django.db import migrations, models

SQL = (Path(__file__).parent.parent / "outbox_more.sql").read_text()

UNDO = """
DROP FUNCTION courtyard_mute_changed, courtyard_like_changed, courtyard_refuse_other_pair CASCADE;
"""


class Migration(migrations.Migration):

    dependencies = [
        ('feeds', '0002_triggers'),
        ('posts', '0002_likes_and_hiding'),
        ('social', '0002_relations'),
    ]

    operations = [
        migrations.AlterField(
            model_name='outbox',
            name='kind',
            field=models.CharField(choices=[('published', 'Published'), ('edited', 'Edited'), ('deleted', 'Deleted'), ('followed', 'Followed'), ('unfollowed', 'Unfollowed'), ('mutes_changed', 'Mutes Changed'), ('likes_changed', 'Likes Changed'), ('account_changed', 'Account Changed')], max_length=20),
        ),
        migrations.RunSQL(SQL, UNDO),
    ]
