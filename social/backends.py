"""Signing in by username and password: by page, by API and in admin alike."""

from typing import Any

from django.contrib.auth.backends import ModelBackend
from django.http import HttpRequest

from social.limits import count_guess, take_back_guess
from social.models import Account


class LimitedBackend(ModelBackend):
    """Django's own, with every guess counted. TooManyRequests."""

    def authenticate(
        self,
        request: HttpRequest | None,
        username: str | None = None,
        password: str | None = None,
        **kwargs: Any,
    ) -> Account | None:
        if username is None or password is None:
            return None
        count_guess(request, username)
        account = super().authenticate(request, username, password)
        if account is not None:
            take_back_guess(request, username)
        return account


def is_password_of(account: Account, password: str, request: HttpRequest) -> bool:
    """Whether whoever sits at a signed-in browser knows the password; a guess like any other. TooManyRequests."""
    count_guess(request, account.username)
    right = account.check_password(password)
    if right:
        take_back_guess(request, account.username)
    return right
