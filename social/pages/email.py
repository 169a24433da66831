"""One's own e-mail, to which a new password would be sent: changed by who knows the password."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_POST

from social.backends import is_password_of
from social.errors import InvalidInput, TooManyRequests
from social.models import Account
from social.pages.settings import show_settings
from social.services import change_email
from social.settings_forms import EmailForm
from social.viewing import for_signed_in, say_when, the_signed_in


@sensitive_post_parameters("email_password")
@require_POST
@for_signed_in
def email(request: HttpRequest) -> HttpResponse:
    """Another one, or none."""
    account, form = the_signed_in(request), EmailForm(request.POST)
    try:
        changed = form.is_valid() and _change(request, account, form)
    except TooManyRequests as refusal:
        form.add_error("email_password", str(refusal))
        return say_when(refusal, show_settings(request, account, email_form=form, status=refusal.status))
    if not changed:
        return show_settings(request, account, email_form=form, status=400)
    if form.cleaned_data["email"]:
        messages.success(
            request,
            _("Your e-mail is changed. A link to a new password would go there from now on."),
        )
    else:
        messages.success(
            request, _("Your e-mail is removed. Keep your password in mind: we cannot send you a new one.")
        )
    return redirect("settings")


def _change(request: HttpRequest, account: Account, form: EmailForm) -> bool:
    given = form.cleaned_data
    if not is_password_of(account, given["email_password"], request):
        form.add_error("email_password", _("This is not your password."))
        return False
    try:
        change_email(account.pk, email=given["email"])
    except InvalidInput as refusal:
        form.add_error("email", refusal.errors["email"])
        return False
    return True
