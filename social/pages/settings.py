"""One's own settings: profile, privacy, whom one blocks and mutes, and the ways out."""

from collections.abc import Callable

from django import forms
from django.contrib import messages
from django.contrib.auth import logout, update_session_auth_hash
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from social.backends import is_password_of
from social.errors import Forbidden, InvalidInput, Refusal, TooManyRequests
from social.forms import add_refusal
from social.languages import speak
from social.lists import blocked_accounts, muted_accounts
from social.models import Account
from social.pages.people import place_in
from social.services import (
    change_password,
    deactivate_account,
    erase_account,
    sign_out_everywhere,
    update_account,
)
from social.services.accounts import PROFILE_FIELDS
from social.settings_forms import AvatarForm, DeleteForm, EmailForm, PasswordForm, ProfileForm
from social.viewing import for_signed_in, say_when, show, show_refusal, the_signed_in

OTHER_FORMS: dict[str, Callable[[], forms.Form]] = {
    "avatar_form": AvatarForm,
    "email_form": EmailForm,
    "password_form": PasswordForm,
    "delete_form": DeleteForm,
}


@require_http_methods(["GET", "HEAD", "POST"])
@for_signed_in
def settings(request: HttpRequest) -> HttpResponse:
    account = the_signed_in(request)
    if request.method != "POST":
        return show_settings(request, account)
    form = ProfileForm(request.POST, zone=account.time_zone, language=account.language)
    if form.is_valid() and _update(form, account):
        speak(request, form.cleaned_data["language"])
        if form.cleaned_data["is_cook"] and not account.is_cook:
            messages.success(request, _("Saved. You can publish now: write your first menu."))
            return redirect("new-menu")
        messages.success(request, _("Saved."))
        return redirect("settings")
    return show_settings(request, account, form, status=400)


@sensitive_post_parameters("old_password", "new_password")
@require_POST
@for_signed_in
def password(request: HttpRequest) -> HttpResponse:
    """A new one: it ends all sign-ins but this."""
    account, form = the_signed_in(request), PasswordForm(request.POST)
    try:
        changed = _change_password(request, account, form) if form.is_valid() else None
    except TooManyRequests as refusal:
        form.add_error("old_password", str(refusal))
        shown = show_settings(request, account, password_form=form, status=refusal.status)
        return say_when(refusal, shown)
    except Forbidden as refusal:
        return show_refusal(request, refusal)
    if changed is None:
        return show_settings(request, account, password_form=form, status=400)
    update_session_auth_hash(request, changed)
    messages.success(request, _("Your password is changed. You are signed out everywhere else."))
    return redirect("settings")


def _change_password(request: HttpRequest, account: Account, form: PasswordForm) -> Account | None:
    given = form.cleaned_data
    if not is_password_of(account, given["old_password"], request):
        form.add_error("old_password", _("This is not your password."))
        return None
    try:
        return change_password(account.pk, password=given["new_password"], version=account.auth_version)
    except InvalidInput as refusal:
        form.add_error("new_password", refusal.errors["password"])
        return None


@require_POST
@for_signed_in
def everywhere(request: HttpRequest) -> HttpResponse:
    """Signs out everywhere, here too."""
    sign_out_everywhere(the_signed_in(request).pk)
    logout(request)
    messages.success(request, _("You are signed out everywhere."))
    return redirect("sign-in")


@require_POST
@for_signed_in
def deactivate(request: HttpRequest) -> HttpResponse:
    deactivate_account(the_signed_in(request).pk)
    logout(request)
    messages.success(
        request, _("Your account is deactivated, and nobody sees it. Sign in whenever you want it back.")
    )
    return redirect("home")


@sensitive_post_parameters("password")
@require_POST
@for_signed_in
def delete(request: HttpRequest) -> HttpResponse:
    """For good; who sits at somebody else's open browser does not know the password."""
    account, form = the_signed_in(request), DeleteForm(request.POST)
    try:
        if form.is_valid() and not is_password_of(account, form.cleaned_data["password"], request):
            form.add_error("password", _("This is not your password."))
    except TooManyRequests as refusal:
        form.add_error("password", str(refusal))
        shown = show_settings(request, account, delete_form=form, status=refusal.status)
        return say_when(refusal, shown)
    if form.errors:
        return show_settings(request, account, delete_form=form, status=400)
    erase_account(account.pk)
    logout(request)
    messages.success(request, _("Your account is deleted. Thank you for the time at our table."))
    return redirect("home")


def _form_of(account: Account) -> ProfileForm:
    profile = {name: getattr(account, name) for name in PROFILE_FIELDS}
    return ProfileForm(initial=profile, zone=account.time_zone, language=account.language)


def _update(form: ProfileForm, account: Account) -> bool:
    try:
        update_account(account.pk, **form.cleaned_data)
    except InvalidInput as refusal:
        add_refusal(form, str(refusal), refusal.errors)
        return False
    return True


def show_settings(
    request: HttpRequest,
    account: Account,
    form: ProfileForm | None = None,
    *,
    status: int = 200,
    **others: forms.Form,
) -> HttpResponse:
    """The page, with the forms that were sent (OTHER_FORMS names them) as they were typed."""
    try:
        lists = {
            "blocked": blocked_accounts(account.pk, place=place_in(request, "blocked")),
            "muted": muted_accounts(account.pk, place=place_in(request, "muted")),
        }
    except Refusal as refusal:
        return show_refusal(request, refusal)
    sent = [form for form in (form, *others.values()) if form is not None and form.errors]
    context = {
        "form": form or _form_of(account),
        "wrong": sent[0] if sent else None,
        "account": account,
        "next": request.path,
        **{name: others.get(name) or make() for name, make in OTHER_FORMS.items()},
        **lists,
    }
    return show(request, "social/settings.html", context, status=status)
