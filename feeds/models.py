"""What the feed itself keeps in PostgreSQL: changes still to be delivered, pulled authors, settings, and what was
seen."""

from django.contrib.postgres.fields import ArrayField
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from social.models import Account


class Outbox(models.Model):
    """A change that has still to reach the derived data; written by triggers (migration 0002).

    `subject_id` is the post, the account, or the viewer whose follows, mutes or likes changed; `author_id` the
    post's author, the account that was followed or muted, or the post that was liked. `checkpoint` is the last
    follower that a fan-out has pushed to. `claimed_by` works on it until `claimed_until`; both are only to save
    double work, never for safety. `transaction_id` lets a trigger tell a dish that came with its post from one
    that was added to it.
    """

    class Kind(models.TextChoices):
        PUBLISHED = "published"
        EDITED = "edited"
        DELETED = "deleted"
        FOLLOWED = "followed"
        UNFOLLOWED = "unfollowed"
        MUTES_CHANGED = "mutes_changed"
        LIKES_CHANGED = "likes_changed"
        ACCOUNT_CHANGED = "account_changed"

    id = models.BigAutoField(primary_key=True)
    kind = models.CharField(max_length=20, choices=Kind)
    subject_id = models.BigIntegerField()
    author_id = models.BigIntegerField(null=True)
    created_at = models.DateTimeField(db_default=Now())
    transaction_id = models.BigIntegerField(db_default=0)
    done_at = models.DateTimeField(null=True)
    checkpoint = models.BigIntegerField(default=0, db_default=0)
    attempts = models.IntegerField(default=0, db_default=0)
    claimed_by = models.CharField(max_length=64, default="", db_default="")
    claimed_until = models.DateTimeField(null=True)
    last_error = models.CharField(max_length=500, default="", db_default="")
    counted = models.BooleanField(default=False, db_default=False)

    class Meta:
        verbose_name = "outbox row"
        verbose_name_plural = "outbox"
        permissions = [("retry_outbox", "Can deliver changes again")]
        indexes = [
            # The relay and the overlay's build read what is not done; an at-commit driver its own subject.
            models.Index(fields=["id"], name="outbox_not_done", condition=Q(done_at__isnull=True)),
            models.Index(fields=["subject_id", "kind"], name="outbox_subject"),
            # The overlay's build reads what was done a moment ago; pruning reads the oldest.
            models.Index(fields=["done_at"], name="outbox_done", condition=Q(done_at__isnull=False)),
            # Recounting reads follows and likes that no count includes yet.
            models.Index(
                fields=["author_id"],
                name="outbox_uncounted",
                condition=Q(counted=False, kind__in=["followed", "unfollowed", "likes_changed"]),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.subject_id}"


class PulledAuthor(models.Model):
    """The interval of post ids in which an author is pulled: from `since_id` on, below `until_id`.

    `until_id` NULL: still open. One row an author, written only by feeds.threshold under a row lock, and
    never deleted: a list built before the close still lacks the ids of the interval.
    """

    author = models.OneToOneField(Account, models.CASCADE, primary_key=True, related_name="pulled")
    since_id = models.BigIntegerField()
    until_id = models.BigIntegerField(null=True)
    opened_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(until_id__isnull=True) | Q(until_id__gt=models.F("since_id")),
                name="pulled_interval_not_empty",
            )
        ]

    def __str__(self) -> str:
        return f"{self.author_id} pulled {'now' if self.until_id is None else 'until ' + str(self.until_id)}"


class Crossing(models.Model):
    """An author crossed the threshold: `opened`, is pulled from then on, or is pushed again. `followers` and
    `threshold` are what decided. Written with the interval, in its transaction; kept for CROSSINGS_KEPT_DAYS.
    """

    author = models.ForeignKey(Account, models.CASCADE, related_name="crossings", db_index=False)
    opened = models.BooleanField()
    at = models.DateTimeField()
    followers = models.PositiveIntegerField()
    threshold = models.PositiveIntegerField()

    class Meta:
        indexes = [
            # An author's own history, and erasing her.
            models.Index(fields=["author", "-id"], name="crossing_author"),
            # Pruning finds the oldest, a page of history the newest.
            models.Index(fields=["at"], name="crossing_at"),
        ]

    def __str__(self) -> str:
        return f"{self.author_id} {'pulled' if self.opened else 'pushed'} at {self.followers}"


class FeedSettings(models.Model):
    """The one row of what is in force everywhere. NULL threshold: FANOUT_THRESHOLD.

    `freshness_target` and `read_budget` are what the staff's page measures a threshold by; no code obeys them.
    `inactive_after` (seconds) is a copy of FEED_INACTIVE_AFTER: the window must be the same in every process,
    and shortening it takes an order of steps (feeds.threshold.apply_inactive_after). Raising `epoch` makes
    every stored list unreachable.
    """

    id = models.SmallIntegerField(primary_key=True, default=1, editable=False)
    threshold = models.PositiveIntegerField(
        null=True,
        blank=True,
        validators=[MinValueValidator(1)],
        help_text="Authors with at least this many followers are pulled (read on opening a feed) instead of "
        "pushed. Empty: the default of this installation. In force everywhere within 5 seconds.",
    )
    threshold_set_at = models.DateTimeField(null=True, editable=False)
    hysteresis = models.FloatField(
        default=0.8,
        db_default=0.8,
        validators=[MinValueValidator(0.5), MaxValueValidator(1)],
        help_text="Share of the threshold, 0.5 to 1. A pulled author who loses followers is pushed again below "
        "this share of it, so that one at the border does not cross with every follower.",
    )
    freshness_target = models.FloatField(
        default=1.0,
        db_default=1.0,
        validators=[MinValueValidator(0.05), MaxValueValidator(600)],
        help_text="Seconds, 0.05 to 600. The largest push job ought to be done within it. Readers see a new menu at "
        "once in any case; until the job is done, every read carries it along.",
    )
    read_budget = models.FloatField(
        default=10.0,
        db_default=10.0,
        validators=[MinValueValidator(0.5), MaxValueValidator(10_000)],
        help_text="Milliseconds, 0.5 to 10,000. What the feed of a viewer who follows many pulled authors (the 99th "
        "percentile) ought to cost at most.",
    )
    inactive_after = models.PositiveIntegerField(db_default=14 * 86400, editable=False)
    epoch = models.BigIntegerField(default=1, db_default=1, editable=False)

    class Meta:
        verbose_name = verbose_name_plural = "feed settings"
        permissions = [
            ("verify_feeds", "Can compare feeds with the reference query"),
            ("rebuild_feeds", "Can have feeds built anew"),
        ]
        constraints = [
            models.CheckConstraint(condition=Q(id=1), name="feed_settings_one_row"),
            models.CheckConstraint(
                condition=Q(threshold__isnull=True) | Q(threshold__gte=1), name="threshold_ge_1"
            ),
            models.CheckConstraint(
                condition=Q(hysteresis__gte=0.5, hysteresis__lte=1), name="hysteresis_is_a_share"
            ),
        ]

    def __str__(self) -> str:
        return "feed settings"


class RankingSettings(models.Model):
    """The one row of what ranks the second order of the feed. `weights` holds those that staff have set, by name; the
    others have the defaults of the ranker (feeds.ranking.weights)."""

    id = models.SmallIntegerField(primary_key=True, default=1, editable=False)
    weights = models.JSONField(default=dict)

    class Meta:
        verbose_name = verbose_name_plural = "ranking"
        constraints = [models.CheckConstraint(condition=Q(id=1), name="ranking_settings_one_row")]

    def __str__(self) -> str:
        return "ranking"


class Seen(models.Model):
    """The menus that `viewer_id` has seen in its feed on a day (UTC), each once, with the moments at which that was
    noted, in seconds since 1970. Kept for SEEN_KEPT_DAYS (feeds.seen); no menu and no account is kept from going by
    it."""

    viewer_id = models.BigIntegerField()
    day = models.DateField()
    post_ids = ArrayField(models.BigIntegerField())
    moments = ArrayField(models.BigIntegerField())

    class Meta:
        constraints = [
            # Its index serves "what has this viewer seen of late".
            models.UniqueConstraint(fields=["viewer_id", "day"], name="seen_once_a_day"),
        ]
        indexes = [models.Index(fields=["day"], name="seen_by_day")]  # pruning

    def __str__(self) -> str:
        return f"{self.viewer_id} on {self.day}"


class Exposure(models.Model):
    """How many accounts have seen a menu in their feed, and opened it; kept while it may be ranked, and a while."""

    post_id = models.BigIntegerField(primary_key=True)
    impressions = models.IntegerField(default=0, db_default=0)
    openings = models.IntegerField(default=0, db_default=0)

    def __str__(self) -> str:
        return f"menu {self.post_id}"


class SettingsChange(models.Model):
    """Who has set what, and why; never changed, never deleted. `old` and `new` as people read them; `by_name` stays
    when the account has gone, and is empty for a command."""

    at = models.DateTimeField(db_default=Now())
    by = models.ForeignKey(Account, models.SET_NULL, null=True, related_name="+")
    by_name = models.CharField(max_length=30, default="", db_default="")
    field = models.CharField(max_length=40)
    old = models.CharField(max_length=60)
    new = models.CharField(max_length=60)
    reason = models.CharField(max_length=300)

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"{self.field}: {self.old} → {self.new}"
