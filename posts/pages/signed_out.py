"""A menu's form that is sent when the sign-in has ended: what was typed is kept, and one signs in where one is."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib import messages
from django.contrib.auth import authenticate, login
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_post_parameters

from posts.dish_rows import typed_rows
from social.errors import TooManyRequests
from social.forms import SignInForm, hide_passwords
from social.viewing import show, signed_in_account

SIGN_IN = ("username", "password")
LEFT_OUT = (*SIGN_IN, "csrfmiddlewaretoken", "add-dish", "remove-dish", "put-back", "add-photo")


def keeps_what_was_typed(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Who is signed out and sends the form is asked to sign in on a page that carries all of it along. Nothing is
    published by signing in: perhaps it is another account, and the form is looked at first.
    """

    @wraps(view)
    def wrapper(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if request.method != "POST" or signed_in_account(request) or getattr(request, "htmx", False):
            return view(request, *args, **kwargs)
        if "password" not in request.POST:
            return _ask(request, SignInForm())
        form = SignInForm(request.POST)
        if not (form.is_valid() and _sign_in(request, form)):
            hide_passwords(form)
            return _ask(request, form, status=400)
        request.POST = _as_typed(request.POST)
        return view(request, *args, **kwargs)

    return sensitive_post_parameters("password")(wrapper)


def _sign_in(request: HttpRequest, form: SignInForm) -> bool:
    try:
        account = authenticate(request, **form.cleaned_data)
    except TooManyRequests as refusal:
        form.add_error(None, str(refusal))
        return False
    if account is None:
        form.add_error(None, _("Username and password do not belong together. Check both and try again."))
        return False
    login(request, account)
    messages.success(request, _("You are signed in again. Look your menu over, and send it once more."))
    return True


def _ask(request: HttpRequest, form: SignInForm, status: int = 403) -> HttpResponse:
    kept = [(name, value) for name, values in _kept(request.POST).lists() for value in values]
    rows = typed_rows(request.POST)
    context = {
        "form": form,
        "kept": kept,
        "text": request.POST.get("text", ""),
        "dishes": [name for row in rows.forms if (name := row["name"].value())],
        "photo_lost": bool(request.FILES),
    }
    return show(request, "posts/signed_out.html", context, status=status)


def _kept(data: Any) -> Any:
    kept = data.copy()
    for name in LEFT_OUT:
        kept.pop(name, None)
    return kept


def _as_typed(data: Any) -> Any:
    typed = _kept(data)
    typed["as-typed"] = "1"
    return typed
