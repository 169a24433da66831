"""Menus and reports in a line each, for admin's lists and panels."""

from django.urls import reverse

from posts.ids import MAX_ID
from posts.models import Post, Report
from social.staff.dossiers import Line, Panel
from social.times import staff_time

NEWEST = 5  # lines of a panel


def shortened(text: str) -> str:
    """The beginning of a menu's text, for lists."""
    return text[:60] + ("…" if len(text) > 60 else "")


def typed_id(term: str) -> int | None:
    """A menu's id as staff type it into a search; None if it is none."""
    term = term.strip()
    is_one = term.isascii() and term.isdigit() and len(term) < 19 and int(term) <= MAX_ID
    return int(term) if is_one else None


def line_of(post: Post) -> Line:
    hidden = f", hidden since {staff_time(post.hidden_at)}" if post.hidden_at else ""
    address = reverse("admin:posts_post_change", args=[post.pk])
    return Line(
        shortened(post.text) or str(post), address, f"by {post.author}, {staff_time(post.created_at)}{hidden}"
    )


def line_of_report(report: Report, *, about_menu: bool) -> Line:
    """`about_menu`: it stands where the menu is not clear already, and leads there; else to who has reported it."""
    state = f"handled {staff_time(report.handled_at)}" if report.handled_at else "open"
    said = f"by {report.account}, {staff_time(report.created_at)}, {state}"
    if about_menu:
        about = shortened(report.post.text) or str(report.post)
        return Line(
            report.reason, reverse("admin:posts_post_change", args=[report.post_id]), f"on “{about}”, {said}"
        )
    return Line(report.reason, reverse("admin:social_account_change", args=[report.account_id]), said)


def reports_of_menu(post: Post) -> Panel:
    """By the index report_of_post: an account reports a menu at most once."""
    newest = (
        Report.objects.filter(post=post).select_related("account").order_by("-created_at", "-id")[:NEWEST]
    )
    return Panel(
        "Reports, newest first",
        [line_of_report(report, about_menu=False) for report in newest],
        empty="Nobody has reported it.",
        more=(
            "All reports of this menu",
            f"{reverse('admin:posts_report_changelist')}?state=all&q={post.pk}",
        ),
    )
