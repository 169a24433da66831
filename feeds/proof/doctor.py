"""Why a viewer does, or does not, see a post: what the rules say, where the id is, how it was delivered, and what the
feed shows."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import connection
from django.db.models import BooleanField, ExpressionWrapper, Q
from django.utils import timezone

from feeds.cards import PostCard
from feeds.cursor import Place, page_cursor
from feeds.epoch import current_epoch
from feeds.keys import Keys
from feeds.lists import ListsUnavailable, commands, keys_at
from feeds.models import FeedSettings, Outbox, PulledAuthor
from feeds.overlay import Overlay
from feeds.reading import LOOKING, SignedOut, read_feed
from feeds.relations import Relations
from feeds.threshold import Interval, current_threshold, is_pushed, settling_seconds
from posts.ids import MAX_ID, time_of
from posts.models import Post
from social.models import Account, Follow, Mute
from social.paging import MAX_LIMIT
from social.rules import IN_FORCE, blocked_with, followed_by, in_feed, may_see, muted_by

MOST_PAGES = 1000


@dataclass(frozen=True, slots=True)
class Finding:
    """One line: what was looked at, and what was found. `holds` None: neither good nor bad by itself."""

    name: str
    value: str
    holds: bool | None = None


@dataclass
class Diagnosis:
    """`wanted`: the rules put the post into the feed; `shown`: the feed shows it (None: the viewer has none)."""

    viewer: Account
    post_id: int
    wanted: bool = False
    shown: bool | None = None
    rules: list[Finding] = field(default_factory=list)
    places: list[Finding] = field(default_factory=list)
    delivery: list[Finding] = field(default_factory=list)

    @property
    def exact(self) -> bool:
        return self.shown is None or self.shown == self.wanted

    @property
    def verdict(self) -> str:
        if self.shown is None:
            return f"{self.viewer} cannot sign in, and so has no feed."
        sees = f"{self.viewer} {'sees' if self.shown else 'does not see'} menu {self.post_id}"
        if self.exact:
            return f"{sees}, and that is right."
        return f"{sees}, but by the rules it {'belongs' if self.wanted else 'does not belong'} into the feed."

    @property
    def closing(self) -> str:
        """The verdict, and which of the rules it rests on."""
        failing = [finding.name for finding in self.rules if finding.holds is False]
        return self.verdict + (f" What does not hold: {', '.join(failing)}." if failing else "")


def diagnose(viewer: Account, post_id: int, *, walk: bool = True) -> Diagnosis:
    """Everything there is to know about one post and one viewer; stores nothing and is no visit.

    `walk`: from the top to the post, as a reader comes by it; else only the page that begins with it is read, which
    takes as long for the first post ever written.
    """
    found = Diagnosis(viewer, post_id)
    post = Post.objects.select_related("author").filter(pk=post_id).first()
    found.rules = list(_rules(viewer, post_id, post))
    found.wanted = (
        post is not None and post.hidden_at is None and _author_is(in_feed(viewer.pk), post.author_id)
    )
    author_id = post.author_id if post else None
    found.delivery = list(_delivery(viewer, post_id, author_id))
    try:
        found.places = list(_places(keys_at(current_epoch()), viewer, post_id, author_id))
    except ListsUnavailable as error:
        found.places = [Finding("feed Redis", f"away ({error})")]
    try:
        found.shown = (is_shown if walk else begins_a_page)(viewer.pk, post_id)
    except SignedOut:
        found.shown = None
    return found


def is_shown(viewer_id: int, post_id: int) -> bool:
    """Whether a walk through the feed comes by the post. SignedOut."""
    cursor = None
    for _ in range(MOST_PAGES):
        page = read_feed(viewer_id, cursor=cursor, limit=MAX_LIMIT, mode=LOOKING)
        if any(item.post_id == post_id for item in page.items):
            return True
        cursor = page.next_cursor
        if cursor is None or (page.items and page.items[-1].post_id < post_id):
            return False
    return False


def begins_a_page(viewer_id: int, post_id: int) -> bool:
    """Whether a page that begins where the post ought to stand shows it. SignedOut."""
    # `newest` so high that the page does not read what is new as well.
    place = Place(min(post_id + 1, MAX_ID), newest=MAX_ID)
    cursor = page_cursor(settings.SECRET_KEY.encode(), viewer_id, place)
    page = read_feed(viewer_id, cursor=cursor, limit=1, mode=LOOKING)
    return any(item.post_id == post_id for item in page.items)


def _author_is(rule: Q, author_id: int) -> bool:
    return Account.objects.filter(rule, pk=author_id).exists()


# --- What the rules say ------------------------------------------------------------------------------------


def _rules(viewer: Account, post_id: int, post: Post | None) -> Iterator[Finding]:
    if post is None:
        yield Finding("the menu exists", "never written, or deleted", False)
        return
    author = post.author
    facts = _facts(viewer.pk, author.pk)
    own = author.pk == viewer.pk
    yield Finding("the menu exists", f"by {author}, written {_at(time_of(post_id))}", True)
    yield Finding(
        "not hidden by staff", _at(post.hidden_at) if post.hidden_at else "", post.hidden_at is None
    )
    yield Finding("its author is active", author.get_inactive_because_display() or "", author.is_active)
    yield Finding("neither blocks the other", "", not facts["blocked"])
    reason = "own" if own else "followed" if facts["followed"] else "private, and not followed"
    reason = "public" if not author.is_private else reason
    yield Finding("public, followed or own", reason, not author.is_private or facts["followed"] or own)
    yield Finding("so it may be seen", "", facts["may_see"] and post.hidden_at is None)
    follow = Follow.objects.filter(follower=viewer, followee=author).first()
    since = "own" if own else f"since {_at(follow.created_at)}" if follow else "not followed"
    yield Finding("own, or followed", since, own or facts["followed"])
    mute = Mute.objects.filter(IN_FORCE, muter=viewer, muted=author).first()
    until = (
        f"until {_at(mute.expires_at)}"
        if mute and mute.expires_at
        else "until further notice"
        if mute
        else ""
    )
    yield Finding("no mute in force", until, own or not facts["muted"])


def _facts(viewer_id: int, author_id: int) -> dict[str, Any]:
    rules = {
        "blocked": blocked_with(viewer_id),
        "followed": followed_by(viewer_id),
        "muted": muted_by(viewer_id),
        "may_see": may_see(viewer_id),
    }
    wrapped = {name: ExpressionWrapper(rule, BooleanField()) for name, rule in rules.items()}
    return Account.objects.filter(pk=author_id).annotate(**wrapped).values(*wrapped).get()


# --- Where the id is ---------------------------------------------------------------------------------------


def _places(keys: Keys, viewer: Account, post_id: int, author_id: int | None) -> Iterator[Finding]:
    opened = commands.open_feed(keys, viewer.pk, overlay_position=0, below=post_id + 1, limit=1)
    if author_id == viewer.pk:
        yield Finding("stored feed", "holds no own menus: those come from the author's timeline")
    else:
        yield _in_list("stored feed", opened.feed, post_id)
    if opened.feed.usable:
        left = timedelta(milliseconds=max(opened.feed_ms_left, 0))
        yield Finding("it expires", f"in {_span(left)} unless the viewer reads it")
    if author_id is not None:
        timeline = commands.open_feed(
            keys, author_id, overlay_position=0, below=post_id + 1, limit=1
        ).timeline
        yield _in_list("author's timeline", timeline, post_id)
    yield _in_overlay(Overlay().advanced(opened.overlay) or Overlay(), viewer.pk, post_id, opened.time_us)
    yield Finding("card", _card(keys, post_id))
    if opened.follows is None:
        yield Finding("stored follows", "none, the next read builds them")
    elif author_id is not None:
        relations = Relations.unpack(opened.follows)
        muted = ", muted" if relations.mutes(author_id, opened.time_us) else ""
        yield Finding(
            "stored follows", f"{'with' if author_id in relations else 'without'} the author{muted}"
        )


def _in_list(name: str, stored: commands.StoredList, post_id: int) -> Finding:
    if stored.floor is None:
        return Finding(name, "none that proves anything, the next read builds it")
    place = "holds it" if stored.ids[:1] == [post_id] else "does not hold it"
    known = "complete there" if post_id > stored.floor else "which lies below what it is complete for"
    return Finding(name, f"{place}, floor {stored.floor}, {known}")


def _in_overlay(overlay: Overlay, viewer_id: int, post_id: int, now_us: int) -> Finding:
    listed = [
        name
        for name, there in {
            "the menu as published": post_id in overlay.published,
            "the menu as changed": post_id in overlay.changed,
            "the viewer, whose follows or mutes changed": viewer_id in overlay.viewers,
        }.items()
        if there
    ]
    if overlay.mark is None:
        mark = "no mark"
    else:
        left = (overlay.mark.valid_until_us - now_us) / 1e6
        mark = f"mark valid for {left:.1f} s" if left > 0 else "mark has lapsed, the next read builds it"
    return Finding("overlay", f"lists {', '.join(listed) or 'neither menu nor viewer'}; {mark}")


def _card(keys: Keys, post_id: int) -> str:
    [stored] = commands.get_values(keys, [keys.card(post_id)])
    if stored is None:
        return "none, the next read renders it"
    card = PostCard.parse(stored)
    return "says that it is gone" if card.gone else "says that it is hidden" if card.hidden else "stored"


# --- How it was delivered ----------------------------------------------------------------------------------


def _delivery(viewer: Account, post_id: int, author_id: int | None) -> Iterator[Finding]:
    if author_id is not None:
        yield _interval(post_id, author_id)
    row = Outbox.objects.filter(kind=Outbox.Kind.PUBLISHED, subject_id=post_id).order_by("-id").first()
    if author_id is not None or row is not None:
        yield Finding("fan-out", "no outbox row: pruned, or imported" if row is None else _progress(row))
    window = FeedSettings.objects.values_list("inactive_after", flat=True).filter(pk=1).first() or 0
    seen = viewer.last_seen
    active = seen is not None and (timezone.now() - seen).total_seconds() < window
    yield Finding(
        "viewer",
        f"last seen {_at(seen) if seen else 'never'}: {'is' if active else 'is not'} pushed to"
        f" (away after {_span(timedelta(seconds=window))})",
    )


def _interval(post_id: int, author_id: int) -> Finding:
    row = PulledAuthor.objects.filter(author_id=author_id).first()
    followers = Account.objects.values_list("follower_count", flat=True).get(pk=author_id)
    threshold = f"{followers:,} followers, threshold {current_threshold():,}"
    if row is None:
        return Finding("author", f"never pulled, so pushed ({threshold})")
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        settled = (cursor.fetchone()[0] - row.opened_at).total_seconds() > settling_seconds()
    pushed = is_pushed(post_id, Interval(row.since_id, row.until_id, settled))
    since = f"{row.since_id} ({_at(time_of(row.since_id))})"
    until = f"until {row.until_id} ({_at(time_of(row.until_id))})" if row.until_id else "and still is"
    return Finding(
        "author",
        f"pulled from {since} {until}: this menu is {'pushed' if pushed else 'pulled'} ({threshold})",
    )


def _progress(row: Outbox) -> str:
    state = f"done {_at(row.done_at)}" if row.done_at else f"not done, up to follower {row.checkpoint}"
    working = f", {row.claimed_by} is at it" if row.claimed_by else ""
    error = f"; last error: {row.last_error}" if row.last_error else ""
    attempts = "1 attempt" if row.attempts == 1 else f"{row.attempts} attempts"
    return f"{state} after {attempts}{working}{error}"


def _span(span: timedelta) -> str:
    return f"{span.days} days" if span.days > 1 else f"{span.total_seconds():,.0f} s"


def _at(moment: datetime) -> str:
    return timezone.localtime(moment).strftime("%Y-%m-%d %H:%M:%S %Z")
