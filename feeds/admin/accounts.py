"""An account's feed for staff: as it is stored beside the reference, what the account's own menus do, and buttons."""

import threading

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_GET, require_POST

from feeds.admin.account_feed import ORIGINS, page_of
from feeds.admin.pages import note, show, staff_page
from feeds.admin.parts import Part, Parts
from feeds.lists import ListsUnavailable
from feeds.proof.doctor import Diagnosis, diagnose
from feeds.proof.one_feed import is_longer_than
from feeds.proof.verify import Tally, verify_viewers
from feeds.rebuilding import delete_feeds
from posts.admin.lines import typed_id
from social.models import Account

SEE = ("social.view_account", "posts.view_post", "feeds.view_feedsettings")
MOST_COMPARED = 5000  # menus of a feed that is compared within a request: 5 s where nothing is warm
COMPARING_SECONDS = 20
# A comparison keeps a processor busy for seconds: one at a time in each process.
_comparing = threading.Lock()


@staff_page(*SEE)
@require_GET
def account_feed(request: HttpRequest, account_id: int) -> HttpResponse:
    account = _account(account_id)
    context = page_of(account) | {"most_compared": f"{MOST_COMPARED:,}"}
    return show(
        request,
        "admin/feeds/account.html",
        f"The feed of {account}",
        _trail(account),
        account=account,
        **context,
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
    if menus == 1:
        return f"The one menu of the feed of {account} equals the reference, in what is shown of it too."
    return f"All {menus:,} menus of the feed of {account} equal the reference, in order and in what is shown of each."


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
