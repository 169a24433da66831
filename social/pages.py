"""Pages about people: sign up, sign in, sign out, find cooks, follow and unfollow."""

from django.contrib import messages
from django.contrib.auth import authenticate, login, logout
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from social.discovery import count_followers, find_cooks
from social.errors import Refusal
from social.forms import SignInForm, SignUpForm, add_refusal
from social.models import Account
from social.selectors import get_visible_account_by_name
from social.services import create_account, follow_account, unfollow_account
from social.viewing import for_signed_in, safe_next, show, show_refusal, signed_in_account, viewer_id_of

BACKEND = "django.contrib.auth.backends.ModelBackend"


@sensitive_post_parameters("password")
@require_http_methods(["GET", "HEAD", "POST"])
def sign_up(request: HttpRequest) -> HttpResponse:
    if signed_in_account(request):
        return redirect("home")
    form = SignUpForm(request.POST or None, initial={"is_cook": "cook" in request.GET})
    if form.is_valid() and (account := _create_account(form)):
        login(request, account, backend=BACKEND)
        messages.success(request, _("Welcome, %(name)s.") % {"name": account.display_name})
        return HttpResponseRedirect(safe_next(request, reverse("new-menu" if account.is_cook else "home")))
    return _show_form(request, "social/sign_up.html", form)


def _create_account(form: SignUpForm) -> Account | None:
    try:
        return create_account(**form.cleaned_data)
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
        account = authenticate(request, **form.cleaned_data)
        if account is not None:
            login(request, account)
            return HttpResponseRedirect(safe_next(request, reverse("home")))
        form.add_error(None, _("Username and password do not belong together. Check both and try again."))
    return _show_form(request, "social/sign_in.html", form)


def _show_form(request: HttpRequest, template: str, form: SignInForm | SignUpForm) -> HttpResponse:
    context = {"form": form, "next": safe_next(request, "")}
    return show(request, template, context, status=400 if form.errors else 200)


@require_POST
def sign_out(request: HttpRequest) -> HttpResponse:
    logout(request)
    messages.success(request, _("You are signed out. See you at lunch."))
    return HttpResponseRedirect(safe_next(request, reverse("home")))


@require_safe
def cooks(request: HttpRequest) -> HttpResponse:
    """Discover cooks. `pick` is the short list that an empty feed shows in itself."""
    words = request.GET.get("q", "").strip()[:80]
    if "pick" in request.GET:
        page = find_cooks(viewer_id_of(request), limit=6)
        return show(request, "social/_cooks.html", {"page": page, "next": reverse("home")})
    page = find_cooks(viewer_id_of(request), words=words, after=request.GET.get("after", ""))
    return show(request, "social/cooks.html", {"page": page, "words": words, "next": request.get_full_path()})


@require_POST
@for_signed_in
def follow(request: HttpRequest, username: str) -> HttpResponse:
    return _change_follow(request, username, following=True)


@require_POST
@for_signed_in
def unfollow(request: HttpRequest, username: str) -> HttpResponse:
    return _change_follow(request, username, following=False)


def _change_follow(request: HttpRequest, username: str, *, following: bool) -> HttpResponse:
    """Follow or unfollow; for htmx only what of the page has changed, else back to where it was pressed."""
    viewer = signed_in_account(request)
    assert viewer is not None  # for_signed_in
    try:
        account = get_visible_account_by_name(viewer_id=viewer.pk, username=username)
        change = follow_account if following else unfollow_account
        change(follower=viewer, followee_id=account.pk)
    except Refusal as refusal:
        return show_refusal(request, refusal)
    next_page = safe_next(request, reverse("profile", args=[account.username]))
    if getattr(request, "htmx", False):
        account.follower_count = count_followers(account)
        context = {"account": account, "following": following, "next": next_page}
        return show(request, "social/_followed.html", context)
    return HttpResponseRedirect(next_page)
