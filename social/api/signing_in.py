"""JSON: tokens for a username and password, for an older token, and their end."""

from typing import Any

from django.contrib.auth import authenticate
from rest_framework import serializers
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from social.api.answers import PRIVATE, done
from social.api.fields import ExactTextField
from social.authentication import refreshed_pair, sign_out, token_pair
from social.models import Account
from social.throttling import rate_headers


class SignInSerializer(serializers.Serializer):
    """No rules for names and passwords beyond what can be one: wrong ones are refused alike."""

    username = ExactTextField(max_length=254)
    password = ExactTextField(max_length=1000)


class RefreshSerializer(serializers.Serializer):
    refresh = ExactTextField(max_length=2000)


class OpenView(APIView):
    """For those who have no access token, or whose has expired; a 401 all the same names what is wanted."""

    authentication_classes: list[Any] = []
    permission_classes = [AllowAny]

    def get_authenticate_header(self, request: Request) -> str:
        return "Bearer"


class SignIn(OpenView):
    """POST /auth/token: username and password for `{access, refresh}`. Wrong ones are limited."""

    def post(self, request: Request) -> Response:
        fields = SignInSerializer(data=request.data)
        fields.is_valid(raise_exception=True)
        given = fields.validated_data
        username = Account.normalize_username(given["username"])
        account = authenticate(request, username=username, password=given["password"])
        if not isinstance(account, Account):
            raise AuthenticationFailed("Username and password do not belong together.")
        return Response(token_pair(account), headers=PRIVATE)

    def finalize_response(self, request: Request, response: Response, *args: Any, **kwargs: Any) -> Response:
        """With how the limits of wrong ones stand, beside those of all writes."""
        response = super().finalize_response(request, response, *args, **kwargs)
        for name, value in rate_headers(getattr(request, "guesses", [])).items():
            response[name] = f"{response[name]}, {value}" if name in response else value
        return response


class Refresh(OpenView):
    """POST /auth/token/refresh: a refresh token for a new `{access, refresh}`; it can be used once."""

    def post(self, request: Request) -> Response:
        fields = RefreshSerializer(data=request.data)
        fields.is_valid(raise_exception=True)
        return Response(refreshed_pair(fields.validated_data["refresh"]), headers=PRIVATE)


class SignOut(OpenView):
    """POST /auth/sign-out: ends the sign-in that a refresh token is of."""

    def post(self, request: Request) -> Response:
        fields = RefreshSerializer(data=request.data)
        fields.is_valid(raise_exception=True)
        sign_out(fields.validated_data["refresh"])
        return done()
