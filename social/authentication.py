"""Tokens: JWT that carry the account's id and authentication version (`ver`).

Two ways to honour one: `ClaimsAuthentication` runs no query and leaves the comparison of the version to the
caller (the feed, which reads the account's card anyway); `AccountAuthentication` loads the account.
"""

from dataclasses import dataclass
from typing import Any

from rest_framework import serializers
from rest_framework_simplejwt.authentication import JWTAuthentication
from rest_framework_simplejwt.exceptions import InvalidToken, TokenError
from rest_framework_simplejwt.serializers import TokenObtainPairSerializer
from rest_framework_simplejwt.tokens import RefreshToken, Token

from social.models import Account

VERSION_CLAIM = "ver"


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


class AccountAuthentication(ClaimsAuthentication):
    def get_user(self, validated_token: Token) -> Any:
        return account_behind(super().get_user(validated_token))


class TokenSerializer(TokenObtainPairSerializer):
    """Exchanges username and password for an access and a refresh token."""

    def validate(self, attrs: dict[str, Any]) -> dict[str, str]:
        attrs[self.username_field] = Account.normalize_username(attrs[self.username_field])
        return super().validate(attrs)

    @classmethod
    def get_token(cls, user: Any) -> Token:
        token = super().get_token(user)
        token[VERSION_CLAIM] = user.auth_version
        return token


class RefreshSerializer(serializers.Serializer):
    """Exchanges a refresh token for a new pair, while the account may still sign in."""

    refresh = serializers.CharField(max_length=2000)

    def validate(self, attrs: dict[str, Any]) -> dict[str, str]:
        try:
            token = RefreshToken(attrs["refresh"])
        except TokenError:
            raise InvalidToken("The refresh token has expired or is damaged. Sign in again.") from None
        return token_pair(account_behind(claims_of(token)))


def token_pair(account: Account) -> dict[str, str]:
    """`{access, refresh}` for an account."""
    refresh = TokenSerializer.get_token(account)
    return {"access": str(refresh.access_token), "refresh": str(refresh)}  # type: ignore[attr-defined]
