"""JSON: menus and likes."""

from decimal import Decimal
from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from posts import currencies, services
from posts.models import MAX_DISHES, TAGS, TEXT_LENGTH, Post
from posts.rendering import post_dict
from posts.selectors import get_visible_post, liked_ids, posts_of_account
from social.api import CleanTextField
from social.api.answers import PRIVATE, done, page_of, place_of, signed_in


class DishSerializer(serializers.Serializer):
    name = CleanTextField(max_length=120)
    price = serializers.DecimalField(max_digits=8, decimal_places=2, min_value=Decimal("0.01"))
    currency = serializers.CharField(max_length=3, required=False, default="EUR")
    tags = serializers.ListField(
        child=serializers.ChoiceField(choices=TAGS), max_length=len(TAGS), required=False, default=list
    )
    sold_out = serializers.BooleanField(required=False, default=False)

    def validate_currency(self, value: str) -> str:
        if value not in currencies.CODES:
            raise serializers.ValidationError("Must be an ISO 4217 code like EUR.")
        return value


class MenuSerializer(serializers.Serializer):
    text = CleanTextField(
        max_length=TEXT_LENGTH, multiline=True, required=False, allow_blank=True, default=""
    )
    dishes = serializers.ListField(
        child=DishSerializer(), max_length=MAX_DISHES, required=False, default=list
    )
    day = serializers.DateField(required=False, allow_null=True, default=None)


class EditedDishSerializer(DishSerializer):
    """In an edit: with an `id` the fields that are left out stay, without one it is a new dish."""

    id = serializers.IntegerField(required=False)

    def validate(self, dish: dict[str, Any]) -> dict[str, Any]:
        missing = [] if "id" in dish else [name for name in ("name", "price") if name not in dish]
        if missing:
            raise serializers.ValidationError({name: ["This field is required."] for name in missing})
        return dish


class EditSerializer(MenuSerializer):
    """For `partial=True`: only what was sent."""

    dishes = serializers.ListField(child=EditedDishSerializer(), max_length=MAX_DISHES)


class Posts(APIView):
    """POST /posts: publish a menu."""

    def post(self, request: Request) -> Response:
        fields = MenuSerializer(data=request.data)
        fields.is_valid(raise_exception=True)
        post = services.publish_post(author=signed_in(request), **fields.validated_data)
        return Response({"post_id": post.pk, **post_dict(post)}, status=201, headers=PRIVATE)


class SinglePost(APIView):
    """GET, PATCH and DELETE /posts/{id}."""

    def get(self, request: Request, post_id: int) -> Response:
        return _answer(request, get_visible_post(viewer_id=signed_in(request).pk, post_id=post_id))

    def patch(self, request: Request, post_id: int) -> Response:
        fields = EditSerializer(data=request.data, partial=True)
        fields.is_valid(raise_exception=True)
        post = services.edit_post(actor=signed_in(request), post_id=post_id, **fields.validated_data)
        return _answer(request, post)

    def delete(self, request: Request, post_id: int) -> Response:
        services.delete_post(actor=signed_in(request), post_id=post_id)
        return done()


class Likes(APIView):
    """PUT and DELETE /posts/{id}/like."""

    def put(self, request: Request, post_id: int) -> Response:
        services.like_post(account=signed_in(request), post_id=post_id)
        return done()

    def delete(self, request: Request, post_id: int) -> Response:
        services.unlike_post(account=signed_in(request), post_id=post_id)
        return done()


class AccountPosts(APIView):
    """GET /accounts/{id}/posts."""

    def get(self, request: Request, account_id: int) -> Response:
        viewer_id = signed_in(request).pk
        page = posts_of_account(account_id, viewer_id=viewer_id, place=place_of(request))
        liked = liked_ids(viewer_id, [post.pk for post in page.posts])
        posts = [post_dict(post, liked=post.pk in liked) for post in page.posts]
        return page_of(request, "posts", posts, page.next_cursor)


def _answer(request: Request, post: Post) -> Response:
    liked = bool(liked_ids(signed_in(request).pk, [post.pk]))
    return Response(post_dict(post, liked=liked), headers=PRIVATE)
