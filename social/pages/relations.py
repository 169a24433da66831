"""What a press on a button does to another account: follow, mute, block, accept, and their opposites.

Each leads back to the page it was pressed on. For htmx, following answers with the parts of the page that changed.
"""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST

from social import services
from social.discovery import count_followers
from social.errors import InvalidInput, Refusal
from social.models import Account
from social.relations import get_account_with_relation_by_name
from social.viewing import for_signed_in, safe_next, show, show_refusal, the_signed_in

# Of a press, its viewer and the account that it is about.
Change = Callable[[HttpRequest, Account, Account], Any]
Answer = Callable[[HttpRequest, Account], HttpResponse]


@require_POST
@for_signed_in
def follow(request: HttpRequest, username: str) -> HttpResponse:
    return _change_follow(request, username, services.follow_account)


@require_POST
@for_signed_in
def unfollow(request: HttpRequest, username: str) -> HttpResponse:
    return _change_follow(request, username, services.unfollow_account)


def _change_follow(request: HttpRequest, username: str, change: Callable[..., Any]) -> HttpResponse:
    viewer = the_signed_in(request)
    try:
        before = get_account_with_relation_by_name(viewer_id=viewer.pk, username=username)
        state = change(follower=viewer, followee_id=before.pk)
    except Refusal as refusal:
        return show_refusal(request, refusal)
    next_page = safe_next(request, reverse("profile", args=[before.username]))
    if getattr(request, "htmx", False):
        before.follower_count = count_followers(before)
        relation = {"following": state == "following", "requested": state == "requested"}
        context = {"account": before, "relation": relation, "before": before.relation, "next": next_page}
        return show(request, "social/_followed.html", context)
    return HttpResponseRedirect(next_page)


def pressed(
    change: Change, words: Any, *, undo: str = "", answer: Answer | None = None
) -> Callable[..., HttpResponse]:
    """A view that does `change` to the account of the address and says `words` about it.

    `undo` is the name of the address that takes it back, offered with the words; `answer` is for htmx.
    """

    @require_POST
    @for_signed_in
    def view(request: HttpRequest, username: str) -> HttpResponse:
        viewer = the_signed_in(request)
        try:
            account = get_account_with_relation_by_name(viewer_id=viewer.pk, username=username)
            change(request, viewer, account)
        except Refusal as refusal:
            return show_refusal(request, refusal)
        if answer and getattr(request, "htmx", False):
            return answer(request, account)
        way_back = reverse(undo, args=[account.username]) if undo else ""
        messages.success(request, words % {"name": account.display_name}, extra_tags=way_back)
        return HttpResponseRedirect(safe_next(request, reverse("profile", args=[account.username])))

    return view


def _mute(request: HttpRequest, viewer: Account, account: Account) -> None:
    given = request.POST.get("expires_in", "")
    if given and not (given.isascii() and given.isdecimal() and len(given) < 12):
        raise InvalidInput(_("Choose for how long."))
    services.mute_account(muter=viewer, muted_id=account.pk, expires_in=int(given) if given else None)


def _muted(request: HttpRequest, account: Account) -> HttpResponse:
    """What stands in the feed where the cook's menu was, with the way back."""
    context = {
        "account": account,
        "expires_in": request.POST.get("expires_in"),
        "next": safe_next(request, reverse("home")),
    }
    return show(request, "social/_muted.html", context)


mute = pressed(
    _mute, gettext_lazy("You will not see menus of %(name)s in Today."), undo="unmute", answer=_muted
)
unmute = pressed(
    lambda request, viewer, account: services.unmute_account(muter=viewer, muted_id=account.pk),
    gettext_lazy("Menus of %(name)s are back in Today."),
    answer=lambda request, account: HttpResponse(),
)
block = pressed(
    lambda request, viewer, account: services.block_account(blocker=viewer, blocked_id=account.pk),
    gettext_lazy("Done. %(name)s is not told."),  # the profile, where it leads back to, says the rest
)
unblock = pressed(
    lambda request, viewer, account: services.unblock_account(blocker=viewer, blocked_id=account.pk),
    gettext_lazy("You no longer block %(name)s."),
)
accept = pressed(
    lambda request, viewer, account: services.accept_request(followee=viewer, follower_id=account.pk),
    gettext_lazy("%(name)s follows you now."),
)
reject = pressed(
    lambda request, viewer, account: services.reject_request(followee=viewer, follower_id=account.pk),
    gettext_lazy("The request of %(name)s is gone."),
)
remove = pressed(
    lambda request, viewer, account: services.remove_follower(followee=viewer, follower_id=account.pk),
    gettext_lazy("%(name)s no longer follows you."),
)
