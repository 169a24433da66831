"""What the page of an account's feed says: the parts that it is made of, each bounded, and the words for them."""

from datetime import datetime
from typing import Any

from django.urls import reverse
from django.utils import timezone

from feeds.admin import wording
from feeds.admin.parts import Part, Parts
from feeds.audience import DAYS, MOST_FOLLOWS, Author, Delivery, Growth, get_author, get_growth
from feeds.drawing import Axis, Chart, Line
from feeds.proof.one_feed import Row, StoredFeed, Viewer, compare_newest, get_stored_feed, get_viewer
from posts.admin.lines import shortened
from posts.ids import time_of
from posts.models import Post
from social.models import Account
from social.times import staff_time

HALF_A_DAY = 43_200  # seconds
ORIGINS = {
    "own": "own",
    "pushed": "pushed",
    "pulled": "pulled",
    "overlay": "overlay",
    "database": "PostgreSQL",
}


def page_of(account: Account) -> dict[str, Any]:
    """The values of templates/admin/feeds/account.html."""
    parts, now = Parts(), timezone.now()
    viewer = parts.read(lambda: get_viewer(account))
    stored = parts.read(lambda: get_stored_feed(account.pk))
    rows: Part[list[Row]] = Part(None)
    if account.is_active:
        rows = parts.read(lambda: compare_newest(account.pk))
    author = parts.read(lambda: get_author(account))
    growth = parts.read(lambda: get_growth(account.pk, now=now))
    answer, fine = _answer(account, viewer, stored, rows)
    return {
        "answer": answer,
        "fine": fine,
        "facts": _facts(account, viewer, stored),
        "rows": rows,
        "lines": [_row(row) for row in rows.value or ()],
        "author": author,
        "author_facts": _author_facts(author.value) if author.value else (),
        "menus": [_menu(delivery) for delivery in author.value.menus] if author.value else (),
        "growth": growth,
        "growth_words": _growth_words(growth.value) if growth.value else "",
        "growth_chart": _growth_chart(account, growth.value) if growth.value and growth.value.total else None,
    }


def _answer(
    account: Account, viewer: Part[Viewer], stored: Part[StoredFeed | None], rows: Part[list[Row]]
) -> tuple[str, bool]:
    """In a sentence how the feed is, and whether that is as it should be."""
    if not account.is_active:
        return (
            f"{account} is {account.get_inactive_because_display() or 'inactive'}, and so has no feed.",
            True,
        )
    if viewer.value is None:
        return viewer.problem, False
    if stored.problem:
        how = "cannot be looked at where it is stored, and comes from PostgreSQL meanwhile"
    else:
        how = wording.how_stored(viewer.value, stored.value, now=timezone.now())
    if rows.value is None:
        return f"The feed of {account} {how}; it was not compared. {rows.problem}", False
    return f"The feed of {account} {how}; {wording.how_exact(rows.value)}.", not any(
        r.differs for r in rows.value
    )


def _facts(account: Account, viewer: Part[Viewer], stored: Part[StoredFeed | None]) -> list[tuple[str, str]]:
    facts = []
    if viewer.value is not None:
        seen = account.last_seen
        facts += [
            ("Last visit", f"{staff_time(seen)} (noted at most once a day)" if seen else "never"),
            ("New menus are pushed to it", wording.whether_pushed_to(viewer.value)),
            ("It follows", wording.whom_it_follows(viewer.value)),
        ]
    if stored.problem:
        facts.append(("Stored in Redis", stored.problem))
    elif stored.value is None:
        facts.append(("Stored in Redis", "nothing"))
    else:
        floor, menus = stored.value.floor, wording.many(len(stored.value.ids), "menu")
        below = "There is nothing below." if not floor else "What is below comes from PostgreSQL."
        complete = f"Every menu above id {floor} ({staff_time(time_of(floor))})" if floor else "Everything"
        facts += [
            ("Stored in Redis", f"{menus}, those that are gone or muted meanwhile among them"),
            ("Floor", f"{complete} is known to be there. {below}"),
            ("Expires", f"{staff_time(stored.value.expires_at)}, unless there is a visit before"),
        ]
    if account.is_private:
        facts.append(("Private", "Its own menus are seen only by followers that it has let in."))
    return facts


def _row(row: Row) -> dict[str, Any]:
    state = "" if not row.differs else "missing in the feed" if row.wanted else "should not be in the feed"
    return {"row": row, "origin": ORIGINS.get(row.origin, row.origin), "state": state} | _about(row.post)


def _about(post: Post | None) -> dict[str, Any]:
    if post is None:
        return {"text": "deleted a moment ago", "menu": ""}
    return {
        "text": shortened(post.text) or str(post),
        "menu": reverse("admin:posts_post_change", args=[post.pk]),
        "author": post.author,
        "written": staff_time(post.created_at),
    }


def _author_facts(author: Author) -> list[tuple[str, str]]:
    count = wording.many(author.account.follower_count, "follower")
    return [("Followers", count), ("How its menus come to them", wording.interval_of(author))] + [
        (staff_time(made.at), wording.crossing(made)) for made in author.crossings
    ]


def _menu(delivery: Delivery) -> dict[str, Any]:
    hidden = delivery.post.hidden_at
    return _about(delivery.post) | {
        "how": f"Hidden by staff since {staff_time(hidden)}"
        if hidden
        else wording.how_delivered(delivery.reach),
        "delivery": f"{reverse('admin:feeds_outbox_changelist')}?q={delivery.post.pk}",
    }


def _growth_words(growth: Growth) -> str:
    gained = wording.many(growth.total, "new follower")
    words = f"{gained} in {DAYS} days. Follows that were ended since are not counted."
    cut = f" Only the newest {MOST_FOLLOWS:,} follows were looked at: the first days may lack some."
    return words + (cut if growth.cut else "")


def _growth_chart(account: Account, growth: Growth) -> Chart:
    """A bar for each day, at its midnight; the axis reaches half a day further, so that the outer bars are whole."""
    points = [(timezone.make_aware(datetime(d.year, d.month, d.day)).timestamp(), n) for d, n in growth.days]
    return Chart(
        f"New followers of {account}, by day",
        x=Axis("Day", times=True, low=points[0][0] - HALF_A_DAY, high=points[-1][0] + HALF_A_DAY),
        y=Axis("New followers", low=0),
        lines=[Line("new followers", points, kind="bars")],
    )
