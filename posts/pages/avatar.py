"""One's own picture: another one, or none. A part of the settings that needs photos, which `social` does not know."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from posts.media.avatars import upload_avatar
from social.errors import Refusal
from social.models import Account
from social.pages.settings import show_settings
from social.services import update_account
from social.settings_forms import AvatarForm
from social.viewing import for_signed_in, show_refusal, the_signed_in


@require_POST
@for_signed_in
def change(request: HttpRequest) -> HttpResponse:
    account, form = the_signed_in(request), AvatarForm(request.POST, request.FILES)
    if not (form.is_valid() and _upload(account, form)):
        return show_settings(request, account, avatar_form=form, status=400)
    messages.success(request, _("Your picture has arrived, and is shown everywhere in a moment."))
    return redirect("settings")


def _upload(account: Account, form: AvatarForm) -> bool:
    """False if it cannot be used; the form says why."""
    try:
        upload_avatar(owner=account, file=form.cleaned_data["picture"])
    except Refusal as refusal:
        said = [word for words in refusal.errors.values() for word in words] or [str(refusal)]
        form.add_error("picture", [*said, _("Your current picture stays.")])
        return False
    return True


@require_POST
@for_signed_in
def remove(request: HttpRequest) -> HttpResponse:
    """Its initials stand for the account again."""
    try:
        update_account(the_signed_in(request).pk, avatar_media_id=None)
    except Refusal as refusal:
        return show_refusal(request, refusal)
    messages.success(request, _("Your picture is removed. Your initials stand in for it."))
    return redirect("settings")
