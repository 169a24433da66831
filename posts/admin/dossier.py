"""What an account's page in admin says of its menus, and of what was reported of them."""

from django.http import HttpRequest
from django.urls import reverse

from posts.admin.lines import NEWEST, line_of, line_of_report
from posts.models import Post, Report
from social.models import Account
from social.staff.dossiers import Panel, tell_of_accounts_by

MENUS_LOOKED_AT = 500  # of a cook: what was reported of older ones is in the list of all reports


def panels(request: HttpRequest, account: Account) -> list[Panel]:
    told = []
    if request.user.has_perm("posts.view_report"):
        told.append(_reports(account))
    if request.user.has_perm("posts.view_post"):
        told.append(_menus(account))
    return told


def _menus(account: Account) -> Panel:
    newest = Post.objects.filter(author=account).select_related("author").order_by("-pk")[:NEWEST]
    return Panel(
        "Menus, newest first",
        [line_of(post) for post in newest],
        empty="It has written none.",
        more=("All its menus", f"{reverse('admin:posts_post_changelist')}?q={account.username}"),
    )


def _reports(account: Account) -> Panel:
    menus = list(
        Post.objects.filter(author=account).order_by("-pk").values_list("pk", flat=True)[:MENUS_LOOKED_AT]
    )
    newest = (
        Report.objects.filter(post_id__in=menus)
        .select_related("account", "post")
        .order_by("-created_at", "-id")[:NEWEST]
    )
    return Panel(
        "Reports of its menus, newest first",
        [line_of_report(report, about_menu=True) for report in newest],
        empty="None of its menus was reported."
        if len(menus) < MENUS_LOOKED_AT
        else f"None of its newest {MENUS_LOOKED_AT} menus was reported.",
        more=(
            "All reports of its menus",
            f"{reverse('admin:posts_report_changelist')}?state=all&q={account.username}",
        ),
    )


tell_of_accounts_by(panels)
