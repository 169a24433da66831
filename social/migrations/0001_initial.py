

import django.contrib.postgres.indexes
import django.core.validators
import django.db.models.deletion
import django.db.models.functions.datetime
import django.db.models.functions.text
from django.conf import settings
import social.zones
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('auth', '0012_alter_user_first_name_max_length'),
    ]

    operations = [
        migrations.CreateModel(
            name='Account',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('password', models.CharField(max_length=128, verbose_name='password')),
                ('last_login', models.DateTimeField(blank=True, null=True, verbose_name='last login')),
                ('is_superuser', models.BooleanField(default=False, help_text='Designates that this user has all permissions without explicitly assigning them.', verbose_name='superuser status')),
                ('username', models.CharField(error_messages={'unique': 'This username is taken.'}, max_length=30, unique=True, validators=[django.core.validators.RegexValidator('^[a-z0-9](?:[a-z0-9._-]{0,28}[a-z0-9_])?\\Z', 'Use 1 to 30 small letters, digits, dots, dashes or underscores; begin with a letter or digit.')])),
                ('email', models.EmailField(blank=True, max_length=254)),
                ('display_name', models.CharField(max_length=60)),
                ('bio', models.CharField(blank=True, max_length=500)),
                ('city', models.CharField(blank=True, max_length=60)),
                ('cuisine', models.CharField(blank=True, max_length=60)),
                ('avatar_url', models.CharField(blank=True, max_length=300)),
                ('order_url', models.CharField(blank=True, max_length=300, validators=[django.core.validators.URLValidator(schemes=['http', 'https'])])),
                ('time_zone', models.CharField(default='UTC', max_length=60, validators=[social.zones.validate_zone])),
                ('is_cook', models.BooleanField(default=False, verbose_name='cook')),
                ('is_private', models.BooleanField(default=False, verbose_name='private')),
                ('is_staff', models.BooleanField(default=False, verbose_name='staff')),
                ('is_active', models.BooleanField(default=True, help_text='Off hides the account and its menus.', verbose_name='active')),
                ('auth_version', models.PositiveIntegerField(default=1)),
                ('follower_count', models.PositiveIntegerField(db_default=0, default=0)),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ('last_seen', models.DateTimeField(blank=True, null=True)),
                ('groups', models.ManyToManyField(blank=True, help_text='The groups this user belongs to. A user will get all permissions granted to each of their groups.', related_name='user_set', related_query_name='user', to='auth.group', verbose_name='groups')),
                ('user_permissions', models.ManyToManyField(blank=True, help_text='Specific permissions for this user.', related_name='user_set', related_query_name='user', to='auth.permission', verbose_name='user permissions')),
            ],
        ),
        migrations.CreateModel(
            name='Follow',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ('followee', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='follower_rows', to=settings.AUTH_USER_MODEL)),
                ('follower', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='following_rows', to=settings.AUTH_USER_MODEL)),
            ],
        ),
        migrations.AddIndex(
            model_name='account',
            index=models.Index(django.contrib.postgres.indexes.OpClass('username', name='text_pattern_ops'), name='account_username_prefix'),
        ),
        migrations.AddIndex(
            model_name='account',
            index=models.Index(django.db.models.functions.text.Upper('display_name'), name='account_display_name'),
        ),
        migrations.AddIndex(
            model_name='account',
            index=models.Index(condition=models.Q(('is_cook', True)), fields=['-follower_count', 'id'], name='account_followers'),
        ),
        migrations.AddIndex(
            model_name='follow',
            index=models.Index(fields=['followee', 'follower'], name='follow_followee_follower'),
        ),
        migrations.AddConstraint(
            model_name='follow',
            constraint=models.UniqueConstraint(fields=('follower', 'followee'), name='follow_once', violation_error_message='This follow exists already.'),
        ),
        migrations.AddConstraint(
            model_name='follow',
            constraint=models.CheckConstraint(condition=models.Q(('follower', models.F('followee')), _negated=True), name='follow_not_oneself', violation_error_message='An account cannot follow itself.'),
        ),
    ]
