import datetime
import django.contrib.postgres.fields
import django.core.validators
import django.db.models.deletion
import django.db.models.functions.datetime
import posts.ids
from decimal import Decimal
from pathlib import Path

from django.conf import settings
from django.db import migrations, models

FOLDER = Path(__file__).parent.parent


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.RunSQL(
            (FOLDER / "next_post_id.sql").read_text(), "DROP FUNCTION next_post_id(); DROP SEQUENCE post_id_clock"
        ),
        migrations.CreateModel(
            name='Post',
            fields=[
                ('id', models.BigIntegerField(db_default=posts.ids.NextPostId(), editable=False, primary_key=True, serialize=False)),
                ('text', models.TextField(blank=True, db_default='', max_length=2000)),
                ('day', models.DateField(db_default=django.db.models.functions.datetime.TruncDate(django.db.models.functions.datetime.Now()))),
                ('edited_at', models.DateTimeField(blank=True, editable=False, null=True)),
                ('author', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='posts', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name': 'menu',
            },
        ),
        migrations.CreateModel(
            name='Photo',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('position', models.PositiveSmallIntegerField(default=0)),
                ('url', models.CharField(max_length=300)),
                ('alt', models.CharField(blank=True, max_length=300)),
                ('width', models.PositiveIntegerField(default=1200)),
                ('height', models.PositiveIntegerField(default=900)),
                ('placeholder', models.CharField(default='#d9c7ad', max_length=7, validators=[django.core.validators.RegexValidator('^#[0-9a-f]{6}\\Z', 'Use #rrggbb.')])),
                ('post', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='photos', to='posts.post')),
            ],
            options={
                'ordering': ['position', 'id'],
            },
        ),
        migrations.CreateModel(
            name='Dish',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('position', models.PositiveSmallIntegerField(default=0)),
                ('name', models.CharField(max_length=120)),
                ('price', models.DecimalField(decimal_places=2, max_digits=8, validators=[django.core.validators.MinValueValidator(Decimal('0.01'))])),
                ('currency', models.CharField(default='EUR', max_length=3, validators=[django.core.validators.RegexValidator('^[A-Z]{3}\\Z', 'Use a code like EUR.')])),
                ('tags', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(choices=[('vegetarian', 'vegetarian'), ('vegan', 'vegan'), ('halal', 'halal'), ('kosher', 'kosher'), ('gluten_free', 'gluten free'), ('dairy_free', 'dairy free'), ('contains_nuts', 'contains nuts'), ('spicy', 'spicy')], max_length=20), blank=True, default=list, size=8)),
                ('sold_out', models.BooleanField(default=False)),
                ('post', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='dishes', to='posts.post')),
            ],
            options={
                'verbose_name_plural': 'dishes',
                'ordering': ['position', 'id'],
            },
        ),
        migrations.AddIndex(
            model_name='post',
            index=models.Index(fields=['author', '-id'], name='post_author_newest'),
        ),
        migrations.AddIndex(
            model_name='photo',
            index=models.Index(fields=['post', 'position'], name='photo_of_post'),
        ),
        migrations.AddIndex(
            model_name='dish',
            index=models.Index(fields=['post', 'position'], name='dish_of_post'),
        ),
        migrations.AddConstraint(
            model_name='dish',
            constraint=models.CheckConstraint(condition=models.Q(('price__gt', 0), ('price__lt', 1000000)), name='dish_price_positive'),
        ),
        migrations.AddConstraint(
            model_name='post',
            constraint=models.CheckConstraint(condition=models.Q(('id__gt', 0), ('id__lte', 9007199254740991)), name='post_id_fits_a_score'),
        ),
        migrations.AddConstraint(
            model_name='post',
            constraint=models.CheckConstraint(condition=models.Q(('day__gte', datetime.date(2000, 1, 1)), ('day__lt', datetime.date(3000, 1, 1))), name='post_day_is_a_day'),
        ),
        migrations.RunSQL(
            (FOLDER / "keep_author.sql").read_text(), "DROP FUNCTION posts_refuse_other_author CASCADE"
        ),
    ]
