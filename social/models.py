"""Accounts and who follows whom. These tables are the truth; everything the feed keeps is derived from them."""

from typing import Any, ClassVar

from django.conf import settings
from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.contrib.auth.models import PermissionsMixin
from django.contrib.postgres.indexes import OpClass
from django.core.validators import RegexValidator, URLValidator
from django.db import models, transaction
from django.db.models import F, Q
from django.db.models.functions import Now, Upper
from django.utils.translation import gettext_lazy as _

from social.zones import validate_zone

USERNAME_LENGTH = 30
username_rule = RegexValidator(
    r"^[a-z0-9](?:[a-z0-9._-]{0,28}[a-z0-9_])?\Z",
    _("Use 1 to 30 small letters, digits, dots, dashes or underscores; begin with a letter or digit."),
)


class AccountManager(BaseUserManager["Account"]):
    def create_user(self, username: str, password: str | None = None, **fields: Any) -> "Account":
        account = self.model(username=self.model.normalize_username(username), **fields)
        account.set_password(password)
        account.save(using=self._db)
        return account

    def create_superuser(self, username: str, password: str | None = None, **fields: Any) -> "Account":
        return self.create_user(username, password, is_staff=True, is_superuser=True, **fields)

    def get_by_natural_key(self, username: str | None) -> "Account":
        return self.get(username=self.model.normalize_username(username or ""))


class Account(AbstractBaseUser, PermissionsMixin):
    """A customer, a cook, or both. `is_cook` says who may publish menus.

    `is_active` off hides the account and its menus; `inactive_because` says who may switch it on again.
    `auth_version` is in every session and token; raising it ends them all, and a new password does. It never falls
    (social/keep_auth_version.sql). `follower_count` is recounted a
    moment after follows change. `last_seen` decides whose feed is kept (NULL: never read a feed).
    """

    class Inactive(models.TextChoices):
        DEACTIVATED = "deactivated", "deactivated by its owner"
        SUSPENDED = "suspended", "suspended by staff"
        ERASING = "erasing", "being erased"

    username = models.CharField(
        max_length=USERNAME_LENGTH,
        unique=True,
        validators=[username_rule],
        error_messages={"unique": _("This username is taken.")},
    )
    email = models.EmailField(blank=True)
    display_name = models.CharField(max_length=60)
    bio = models.CharField(max_length=500, blank=True)
    city = models.CharField(max_length=60, blank=True)
    cuisine = models.CharField(max_length=60, blank=True)
    avatar_url = models.CharField(max_length=300, blank=True)
    order_url = models.CharField(
        max_length=300, blank=True, validators=[URLValidator(schemes=["http", "https"])]
    )
    time_zone = models.CharField(max_length=60, default="UTC", validators=[validate_zone])
    language = models.CharField(max_length=8, choices=settings.LANGUAGES, default="en", db_default="en")
    is_cook = models.BooleanField("cook", default=False)
    is_private = models.BooleanField("private", default=False)
    is_staff = models.BooleanField("staff", default=False)
    is_active = models.BooleanField("active", default=True, help_text="Off hides the account and its menus.")
    inactive_because = models.CharField(
        max_length=12, choices=Inactive, blank=True, default="", db_default="", editable=False
    )
    auth_version = models.PositiveIntegerField(default=1)
    follower_count = models.PositiveIntegerField(default=0, db_default=0)
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    last_seen = models.DateTimeField(null=True, blank=True)

    objects: ClassVar[AccountManager] = AccountManager()

    _password: str | None  # as it was typed, until it is saved
    _password_closed = False  # it was made unusable, and that is not saved yet

    USERNAME_FIELD = "username"
    REQUIRED_FIELDS: ClassVar[list[str]] = []

    class Meta:
        indexes = [
            # Admin and discovery search usernames by their beginning.
            models.Index(OpClass("username", name="text_pattern_ops"), name="account_username_prefix"),
            # Admin finds accounts by their whole name.
            models.Index(Upper("display_name"), name="account_display_name"),
            # The reconcile task finds authors around the threshold; pages list the most followed.
            models.Index(
                fields=["-follower_count", "id"], name="account_followers", condition=Q(is_cook=True)
            ),
            # Pages list the cooks of a city, and of a cuisine, the most followed first.
            models.Index(
                Upper("city"),
                F("follower_count").desc(),
                "id",
                name="account_cook_city",
                condition=Q(is_cook=True),
            ),
            models.Index(
                Upper("cuisine"),
                F("follower_count").desc(),
                "id",
                name="account_cook_cuisine",
                condition=Q(is_cook=True),
            ),
            # A request for a new password finds whose e-mail it is, in any case.
            models.Index(Upper("email"), name="account_email", condition=~Q(email="")),
            # The erasing task finds whom to go on with.
            models.Index(fields=["id"], name="account_erasing", condition=Q(inactive_because="erasing")),
        ]

    def __str__(self) -> str:
        return f"@{self.username}"

    @classmethod
    def normalize_username(cls, username: str) -> str:
        """Usernames are kept small, so that @Ana and @ana are one."""
        return str(super().normalize_username(username)).lower()

    def set_unusable_password(self) -> None:
        super().set_unusable_password()
        self._password_closed = True

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Saves; a new password, whoever has set it, ends all sessions and tokens. One that Django only hashes anew
        (`check_password`) is none: it forgets what was typed before it saves.
        """
        if self._state.adding or (self._password is None and not self._password_closed):
            super().save(*args, **kwargs)
            return
        with transaction.atomic():
            self.auth_version = self._auth_version_held() + 1
            if kwargs.get("update_fields") is not None:
                kwargs["update_fields"] = {*kwargs["update_fields"], "auth_version"}
            super().save(*args, **kwargs)
        self._password_closed = False

    def _auth_version_held(self) -> int:
        """As it is now, and until the transaction ends: of two who raise it at once the second raises it again."""
        held = type(self).objects.select_for_update(no_key=True).filter(pk=self.pk)
        return held.values_list("auth_version", flat=True).first() or self.auth_version

    def get_session_auth_hash(self) -> str:
        """What Django puts into a session at sign-in, and anew into the one in which a password was changed."""
        return str(self.auth_version)

    def get_short_name(self) -> str:
        return self.display_name or self.username


class Follow(models.Model):
    """`follower` follows `followee`. Lists of followers are paged by `id`, newest first."""

    follower = models.ForeignKey(Account, models.CASCADE, related_name="following_rows", db_index=False)
    followee = models.ForeignKey(Account, models.CASCADE, related_name="follower_rows", db_index=False)
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        constraints = [
            # Its index serves "whom does this viewer follow", index only.
            models.UniqueConstraint(
                fields=["follower", "followee"],
                name="follow_once",
                violation_error_message="This follow exists already.",
            ),
            models.CheckConstraint(
                condition=~Q(follower=F("followee")),
                name="follow_not_oneself",
                violation_error_message="An account cannot follow itself.",
            ),
        ]
        indexes = [
            # Fan-out reads an author's followers by keyset; recounting counts them, index only.
            models.Index(fields=["followee", "follower"], name="follow_followee_follower"),
            # A page of followers, newest first.
            models.Index(fields=["followee", "-id"], name="follow_received"),
        ]

    def __str__(self) -> str:
        return f"{self.follower_id} follows {self.followee_id}"


class FollowRequest(models.Model):
    """`follower` asks to follow `followee`, whose account is private. Paged by `id`, newest first."""

    follower = models.ForeignKey(Account, models.CASCADE, related_name="requests_sent", db_index=False)
    followee = models.ForeignKey(Account, models.CASCADE, related_name="requests_received", db_index=False)
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        constraints = [
            # Its index serves "has this viewer asked".
            models.UniqueConstraint(fields=["follower", "followee"], name="follow_request_once"),
            models.CheckConstraint(condition=~Q(follower=F("followee")), name="follow_request_not_oneself"),
        ]
        indexes = [
            # The list of requests that an account has received.
            models.Index(fields=["followee", "-id"], name="follow_request_received"),
        ]

    def __str__(self) -> str:
        return f"{self.follower_id} asks to follow {self.followee_id}"


class Block(models.Model):
    """`blocker` blocks `blocked`: neither sees the other's menus. No follow or request between them can exist
    beside it; the database holds that (social/keep_blocks.sql).
    """

    blocker = models.ForeignKey(Account, models.CASCADE, related_name="blocks_made", db_index=False)
    blocked = models.ForeignKey(Account, models.CASCADE, related_name="blocks_received", db_index=False)
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        constraints = [
            # Its index serves one direction of "does either block the other", and the list of blocked accounts.
            models.UniqueConstraint(fields=["blocker", "blocked"], name="block_once"),
            models.CheckConstraint(condition=~Q(blocker=F("blocked")), name="block_not_oneself"),
        ]
        indexes = [
            # The other direction.
            models.Index(fields=["blocked", "blocker"], name="block_blocked_blocker"),
        ]

    def __str__(self) -> str:
        return f"{self.blocker_id} blocks {self.blocked_id}"


class Mute(models.Model):
    """`muter` does not want `muted` in the feed, until `expires_at` (NULL: until further notice)."""

    muter = models.ForeignKey(Account, models.CASCADE, related_name="mutes_made", db_index=False)
    muted = models.ForeignKey(Account, models.CASCADE, related_name="mutes_received", db_index=False)
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    expires_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            # Its index serves "is this author muted", and the list of muted accounts.
            models.UniqueConstraint(fields=["muter", "muted"], name="mute_once"),
            models.CheckConstraint(condition=~Q(muter=F("muted")), name="mute_not_oneself"),
        ]
        indexes = [
            # Erasing an account finds who has muted it.
            models.Index(fields=["muted"], name="mute_muted"),
        ]

    def __str__(self) -> str:
        return f"{self.muter_id} mutes {self.muted_id}"


class TokenFamily(models.Model):
    """The refresh tokens that came of one sign-in, each exchanged for the next. Only the newest is honoured.

    A family that has ended is a row that is gone. `expires_at` is the newest token's.
    """

    account = models.ForeignKey(Account, models.CASCADE, related_name="token_families", db_index=False)
    newest = models.CharField(max_length=32, help_text="The id of the newest token, its `jti`.")
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    used_at = models.DateTimeField(db_default=Now(), editable=False)
    expires_at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "token families"
        indexes = [
            # A sign-in finds the account's oldest families, erasing all of them.
            models.Index(fields=["account", "-id"], name="token_family_account"),
            # Pruning finds what has expired.
            models.Index(fields=["expires_at"], name="token_family_expiry"),
        ]

    def __str__(self) -> str:
        return f"A sign-in of account {self.account_id}"


class PasswordMail(models.Model):
    """A mail that a worker has still to send. Somebody asks for a link to a new password: written whether or not
    anybody has that e-mail. Or `account` has another e-mail now, which the one of before is told.
    """

    class Kind(models.TextChoices):
        NEW_PASSWORD = "new_password"
        EMAIL_CHANGED = "email_changed"

    kind = models.CharField(
        max_length=16, choices=Kind, default=Kind.NEW_PASSWORD, db_default=Kind.NEW_PASSWORD
    )
    email = models.CharField(max_length=254)
    site = models.CharField(max_length=300, help_text="Where it was asked for, such as https://example.org/.")
    account = models.ForeignKey(Account, models.CASCADE, null=True, related_name="+")
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    due_at = models.DateTimeField(
        db_default=Now(), help_text="When a worker may take it, again if it failed."
    )
    tries = models.PositiveSmallIntegerField(default=0, db_default=0)

    class Meta:
        indexes = [
            # The worker takes what is due.
            models.Index(fields=["due_at"], name="password_mail_due"),
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} for {self.email}"
