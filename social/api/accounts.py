"""JSON: sign-up, search, one account, one's own."""

from collections.abc import Sequence
from typing import Any
from zoneinfo import available_timezones

from django.conf import settings
from rest_framework import serializers
from rest_framework.authentication import BaseAuthentication
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from social import services
from social.api.answers import PRIVATE, done, page_of, place_of, signed_in, text_in_address
from social.api.fields import CleanTextField, ExactBooleanField, ExactNumberField, ExactTextField, OneOfField
from social.api.patterns import EMAIL, PASSWORD, USERNAME, WEB_ADDRESS
from social.lists import find_accounts
from social.models import USERNAME_LENGTH, username_rule
from social.relations import get_account_with_relation, with_no_relation
from social.rendering import account_dict, own_account_dict

SEARCHED = {"username": 30, "q": 80, "city": 60, "cuisine": 60}  # and their lengths


class SignUpSerializer(serializers.Serializer):
    username = ExactTextField(max_length=USERNAME_LENGTH, pattern=USERNAME, hint=str(username_rule.message))
    password = ExactTextField(
        min_length=8, max_length=128, pattern=PASSWORD, hint="Must not be of digits alone."
    )
    email = ExactTextField(
        max_length=254,
        pattern=EMAIL,
        hint="Must be an e-mail address like ana@example.org.",
        required=False,
        allow_blank=True,
        default="",
    )
    display_name = CleanTextField(max_length=60, required=False, allow_blank=True, default="")
    is_cook = ExactBooleanField(required=False, default=False)


class ProfileSerializer(serializers.Serializer):
    """What one changes of oneself; what is not given stays."""

    display_name = CleanTextField(max_length=60)
    bio = CleanTextField(max_length=500, multiline=True, allow_blank=True)
    city = CleanTextField(max_length=60, allow_blank=True)
    cuisine = CleanTextField(max_length=60, allow_blank=True)
    order_url = ExactTextField(
        max_length=300,
        pattern=WEB_ADDRESS,
        hint="Must be an address like https://example.org/order.",
        allow_blank=True,
        allow_null=True,
    )
    time_zone = OneOfField(choices=available_timezones(), hint="Use a name like Europe/Lisbon.")
    language = OneOfField(choices=dict(settings.LANGUAGES), hint="Use en or pt-br.")
    is_cook = ExactBooleanField()
    is_private = ExactBooleanField()
    avatar_media_id = ExactNumberField(allow_null=True)

    def validate_order_url(self, value: str | None) -> str:
        return value or ""  # read as null, written as either


class Accounts(APIView):
    """POST /accounts: sign up. GET /accounts: search."""

    throttle_scope = "sign-ups"

    def get_authenticators(self) -> list[BaseAuthentication]:
        # Whoever signs up may still carry a token of before.
        return [] if self.request and self.request.method == "POST" else super().get_authenticators()

    def get_permissions(self) -> Sequence[Any]:
        return [AllowAny()] if self.request.method == "POST" else super().get_permissions()

    def post(self, request: Request) -> Response:
        fields = SignUpSerializer(data=request.data)
        fields.is_valid(raise_exception=True)
        account = services.create_account(**fields.validated_data)
        return Response(account_dict(with_no_relation(account)), status=201, headers=PRIVATE)

    def get(self, request: Request) -> Response:
        wanted = {
            name: text_in_address(request, name, max_length=length)
            for name, length in SEARCHED.items()
            if name in request.query_params
        }
        page = find_accounts(viewer_id=signed_in(request).pk, wanted=wanted, place=place_of(request))
        return page_of(request, "accounts", [account_dict(a) for a in page.accounts], page.next_cursor)


class SingleAccount(APIView):
    """GET /accounts/{id}."""

    def get(self, request: Request, account_id: int) -> Response:
        account = get_account_with_relation(viewer_id=signed_in(request).pk, account_id=account_id)
        return Response(account_dict(account), headers=PRIVATE)


class Me(APIView):
    """GET, PATCH and DELETE /me: one's own account."""

    def get(self, request: Request) -> Response:
        return self._own(request)

    def patch(self, request: Request) -> Response:
        fields = ProfileSerializer(data=request.data, partial=True)
        fields.is_valid(raise_exception=True)
        services.update_account(signed_in(request).pk, **fields.validated_data)
        return self._own(request)

    def delete(self, request: Request) -> Response:
        services.erase_account(signed_in(request).pk)
        return done()

    def _own(self, request: Request) -> Response:
        own = signed_in(request).pk
        body: dict[str, Any] = own_account_dict(get_account_with_relation(viewer_id=own, account_id=own))
        return Response(body, headers=PRIVATE)
