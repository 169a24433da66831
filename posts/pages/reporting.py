"""Tell staff what is wrong with a menu."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from posts.forms import ReportForm
from posts.pages.gone import show_gone
from posts.pages.reading import show_menu
from posts.reporting import report_post
from posts.selectors import get_visible_post
from social.errors import NotFound, Refusal
from social.viewing import for_signed_in, show_refusal, the_signed_in


@require_POST
@for_signed_in
def report(request: HttpRequest, post_id: int) -> HttpResponse:
    """Leads back to the menu; what is not right is said there, with what was typed."""
    viewer, form = the_signed_in(request), ReportForm(request.POST)
    try:
        post = get_visible_post(viewer_id=viewer.pk, post_id=post_id)
        if not form.is_valid():
            return show_menu(request, post, form, status=400)
        report_post(account=viewer, post_id=post_id, reason=form.cleaned_data["reason"])
    except NotFound:
        return show_gone(request, post_id)
    except Refusal as refusal:
        return show_refusal(request, refusal)
    messages.success(request, _("Thank you. We will look at this menu."))
    return redirect("menu", post_id)
