"""JSON: menus and likes."""

from typing import Any

from django.http import HttpResponse
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from posts import currencies, services
from posts.api.fields import DayField, PriceField
from posts.api.repeats import call_of, created
from posts.models import MAX_DISHES, MAX_PHOTOS, TAGS, TEXT_LENGTH, Post
from posts.rendering import failed_photo_dict, post_dict
from posts.selectors import failed_photos, get_visible_post, liked_ids, posts_of_account
from social.api import CleanTextField
from social.api.answers import PRIVATE, done, page_of, place_of, signed_in
from social.api.fields import ExactBooleanField, ExactNumberField, OneOfField


class DishSerializer(serializers.Serializer):
    name = CleanTextField(max_length=120)
    price = PriceField()
    currency = OneOfField(
        choices=currencies.CODES, hint="Must be an ISO 4217 code like EUR.", required=False, default="EUR"
    )
    tags = serializers.ListField(
        child=OneOfField(choices=TAGS, hint=f"Must be one of {', '.join(TAGS)}."),
        max_length=len(TAGS),
        required=False,
        default=list,
    )
    sold_out = ExactBooleanField(required=False, default=False)


class MenuSerializer(serializers.Serializer):
    text = CleanTextField(
        max_length=TEXT_LENGTH, multiline=True, required=False, allow_blank=True, default=""
    )
    dishes = serializers.ListField(
        child=DishSerializer(), max_length=MAX_DISHES, required=False, default=list
    )
    media_ids = serializers.ListField(
        child=ExactNumberField(), max_length=MAX_PHOTOS, required=False, default=list
    )
    day = DayField(required=False, allow_null=True, default=None)


class EditedDishSerializer(DishSerializer):
    """In an edit: with an `id` the fields that are left out stay, without one it is a new dish."""

    id = ExactNumberField(required=False)
    name = CleanTextField(max_length=120, required=False)
    price = PriceField(required=False)

    def validate(self, dish: dict[str, Any]) -> dict[str, Any]:
        missing = [] if "id" in dish else [name for name in ("name", "price") if name not in dish]
        if missing:
            raise serializers.ValidationError({name: ["This field is required."] for name in missing})
        return dish


class EditSerializer(MenuSerializer):
    """For `partial=True`: only what was sent."""

    dishes = serializers.ListField(child=EditedDishSerializer(), max_length=MAX_DISHES)


class Posts(APIView):
    """POST /posts: publish a menu. It may be repeated with its Idempotency-Key."""

    def post(self, request: Request) -> HttpResponse:
        return created(call_of(request, "POST /posts"), lambda: self._published(request))

    def _published(self, request: Request) -> dict[str, Any]:
        fields = MenuSerializer(data=request.data)
        fields.is_valid(raise_exception=True)
        post = services.publish_post(author=signed_in(request), **fields.validated_data)
        return {"post_id": post.pk, **post_dict(post)}


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
    """A post as its reader sees it; its cook sees too which photos could not be used."""
    viewer_id = signed_in(request).pk
    answer = post_dict(post, liked=bool(liked_ids(viewer_id, [post.pk])))
    if post.author_id == viewer_id:
        answer["photos"] += [failed_photo_dict(photo) for photo in failed_photos(post.pk)]
    return Response(answer, headers=PRIVATE)
