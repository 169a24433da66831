"""The first page of a new account: cooks to follow, several by one press."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods

from social.discovery import CookLine, suggest_cooks
from social.errors import Refusal
from social.models import Account
from social.services import FollowState, follow_account
from social.viewing import for_signed_in, show, the_signed_in

OFFERED = 12


@require_http_methods(["GET", "HEAD", "POST"])
@for_signed_in
def welcome(request: HttpRequest) -> HttpResponse:
    """Offers cooks, those of one's own city first; leads on to Today's menus, also where there is nobody to offer."""
    account = the_signed_in(request)
    if request.method == "POST":
        _say(request, *_follow(account, _chosen(request)))
        return redirect("home")
    lines = suggest_cooks(account.pk, city=account.city, limit=OFFERED)
    near = [line for line in lines if _is_near(line, account)]
    others = [line for line in lines if not _is_near(line, account)]
    if not lines:
        return redirect("home")
    return show(request, "social/welcome.html", {"account": account, "near": near, "others": others})


def _is_near(line: CookLine, account: Account) -> bool:
    return bool(account.city) and line.account.city.casefold() == account.city.casefold()


def _chosen(request: HttpRequest) -> list[int]:
    """Ids of the ticked cooks, each once; what is no id is left out."""
    given = dict.fromkeys(request.POST.getlist("follow"))
    return [int(pk) for pk in given if pk.isascii() and pk.isdecimal() and len(pk) < 19][:OFFERED]


def _follow(account: Account, chosen: list[int]) -> tuple[int, int, int]:
    """How many are followed now, are asked, and were refused: one that is refused stops no other."""
    done: list[FollowState | None] = []
    for pk in chosen:
        try:
            done.append(follow_account(follower=account, followee_id=pk))
        except Refusal:
            done.append(None)
    return done.count(FollowState.FOLLOWING), done.count(FollowState.REQUESTED), done.count(None)


def _say(request: HttpRequest, followed: int, asked: int, refused: int) -> None:
    if followed:
        words = ngettext("You follow %(n)d cook now.", "You follow %(n)d cooks now.", followed)
        messages.success(request, words % {"n": followed})
    if asked:
        words = ngettext(
            "%(n)d cook is private and is asked first.", "%(n)d cooks are private and are asked first.", asked
        )
        messages.success(request, words % {"n": asked})
    if refused:
        words = ngettext(
            "%(n)d cook could not be followed and may be gone. Look for others under Cooks.",
            "%(n)d cooks could not be followed and may be gone. Look for others under Cooks.",
            refused,
        )
        messages.warning(request, words % {"n": refused})
