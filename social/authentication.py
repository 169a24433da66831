"""Tokens: JWT that carry the account's id and authentication version (`ver`).

Two ways to honour one: `ClaimsAuthentication` runs no query and leaves the comparison of the version to the
caller (the feed, which reads the account's card anyway); `AccountAuthentication` loads the account.
"""

from dataclasses import dataclass
from typing import Any

from rest_framework_simplejwt.authentication import JWTAuthentication
from rest_framework_simplejwt.exceptions import InvalidToken
from rest_framework_simplejwt.serializers import TokenObtainPairSerializer
from rest_framework_simplejwt.tokens import Token

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


class ClaimsAuthentication(JWTAuthentication):
    def get_user(self, validated_token: Token) -> Any:
        try:
            return Claims(int(validated_token["user_id"]), int(validated_token[VERSION_CLAIM]))
        except (KeyError, ValueError, TypeError):
            raise InvalidToken("The token does not say who you are.") from None


class AccountAuthentication(ClaimsAuthentication):
    def get_user(self, validated_token: Token) -> Any:
        claims = super().get_user(validated_token)
        account = Account.objects.filter(pk=claims.id, auth_version=claims.version, is_active=True).first()
        if account is None:
            raise InvalidToken("This sign-in has ended. Sign in again.")
        return account


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


def token_pair(account: Account) -> dict[str, str]:
    """`{access, refresh}` for an account, for commands and tests that need many."""
    refresh = TokenSerializer.get_token(account)
    return {"access": str(refresh.access_token), "refresh": str(refresh)}  # type: ignore[attr-defined]
