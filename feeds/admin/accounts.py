"""An account's feed for staff: as it is stored beside the reference, what the account's own menus do, and buttons."""

import threading
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_GET, require_POST

from feeds.admin import wording
from feeds.admin.pages import note, show, staff_page
from feeds.admin.parts import Part, Parts
from feeds.audience import DAYS, MOST_FOLLOWS, Growth, get_author, get_growth
from feeds.lists import ListsUnavailable
from feeds.proof.doctor import Diagnosis, diagnose
from feeds.proof.one_feed import (
    Row,
    StoredFeed,
    Viewer,
    compare_newest,
    get_stored_feed,
    get_viewer,
    is_longer_than,
)
from feeds.proof.verify import Tally, verify_viewers
from feeds.rebuilding import delete_feeds
from posts.admin.lines import shortened, typed_id
from posts.ids import time_of
from social.models import Account
from social.times import staff_time

SEE = ("social.view_account", "posts.view_post", "feeds.view_feedsettings")
MOST_COMPARED = 5000  # menus of a feed that is compared within a request: 5 s where nothing is warm
COMPARING_SECONDS = 20
ORIGINS = {
    "own": "own",
    "pushed": "pushed",
    "pulled": "pulled",
    "overlay": "overlay",
    "database": "PostgreSQL",
}

# A comparison keeps a processor busy for seconds: one at a time in each process.
_comparing = threading.Lock()


@staff_page(*SEE)
@require_GET
def account_feed(request: HttpRequest, account_id: int) -> HttpResponse:
    account, parts, now = _account(account_id), Parts(), timezone.now()
    viewer = parts.read(lambda: get_viewer(account))
    stored = parts.read(lambda: get_stored_feed(account.pk))
    rows: Part[list[Row]] = Part(None)
    if account.is_active:
        rows = parts.read(lambda: compare_newest(account.pk))
    author = parts.read(lambda: get_author(account))
    growth = parts.read(lambda: get_growth(account.pk, now=now))
    answer, fine = _answer(account, viewer, stored, rows)
    return show(
        request,
        "admin/feeds/account.html",
        f"The feed of {account}",
        _trail(account),
        account=account,
        answer=answer,
        fine=fine,
        facts=_facts(account, viewer, stored),
        rows=rows,
        lines=[_row(row) for row in rows.value or ()],
        author=author,
        author_facts=_author_facts(author.value) if author.value else (),
        menus=[_menu(delivery) for delivery in author.value.menus] if author.value else (),
        growth=growth,
        growth_words=_growth_words(growth.value) if growth.value else "",
        most_compared=f"{MOST_COMPARED:,}",
    )


def _account(account_id: int) -> Account:
    account = Account.objects.filter(pk=account_id).first()
    if account is None:
        raise Http404("There is no such account.")
    return account


def _trail(account: Account) -> list[tuple[str, str]]:
    return [
        ("Accounts", reverse("admin:social_account_changelist")),
        (str(account), reverse("admin:social_account_change", args=[account.pk])),
    ]


def _address(account: Account) -> str:
    return reverse("admin:account-feed", args=[account.pk])


# --- What the page says ------------------------------------------------------------------------------------------


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


def _about(post: Any) -> dict[str, Any]:
    if post is None:
        return {"text": "deleted a moment ago", "menu": ""}
    return {
        "text": shortened(post.text) or str(post),
        "menu": reverse("admin:posts_post_change", args=[post.pk]),
        "author": post.author,
        "written": staff_time(post.created_at),
    }


def _author_facts(author: Any) -> list[tuple[str, str]]:
    count = wording.many(author.account.follower_count, "follower")
    return [("Followers", count), ("How its menus come to them", wording.interval_of(author))] + [
        (staff_time(made.at), wording.crossing(made)) for made in author.crossings
    ]


def _menu(delivery: Any) -> dict[str, Any]:
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


# --- Buttons -----------------------------------------------------------------------------------------------------


@staff_page(*SEE, "feeds.verify_feeds")
@require_POST
def compare(request: HttpRequest, account_id: int) -> HttpResponse:
    """The whole feed, walked as its viewer would, beside the reference query."""
    account = _account(account_id)
    command = f"bin/manage verify_feeds --account {account.pk}"
    if not _comparing.acquire(blocking=False):
        return _refuse(request, account, "Another comparison is running. Try again in a few seconds.")
    try:
        compared = Parts(COMPARING_SECONDS, each=COMPARING_SECONDS / 2).read(lambda: _compared(account.pk))
    finally:
        _comparing.release()
    if compared.problem:
        return _refuse(request, account, f"{compared.problem} To compare it in any case: {command}")
    if (tally := compared.value) is None:
        words = f"This feed has more than {MOST_COMPARED:,} menus, too many for a page. Run: {command}"
        return _refuse(request, account, words)
    return show(
        request,
        "admin/feeds/compared.html",
        f"The whole feed of {account} beside the reference",
        [*_trail(account), ("Feed", _address(account))],
        account=account,
        tally=tally,
        answer=_outcome(account, tally),
        sources=[(ORIGINS[name], count) for name, count in tally.posts.most_common()],
        command=command,
    )


def _compared(viewer_id: int) -> Tally | None:
    """None: the feed is too long."""
    return None if is_longer_than(viewer_id, MOST_COMPARED) else verify_viewers([viewer_id])


def _outcome(account: Account, tally: Tally) -> str:
    if tally.skipped:
        return f"{account} is off, and so has no feed."
    menus = sum(tally.posts.values())
    if tally.differing:
        return f"The feed of {account} differs from the reference: {'; '.join(map(str, tally.differences))}."
    if not menus:
        return f"The feed of {account} is empty, as by the reference."
    all_of = "The one menu" if menus == 1 else f"All {menus:,} menus"
    return f"{all_of} of the feed of {account} equal the reference, in order and in what is shown of each."


@staff_page(*SEE)
@require_GET
def why(request: HttpRequest, account_id: int) -> HttpResponse:
    """Why the account sees a menu, or does not."""
    account, asked = _account(account_id), request.GET.get("menu", "")
    post_id = typed_id(asked)
    found: Part[Diagnosis] = Part(
        None, "Type the id of a menu: the number at the end of its address, /menus/…"
    )
    if post_id:
        found = Parts().read(lambda: diagnose(account, post_id, walk=False))
    tables = []
    if found.value is not None:
        tables = [
            ("What the rules say", found.value.rules),
            ("Where its id is", found.value.places),
            ("How it was delivered", found.value.delivery),
        ]
    title = f"Why {account} sees a menu, or not"
    trail = [*_trail(account), ("Feed", _address(account))]
    return show(
        request,
        "admin/feeds/why.html",
        title,
        trail,
        account=account,
        asked=asked,
        found=found,
        tables=tables,
    )


@staff_page(*SEE, "feeds.rebuild_feeds")
@require_POST
def rebuild(request: HttpRequest, account_id: int) -> HttpResponse:
    account = _account(account_id)
    try:
        delete_feeds([account.pk])
    except ListsUnavailable as error:
        return _refuse(request, account, f"The feed Redis is away, nothing was deleted: {error}")
    note(request, [account], "Stored feed deleted; the next visit builds it.")
    messages.success(
        request, f"What was stored of the feed of {account} is deleted. The next visit builds it anew."
    )
    return redirect(_address(account))


def _refuse(request: HttpRequest, account: Account, words: str) -> HttpResponse:
    messages.error(request, words)
    return redirect(_address(account))
