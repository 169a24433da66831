import django.core.validators
import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('social', '0001_initial'),
    ]

    operations = [
        migrations.CreateModel(
            name='FeedSettings',
            fields=[
                ('id', models.SmallIntegerField(default=1, editable=False, primary_key=True, serialize=False)),
                ('threshold', models.PositiveIntegerField(blank=True, help_text='Authors with at least this many followers are pulled (read on opening a feed) instead of pushed. Empty: the default of this installation. In force everywhere within 5 seconds.', null=True, validators=[django.core.validators.MinValueValidator(1)])),
                ('threshold_set_at', models.DateTimeField(editable=False, null=True)),
                ('inactive_after', models.PositiveIntegerField(db_default=1209600, editable=False)),
                ('epoch', models.BigIntegerField(db_default=1, default=1, editable=False)),
            ],
            options={
                'verbose_name': 'feed settings',
                'verbose_name_plural': 'feed settings',
                'constraints': [models.CheckConstraint(condition=models.Q(('id', 1)), name='feed_settings_one_row'), models.CheckConstraint(condition=models.Q(('threshold__isnull', True), ('threshold__gte', 1), _connector='OR'), name='threshold_ge_1')],
            },
        ),
        migrations.CreateModel(
            name='Outbox',
            fields=[
                ('id', models.BigAutoField(primary_key=True, serialize=False)),
                ('kind', models.CharField(choices=[('published', 'Published'), ('edited', 'Edited'), ('deleted', 'Deleted'), ('followed', 'Followed'), ('unfollowed', 'Unfollowed'), ('account_changed', 'Account Changed')], max_length=20)),
                ('subject_id', models.BigIntegerField()),
                ('author_id', models.BigIntegerField(null=True)),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('transaction_id', models.BigIntegerField(db_default=0)),
                ('done_at', models.DateTimeField(null=True)),
                ('checkpoint', models.BigIntegerField(db_default=0, default=0)),
                ('attempts', models.IntegerField(db_default=0, default=0)),
                ('claimed_by', models.CharField(db_default='', default='', max_length=64)),
                ('claimed_until', models.DateTimeField(null=True)),
                ('last_error', models.CharField(db_default='', default='', max_length=500)),
                ('counted', models.BooleanField(db_default=False, default=False)),
            ],
            options={
                'verbose_name': 'outbox row',
                'verbose_name_plural': 'outbox',
                'indexes': [models.Index(condition=models.Q(('done_at__isnull', True)), fields=['id'], name='outbox_not_done'), models.Index(fields=['subject_id', 'kind'], name='outbox_subject'), models.Index(condition=models.Q(('done_at__isnull', False)), fields=['done_at'], name='outbox_done'), models.Index(condition=models.Q(('counted', False), ('kind__in', ['followed', 'unfollowed'])), fields=['author_id'], name='outbox_uncounted')],
            },
        ),
        migrations.CreateModel(
            name='PulledAuthor',
            fields=[
                ('author', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='pulled', serialize=False, to=settings.AUTH_USER_MODEL)),
                ('since_id', models.BigIntegerField()),
                ('until_id', models.BigIntegerField(null=True)),
                ('opened_at', models.DateTimeField()),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('until_id__isnull', True), ('until_id__gt', models.F('since_id')), _connector='OR'), name='pulled_interval_not_empty')],
            },
        ),
    ]
