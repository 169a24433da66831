"""Tokens: JWT that carry the account's id and authentication version (`ver`).

Two ways to honour one: `ClaimsAuthentication` runs no query and leaves the comparison of the version to the
caller (the feed, which reads the account's card anyway); `AccountAuthentication` loads the account.
"""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from rest_framework.authentication import BaseAuthentication
from rest_framework.request import Request
from rest_framework_simplejwt.authentication import JWTAuthentication
from rest_framework_simplejwt.exceptions import ExpiredTokenError, InvalidToken, TokenError
from rest_framework_simplejwt.tokens import RefreshToken, Token

from social.models import Account
from social.services import begin_token_family, end_token_family, rotate_token_family
from social.sessions import session_claims

VERSION_CLAIM = "ver"
FAMILY_CLAIM = "fam"  # of refresh tokens only


@dataclass(frozen=True, slots=True)
class Claims:
    """Who a token says is asking; `version` is still to be compared with the account's."""

    id: int
    version: int
    is_authenticated = True

    @property
    def pk(self) -> int:
        return self.id


def account_behind(claims: Claims) -> Account:
    """The account that a token speaks for; InvalidToken when it is gone, suspended or signed out everywhere."""
    account = Account.objects.filter(pk=claims.id, auth_version=claims.version, is_active=True).first()
    if account is None:
        raise InvalidToken("This sign-in has ended. Sign in again.")
    return account


def claims_of(token: Token) -> Claims:
    try:
        return Claims(int(token["user_id"]), int(token[VERSION_CLAIM]))
    except (KeyError, ValueError, TypeError):
        raise InvalidToken("The token does not say who you are.") from None


class ClaimsAuthentication(JWTAuthentication):
    def get_validated_token(self, raw_token: bytes) -> Token:
        try:
            return super().get_validated_token(raw_token)
        except InvalidToken:
            raise InvalidToken(
                "The access token has expired or is damaged. Refresh it, or sign in again."
            ) from None

    def get_user(self, validated_token: Token) -> Any:
        return claims_of(validated_token)


class SessionClaimsAuthentication(BaseAuthentication):
    """The sign-in of a page, for calls that change nothing and so need no proof that the page is ours."""

    def authenticate(self, request: Request) -> tuple[Claims, None] | None:
        claims = session_claims(request._request)
        return (Claims(*claims), None) if claims else None


class AccountAuthentication(ClaimsAuthentication):
    def get_user(self, validated_token: Token) -> Any:
        return account_behind(super().get_user(validated_token))


class FamilyToken(RefreshToken):
    """A refresh token, which names the family it belongs to (social/services/token_families.py)."""

    no_copy_claims = (*RefreshToken.no_copy_claims, FAMILY_CLAIM)  # type: ignore[assignment]


def token_pair(account: Account) -> dict[str, str]:
    """`{access, refresh}` for an account that has just signed in: a family of its own begins."""
    token = _token_for(account)
    token[FAMILY_CLAIM] = begin_token_family(account, newest=token["jti"], expires_at=_expiry_of(token))
    return _pair(token)


def refreshed_pair(refresh: str) -> dict[str, str]:
    """A new pair for a refresh token, which is used up by it; InvalidToken."""
    try:
        token = FamilyToken(refresh)  # type: ignore[arg-type]
    except TokenError:
        raise InvalidToken("The refresh token has expired or is damaged. Sign in again.") from None
    account, family_id = account_behind(claims_of(token)), _family_of(token)
    successor = _token_for(account)
    successor[FAMILY_CLAIM] = family_id
    if not rotate_token_family(
        family_id,
        account_id=account.pk,
        shown=token["jti"],
        successor=successor["jti"],
        expires_at=_expiry_of(successor),
    ):
        raise InvalidToken("This refresh token was used before, or its sign-in has ended. Sign in again.")
    return _pair(successor)


def sign_out(refresh: str) -> None:
    """Ends the family of a refresh token. One that has expired or ended already is fine, one that is not ours is not:
    InvalidToken."""
    try:
        token = FamilyToken(refresh)  # type: ignore[arg-type]
    except ExpiredTokenError:  # raised only where the signature is ours
        return
    except TokenError:
        raise InvalidToken("This is no refresh token.") from None
    end_token_family(_family_of(token), account_id=claims_of(token).id)


def access_token(account: Account) -> str:
    """For programs that need no other: no family begins."""
    return str(_token_for(account).access_token)


def _token_for(account: Account) -> FamilyToken:
    token: FamilyToken = FamilyToken.for_user(account)  # type: ignore[assignment]
    token[VERSION_CLAIM] = account.auth_version
    return token


def _family_of(token: FamilyToken) -> int:
    family_id = token.get(FAMILY_CLAIM)
    if not isinstance(family_id, int):
        raise InvalidToken("The token does not say which sign-in it is of.")
    return family_id


def _expiry_of(token: FamilyToken) -> datetime:
    return datetime.fromtimestamp(token["exp"], UTC)


def _pair(token: FamilyToken) -> dict[str, str]:
    return {"access": str(token.access_token), "refresh": str(token)}
