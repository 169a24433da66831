"""JSON: tokens for a username and password, and for an older token."""

from rest_framework_simplejwt.views import TokenObtainPairView, TokenViewBase


class SignIn(TokenObtainPairView):
    """POST /auth/token: username and password for `{access, refresh}`."""


class Refresh(TokenViewBase):
    """POST /auth/token/refresh: a refresh token for a new `{access, refresh}`."""

    _serializer_class = "social.authentication.RefreshSerializer"
