"""JSON: tokens for a username and password, and for an older token."""

from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework_simplejwt.views import TokenObtainPairView, TokenViewBase

from social.throttling import rate_headers


class SignIn(TokenObtainPairView):
    """POST /auth/token: username and password for `{access, refresh}`. Wrong ones are limited."""

    def finalize_response(self, request: Request, response: Response, *args: Any, **kwargs: Any) -> Response:
        response = super().finalize_response(request, response, *args, **kwargs)
        for name, value in rate_headers(getattr(request, "guesses", [])).items():
            response[name] = f"{response[name]}, {value}" if name in response else value
        return response


class Refresh(TokenViewBase):
    """POST /auth/token/refresh: a refresh token for a new `{access, refresh}`."""

    _serializer_class = "social.authentication.RefreshSerializer"
