"""What staff are told of an account's feed, in sentences. Values in, words out."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from feeds.audience import Author
from feeds.models import Crossing, PulledAuthor
from feeds.proof.one_feed import Row, StoredFeed, Viewer
from posts.ids import time_of
from posts.reach import Reach
from social.times import staff_time


def many(number: int, one: str, more: str = "") -> str:
    """ "1 menu", "1,200 menus" """
    return f"{number:,} {one if number == 1 else more or one + 's'}"


def span(duration: timedelta) -> str:
    """ "14 days", "3 hours", "40 seconds": rounded down, one unit."""
    seconds = max(0, int(duration.total_seconds()))
    for unit, length in (("day", 86400), ("hour", 3600), ("minute", 60)):
        if seconds >= length:
            return many(seconds // length, unit)
    return many(seconds, "second")


def how_stored(viewer: Viewer, stored: StoredFeed | None, *, now: datetime) -> str:
    """Whether the feed is stored; if not, why, and what happens next."""
    if stored is not None:
        if stored.floor == 0:
            return "is stored, complete down to the first menu ever"
        return f"is stored, complete down to {staff_time(time_of(stored.floor))}"
    seen = viewer.account.last_seen
    if seen is None:
        return "is not stored: it was never opened, and its first visit builds it"
    if viewer.is_pushed_to:
        return "is not stored at the moment: the next visit builds it"
    return f"is not stored: the last visit was {span(now - seen)} ago, and the next one builds it"


def how_exact(rows: Sequence[Row]) -> str:
    """Whether the newest menus equal the reference."""
    if not rows:
        return "it is empty, as by the reference"
    missing = sum(row.wanted and row.differs for row in rows)
    extra = sum(not row.wanted and row.differs for row in rows)
    if missing or extra:
        parts = [many(missing, "menu is", "menus are") + " missing"] * bool(missing)
        parts += [many(extra, "menu is", "menus are") + " there that should not be"] * bool(extra)
        return f"it differs from the reference: {' and '.join(parts)}"
    newest = "its newest menu equals" if len(rows) == 1 else f"its newest {len(rows)} menus equal"
    return f"{newest} the reference"


def whether_pushed_to(viewer: Viewer) -> str:
    """Whether new menus are put into the feed; why not."""
    seen, window = viewer.account.last_seen, span(viewer.window)
    if not viewer.account.is_active:
        return "No: the account is off."
    if seen is None:
        return "No: it has never opened its feed."
    if viewer.is_pushed_to:
        return f"Yes: its last visit was within {window}."
    return f"No: its last visit was longer than {window} ago. Its next visit finds everything all the same."


def whom_it_follows(viewer: Viewer) -> str:
    if not viewer.follows:
        return "Nobody: only its own menus, if it writes any, are in its feed."
    return many(viewer.follows, "account")


def interval_of(author: Author) -> str:
    """Whether an author's menus are pushed, and since when."""
    if author.interval is None:
        return "Pushed, and was never pulled: each new menu is put into the feeds of its followers."
    return interval_in_words(author.interval)


def interval_in_words(interval: PulledAuthor) -> str:
    since = staff_time(time_of(interval.since_id))
    if interval.until_id is None:
        return f"Pulled since {since}: new menus are in nobody's stored feed; each feed finds them when it is opened."
    until = staff_time(time_of(interval.until_id))
    return (
        f"Pushed again since {until}: each new menu is put into the feeds of its followers. Its menus of {since} to "
        f"{until}, when it was pulled, are found when a feed is opened."
    )


def crossing(made: Crossing) -> str:
    numbers = f"{many(made.followers, 'follower')}, threshold {made.threshold:,}"
    return f"{'Pulled' if made.opened else 'Pushed'} from then on ({numbers})"


def how_delivered(reach: Reach) -> str:
    """How far a menu has come."""
    followers = many(reach.followers, "follower")
    if reach.when_they_look:
        return f"Pulled: {followers} find it when they look" if reach.followers else "Pulled: nobody follows"
    if reach.reached is not None:
        return f"On its way: pushed to {reach.reached:,} of {followers}"
    return f"Pushed to {followers}" if reach.followers else "Nobody follows"
