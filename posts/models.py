"""Posts: menus with dishes and photos."""

from datetime import date, datetime
from decimal import Decimal

from django.contrib.postgres.fields import ArrayField
from django.core.validators import MinValueValidator, RegexValidator
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now, TruncDate

from posts.ids import MAX_ID, NextPostId, time_of
from social.models import Account

TEXT_LENGTH = 2000
MAX_DISHES = 50
FIRST_DAY, END_OF_DAYS = date(2000, 1, 1), date(3000, 1, 1)  # that a menu may be for; the second is beyond
MAX_PHOTOS = 10
ALT_LENGTH = 300
REASON_LENGTH = 500
PLACEHOLDER = r"^(#[0-9a-f]{6}|data:image/webp;base64,[A-Za-z0-9+/=]+)\Z"
TAGS = ("vegetarian", "vegan", "halal", "kosher", "gluten_free", "dairy_free", "contains_nuts", "spicy")


class Post(models.Model):
    """A menu. The id carries the time of writing (posts/ids.py); `day` is the date the menu is for.

    `hidden_at`: staff have hidden it, from everyone. `like_count` is recounted a moment after likes change.
    """

    id = models.BigIntegerField(primary_key=True, db_default=NextPostId(), editable=False)
    author = models.ForeignKey(Account, models.CASCADE, related_name="posts", db_index=False)
    text = models.TextField(max_length=TEXT_LENGTH, blank=True, db_default="")
    day = models.DateField(db_default=TruncDate(Now()))
    edited_at = models.DateTimeField(null=True, blank=True, editable=False)
    hidden_at = models.DateTimeField(null=True, blank=True, editable=False)
    like_count = models.PositiveIntegerField(default=0, db_default=0, editable=False)

    class Meta:
        verbose_name = "menu"
        indexes = [
            # Profiles, timelines and the reference query read an author's newest posts.
            models.Index(fields=["author", "-id"], name="post_author_newest"),
        ]
        # What raw SQL could write and neither Redis nor a page could show.
        constraints = [
            models.CheckConstraint(condition=Q(id__gt=0, id__lte=MAX_ID), name="post_id_fits_a_score"),
            models.CheckConstraint(
                condition=Q(day__gte=FIRST_DAY, day__lt=END_OF_DAYS), name="post_day_is_a_day"
            ),
        ]

    def __str__(self) -> str:
        return f"menu {self.pk}"

    @property
    def created_at(self) -> datetime:
        return time_of(self.pk)

    @property
    def state(self) -> str:
        """Another after every edit."""
        return self.edited_at.isoformat() if self.edited_at else "published"


class Dish(models.Model):
    """A line of a menu."""

    post = models.ForeignKey(Post, models.CASCADE, related_name="dishes", db_index=False)
    position = models.PositiveSmallIntegerField(default=0)
    name = models.CharField(max_length=120)
    price = models.DecimalField(
        max_digits=8, decimal_places=2, validators=[MinValueValidator(Decimal("0.01"))]
    )
    currency = models.CharField(
        max_length=3, default="EUR", validators=[RegexValidator(r"^[A-Z]{3}\Z", "Use a code like EUR.")]
    )
    tags = ArrayField(
        models.CharField(max_length=20, choices=[(tag, tag.replace("_", " ")) for tag in TAGS]),
        default=list,
        blank=True,
        size=len(TAGS),
    )
    sold_out = models.BooleanField(default=False)

    class Meta:
        verbose_name_plural = "dishes"
        ordering = ["position", "id"]
        indexes = [models.Index(fields=["post", "position"], name="dish_of_post")]  # hydration
        # NaN is greater than every number, for PostgreSQL.
        constraints = [
            models.CheckConstraint(condition=Q(price__gt=0, price__lt=1_000_000), name="dish_price_positive")
        ]

    def __str__(self) -> str:
        return self.name


class Photo(models.Model):
    """A picture of a menu: one that somebody has uploaded, or one by its address (`url`; then it has no `owner`).

    An upload waits for the menu it is for (`post` is NULL) or is somebody's avatar. `upload` names the original in
    the private storage, until it is processed; `file` begins the names of what was made of it, in these `widths`
    (posts/media/names.py). `placeholder`, a colour or a tiny picture as a data: address, is shown until the photo has
    loaded. `width` and `height` are the largest size's. From `retry_at` on a photo that is still not ready is tried
    again.
    """

    class State(models.TextChoices):
        PROCESSING = "processing"
        READY = "ready"
        FAILED = "failed"

    owner = models.ForeignKey(
        Account, models.CASCADE, related_name="+", db_index=False, null=True, blank=True
    )
    post = models.ForeignKey(
        Post, models.CASCADE, related_name="photos", db_index=False, null=True, blank=True
    )
    position = models.PositiveSmallIntegerField(default=0)
    as_avatar = models.BooleanField(default=False, db_default=False)
    state = models.CharField(max_length=10, choices=State, default=State.READY, db_default=State.READY)
    url = models.CharField(max_length=300, blank=True, default="", db_default="")
    upload = models.CharField(max_length=80, blank=True, default="", db_default="")
    file = models.CharField(max_length=80, blank=True, default="", db_default="")
    widths = ArrayField(models.PositiveIntegerField(), default=list, db_default=[], blank=True)
    alt = models.CharField(max_length=ALT_LENGTH, blank=True)
    width = models.PositiveIntegerField(default=1200)
    height = models.PositiveIntegerField(default=900)
    placeholder = models.CharField(
        max_length=400,
        default="#d9c7ad",
        validators=[RegexValidator(PLACEHOLDER, "Use #rrggbb.")],
    )
    tries = models.PositiveSmallIntegerField(default=0, db_default=0)
    retry_at = models.DateTimeField(db_default=Now())
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        ordering = ["position", "id"]
        indexes = [
            models.Index(fields=["post", "position"], name="photo_of_post"),  # hydration
            # Erasing an account; replacing an avatar.
            models.Index(fields=["owner"], name="photo_of_owner", condition=Q(owner__isnull=False)),
            # The sweep of what is still not ready.
            models.Index(fields=["retry_at"], name="photo_to_process", condition=Q(state="processing")),
            # Pruning of what nobody uses.
            models.Index(
                fields=["created_at"], name="photo_unused", condition=Q(post__isnull=True, as_avatar=False)
            ),
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(as_avatar=False) | Q(post__isnull=True), name="photo_is_used_once"
            ),
            models.CheckConstraint(
                condition=~Q(state="ready") | ~Q(url="") | ~Q(file=""), name="photo_ready_has_a_picture"
            ),
        ]

    def __str__(self) -> str:
        return self.url or self.file or self.upload


class Leftover(models.Model):
    """A file that no photo names: it is deleted from `due_at` on (posts/media/pruning.py).

    A file is listed here before it is stored and struck off in the transaction that makes a photo name it; a trigger
    lists it again when its photo goes, whoever deletes that (posts/leftovers.sql). So no file is ever forgotten.
    """

    class Storage(models.TextChoices):
        PUBLIC = "default"
        UPLOADS = "uploads"

    storage = models.CharField(max_length=10, choices=Storage)
    name = models.CharField(max_length=120)
    due_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [models.UniqueConstraint(fields=["storage", "name"], name="leftover_once")]
        indexes = [models.Index(fields=["due_at"], name="leftover_due")]  # pruning

    def __str__(self) -> str:
        return self.name


class Like(models.Model):
    """`account` likes `post`."""

    account = models.ForeignKey(Account, models.CASCADE, related_name="likes", db_index=False)
    post = models.ForeignKey(Post, models.CASCADE, related_name="likes", db_index=False)
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        constraints = [
            # Its index serves "which of these does this viewer like", the newest menus first.
            models.UniqueConstraint(fields=["account", "post"], name="like_once"),
        ]
        indexes = [
            # Recounting counts them, index only; deleting a menu finds them.
            models.Index(fields=["post", "account"], name="like_of_post"),
        ]

    def __str__(self) -> str:
        return f"{self.account_id} likes {self.post_id}"


class Opening(models.Model):
    """`account` has opened the page of `post`, which is not its own. Its cook is shown how many have. `at`: for the
    first time; NULL where that was not noted."""

    account = models.ForeignKey(Account, models.CASCADE, related_name="+", db_index=False)
    post = models.ForeignKey(Post, models.CASCADE, related_name="openings", db_index=False)
    at = models.DateTimeField(null=True, db_default=Now(), editable=False)

    class Meta:
        constraints = [
            # Its index serves counting, index only, and the deletion of a menu.
            models.UniqueConstraint(fields=["post", "account"], name="opening_once"),
        ]
        indexes = [
            # What an account has opened of late; erasing an account.
            models.Index(fields=["account", "at"], name="opening_of_account"),
        ]

    def __str__(self) -> str:
        return f"{self.account_id} opened {self.post_id}"


class Report(models.Model):
    """`account` tells staff what is wrong with `post`. Open until staff have looked at it (`handled_at`).

    `created_at` is when it was said last.
    """

    account = models.ForeignKey(Account, models.CASCADE, related_name="+", db_index=False)
    post = models.ForeignKey(Post, models.CASCADE, related_name="reports", db_index=False)
    reason = models.TextField(max_length=REASON_LENGTH)
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    handled_at = models.DateTimeField(null=True, blank=True, editable=False)

    class Meta:
        constraints = [
            # Its index serves the erasing of an account.
            models.UniqueConstraint(fields=["account", "post"], name="report_once"),
        ]
        indexes = [
            # Hiding a menu handles its reports; deleting one finds them.
            models.Index(fields=["post"], name="report_of_post"),
            # Staff's list of what is open, and of all, newest first.
            models.Index(fields=["-created_at", "-id"], name="report_open", condition=Q(handled_at=None)),
            models.Index(fields=["-created_at", "-id"], name="report_newest"),
        ]

    def __str__(self) -> str:
        return f"{self.account_id} reports {self.post_id}"


class IdempotencyKey(models.Model):
    """A call that was answered, and the answer: `account` may repeat the call and gets it again.

    `fingerprint` tells what was asked (posts/idempotency.py); `body` is as it was sent.
    """

    account = models.ForeignKey(Account, models.CASCADE, related_name="+", db_index=False)
    key = models.CharField(max_length=255)
    fingerprint = models.CharField(max_length=64)
    status = models.PositiveSmallIntegerField()
    body = models.TextField()
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        constraints = [
            # Its index serves "has this call been answered", and the erasing of an account.
            models.UniqueConstraint(fields=["account", "key"], name="idempotency_key_once"),
        ]
        indexes = [models.Index(fields=["created_at"], name="idempotency_key_age")]  # pruning

    def __str__(self) -> str:
        return f"{self.key} of {self.account_id}"
