"""Pages to become known: sign up, sign in, sign out, and come back after a while away."""

from django.contrib import messages
from django.contrib.auth import authenticate, login, logout
from django.core import signing
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from social.errors import Refusal, TooManyRequests
from social.forms import SignInForm, SignUpForm, add_refusal, hide_passwords
from social.limits import limit_sign_up, take_back_guess
from social.models import Account
from social.pages.language import speak_as
from social.selectors import get_inactive_account
from social.services import create_account, reactivate_account
from social.viewing import safe_next, say_when, show, show_refusal, signed_in_account

BACKEND = "social.backends.LimitedBackend"
REACTIVATION = "reactivate"
REACTIVATION_SECONDS = 600  # from the password to the button


@sensitive_post_parameters("password")
@require_http_methods(["GET", "HEAD", "POST"])
def sign_up(request: HttpRequest) -> HttpResponse:
    if signed_in_account(request):
        return redirect("home")
    form = SignUpForm(request.POST or None)
    try:
        account = _create_account(request, form) if form.is_valid() else None
    except TooManyRequests as refusal:
        return _show_refused(request, "social/sign_up.html", form, refusal)
    if account is not None:
        login(request, account, backend=BACKEND)
        messages.success(request, _("Welcome, %(name)s.") % {"name": account.display_name})
        return HttpResponseRedirect(safe_next(request, reverse("new-menu" if account.is_cook else "welcome")))
    return _show_form(request, "social/sign_up.html", form)


def _create_account(request: HttpRequest, form: SignUpForm) -> Account | None:
    limit_sign_up(request)
    try:
        return create_account(**form.cleaned_data, language=get_language())
    except Refusal as refusal:
        add_refusal(form, str(refusal), refusal.errors)
        return None


@sensitive_post_parameters("password")
@require_http_methods(["GET", "HEAD", "POST"])
def sign_in(request: HttpRequest) -> HttpResponse:
    if signed_in_account(request):
        return HttpResponseRedirect(safe_next(request, reverse("home")))
    form = SignInForm(request.POST or None)
    if form.is_valid():
        try:
            account = authenticate(request, **form.cleaned_data)
        except TooManyRequests as refusal:
            return _show_refused(request, "social/sign_in.html", form, refusal)
        if account is not None:
            login(request, account)
            speak_as(request, account)
            return HttpResponseRedirect(safe_next(request, reverse("home")))
        away = get_inactive_account(**form.cleaned_data)
        if away is not None:
            take_back_guess(request, away.username)
        if away is not None and away.inactive_because == Account.Inactive.DEACTIVATED:
            return _offer_return(request, away)
        form.add_error(None, _why_not(away))
    return _show_form(request, "social/sign_in.html", form)


def _why_not(away: Account | None) -> str:
    """Said only to who knows the password."""
    if away is None:
        return _("Username and password do not belong together. Check both and try again.")
    if away.inactive_because == Account.Inactive.ERASING:
        return _("This account is being deleted, and cannot be brought back.")
    return _(
        "Our staff have suspended this account. Nothing in it is lost, but nobody sees it until they restore it."
    )


def _offer_return(request: HttpRequest, account: Account) -> HttpResponse:
    """The password was right; the signature says so to the next step, for a while."""
    token = signing.dumps([account.pk, account.auth_version], salt=REACTIVATION)
    context = {"account": account, "token": token, "next": safe_next(request, "")}
    return show(request, "social/reactivate.html", context)


@require_POST
def reactivate(request: HttpRequest) -> HttpResponse:
    """Who has deactivated her account comes back, and is signed in."""
    try:
        pk, version = signing.loads(
            request.POST.get("token", ""), salt=REACTIVATION, max_age=REACTIVATION_SECONDS
        )
    except signing.BadSignature:
        messages.error(request, _("That took too long. Sign in once more."))
        return redirect("sign-in")
    try:
        account = reactivate_account(pk, version=version)
    except Refusal as refusal:
        return show_refusal(request, refusal)
    login(request, account, backend=BACKEND)
    speak_as(request, account)
    messages.success(request, _("Welcome back, %(name)s.") % {"name": account.display_name})
    return HttpResponseRedirect(safe_next(request, reverse("home")))


def _show_refused(
    request: HttpRequest, template: str, form: SignInForm | SignUpForm, refusal: TooManyRequests
) -> HttpResponse:
    """The form with what was typed, but for the password, and when to try again."""
    form.add_error(None, str(refusal))
    hide_passwords(form)
    context = {"form": form, "next": safe_next(request, "")}
    return say_when(refusal, show(request, template, context, status=refusal.status))


def _show_form(request: HttpRequest, template: str, form: SignInForm | SignUpForm) -> HttpResponse:
    context = {"form": form, "next": safe_next(request, "")}
    return show(request, template, context, status=400 if form.errors else 200)


@require_POST
def sign_out(request: HttpRequest) -> HttpResponse:
    logout(request)
    messages.success(request, _("You are signed out. See you at lunch."))
    return HttpResponseRedirect(safe_next(request, reverse("home")))
