from pathlib import Path

import django.contrib.postgres.fields
import django.core.validators
import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models

SQL = (Path(__file__).parent.parent / "leftovers.sql").read_text()

UNDO = """
DROP FUNCTION posts_list_leftovers CASCADE;
DROP FUNCTION posts_files_of;
"""


class Migration(migrations.Migration):

    dependencies = [
        ('posts', '0004_idempotency_keys'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Leftover',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('storage', models.CharField(choices=[('default', 'Public'), ('uploads', 'Uploads')], max_length=10)),
                ('name', models.CharField(max_length=120)),
                ('due_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
            ],
        ),
        migrations.AddField(
            model_name='photo',
            name='as_avatar',
            field=models.BooleanField(db_default=False, default=False),
        ),
        migrations.AddField(
            model_name='photo',
            name='created_at',
            field=models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False),
        ),
        migrations.AddField(
            model_name='photo',
            name='file',
            field=models.CharField(blank=True, db_default='', default='', max_length=80),
        ),
        migrations.AddField(
            model_name='photo',
            name='owner',
            field=models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='photo',
            name='retry_at',
            field=models.DateTimeField(db_default=django.db.models.functions.datetime.Now()),
        ),
        migrations.AddField(
            model_name='photo',
            name='state',
            field=models.CharField(choices=[('processing', 'Processing'), ('ready', 'Ready'), ('failed', 'Failed')], db_default='ready', default='ready', max_length=10),
        ),
        migrations.AddField(
            model_name='photo',
            name='tries',
            field=models.PositiveSmallIntegerField(db_default=0, default=0),
        ),
        migrations.AddField(
            model_name='photo',
            name='upload',
            field=models.CharField(blank=True, db_default='', default='', max_length=80),
        ),
        migrations.AddField(
            model_name='photo',
            name='widths',
            field=django.contrib.postgres.fields.ArrayField(base_field=models.PositiveIntegerField(), blank=True, db_default=[], default=list, size=None),
        ),
        migrations.AlterField(
            model_name='photo',
            name='placeholder',
            field=models.CharField(default='#d9c7ad', max_length=400, validators=[django.core.validators.RegexValidator('^(#[0-9a-f]{6}|data:image/webp;base64,[A-Za-z0-9+/=]+)\\Z', 'Use #rrggbb.')]),
        ),
        migrations.AlterField(
            model_name='photo',
            name='post',
            field=models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='photos', to='posts.post'),
        ),
        migrations.AlterField(
            model_name='photo',
            name='url',
            field=models.CharField(blank=True, db_default='', default='', max_length=300),
        ),
        migrations.AddIndex(
            model_name='photo',
            index=models.Index(condition=models.Q(('owner__isnull', False)), fields=['owner'], name='photo_of_owner'),
        ),
        migrations.AddIndex(
            model_name='photo',
            index=models.Index(condition=models.Q(('state', 'processing')), fields=['retry_at'], name='photo_to_process'),
        ),
        migrations.AddIndex(
            model_name='photo',
            index=models.Index(condition=models.Q(('as_avatar', False), ('post__isnull', True)), fields=['created_at'], name='photo_unused'),
        ),
        migrations.AddConstraint(
            model_name='photo',
            constraint=models.CheckConstraint(condition=models.Q(('as_avatar', False), ('post__isnull', True), _connector='OR'), name='photo_is_used_once'),
        ),
        migrations.AddConstraint(
            model_name='photo',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('state', 'ready'), _negated=True), models.Q(('url', ''), _negated=True), models.Q(('file', ''), _negated=True), _connector='OR'), name='photo_ready_has_a_picture'),
        ),
        migrations.AddIndex(
            model_name='leftover',
            index=models.Index(fields=['due_at'], name='leftover_due'),
        ),
        migrations.AddConstraint(
            model_name='leftover',
            constraint=models.UniqueConstraint(fields=('storage', 'name'), name='leftover_once'),
        ),
        migrations.RunSQL(SQL, UNDO),
    ]
