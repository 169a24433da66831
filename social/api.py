"""JSON: accounts, sign-in, follows. Views are doors: validate, call a service, answer."""

from typing import Any

from rest_framework import serializers
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView
from rest_framework_simplejwt.views import TokenObtainPairView, TokenViewBase

from social import services
from social.models import Account
from social.rendering import account_dict
from social.text import clean_text

NOBODY = {"following": False, "requested": False, "followed_by": False, "blocking": False, "muting": False}


def signed_in(request: Request) -> Account:
    """The account behind a request that AccountAuthentication has let in."""
    assert isinstance(request.user, Account)
    return request.user


class CleanTextField(serializers.CharField):
    """Text that can be stored and read; see social.text."""

    def __init__(self, *, max_length: int, multiline: bool = False, **kwargs: Any) -> None:
        # The limit here is for numbers, which become text; text is measured when it is clean.
        super().__init__(trim_whitespace=False, max_length=max_length, **kwargs)
        self.longest, self.multiline = max_length, multiline

    def run_validation(self, data: Any = serializers.empty) -> Any:
        if not isinstance(data, str):
            return super().run_validation(data)
        try:
            data = clean_text(
                data, max_length=self.longest, multiline=self.multiline, required=not self.allow_blank
            )
        except ValueError as error:
            raise serializers.ValidationError(str(error)) from None
        return super().run_validation(data)


class SignUpSerializer(serializers.Serializer):
    username = serializers.CharField(max_length=30)
    password = serializers.CharField(max_length=128, trim_whitespace=False)
    email = serializers.EmailField(required=False, allow_blank=True, default="")
    display_name = CleanTextField(max_length=60, required=False, allow_blank=True, default="")
    is_cook = serializers.BooleanField(required=False, default=False)


class Accounts(APIView):
    """POST /accounts: sign up."""

    authentication_classes: list[type] = []
    permission_classes = [AllowAny]

    def post(self, request: Request) -> Response:
        fields = SignUpSerializer(data=request.data)
        fields.is_valid(raise_exception=True)
        account = services.create_account(**fields.validated_data)
        body = account_dict(account, following_count=0, relation=NOBODY)
        return Response(body, status=201, headers={"Cache-Control": "private, no-store"})


class SignIn(TokenObtainPairView):
    """POST /auth/token: username and password for `{access, refresh}`."""


class Refresh(TokenViewBase):
    """POST /auth/token/refresh: a refresh token for a new `{access, refresh}`."""

    _serializer_class = "social.authentication.RefreshSerializer"


class Follows(APIView):
    """PUT and DELETE /follows/{id}."""

    def put(self, request: Request, account_id: int) -> Response:
        services.follow_account(follower=signed_in(request), followee_id=account_id)
        return Response(status=204)

    def delete(self, request: Request, account_id: int) -> Response:
        services.unfollow_account(follower=signed_in(request), followee_id=account_id)
        return Response(status=204)
