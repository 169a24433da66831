"""Who is asking, from the session, without SQL.

A session carries the account's id and its authentication version (`Account.get_session_auth_hash`). The feed compares
the version with the account card it reads anyway (no query); everything else loads `request.user`, which compares it
too.
"""

from django.contrib.auth import HASH_SESSION_KEY, SESSION_KEY
from django.contrib.auth.middleware import AuthenticationMiddleware
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from social.models import Account


def session_claims(request: HttpRequest) -> tuple[int, int] | None:
    """(account id, authentication version) as the session claims them, or None when signed out."""
    account_id, version = request.session.get(SESSION_KEY), request.session.get(HASH_SESSION_KEY)
    try:
        return None if account_id is None or version is None else (int(account_id), int(version))
    except (TypeError, ValueError):  # damage
        return None


def load_account(request: HttpRequest) -> Account | AnonymousUser:
    """The signed-in account; one that was suspended or signed out everywhere is nobody."""
    claims = session_claims(request)
    if claims is None:
        return AnonymousUser()
    account = Account.objects.filter(pk=claims[0], auth_version=claims[1], is_active=True).first()
    return account or AnonymousUser()


class ViewerMiddleware(AuthenticationMiddleware):
    """Sets `request.user`, loaded only when somebody looks at it."""

    def process_request(self, request: HttpRequest) -> None:
        request.user = SimpleLazyObject(lambda: load_account(request))  # type: ignore[assignment]
