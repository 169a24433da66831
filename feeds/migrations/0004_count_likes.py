from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('feeds', '0003_more_changes'),
    ]

    operations = [
        migrations.RemoveIndex(
            model_name='outbox',
            name='outbox_uncounted',
        ),
        migrations.AddIndex(
            model_name='outbox',
            index=models.Index(condition=models.Q(('counted', False), ('kind__in', ['followed', 'unfollowed', 'likes_changed'])), fields=['author_id'], name='outbox_uncounted'),
        ),
    ]
