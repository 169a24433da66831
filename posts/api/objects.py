"""What answers about menus look like, for the API's document. posts/rendering.py makes them; a test compares."""

from rest_framework import serializers

from posts import currencies
from posts.models import MAX_DISHES, MAX_PHOTOS, TAGS, TEXT_LENGTH
from social.api.objects import Author
from social.describing import COUNT, CURSOR, FLAG, ID, MOMENT, NEXT, Shown, or_null, text


class Dish(serializers.Serializer):
    id = Shown(ID)
    name = Shown(text(120))
    price = Shown({"type": "string", "pattern": r"^[0-9]{1,6}\.[0-9]{2}$"}, "With two decimals.")
    currency = Shown({"type": "string", "enum": sorted(currencies.CODES)}, "ISO 4217.")
    tags = Shown({"type": "array", "items": {"type": "string", "enum": list(TAGS)}, "maxItems": len(TAGS)})
    sold_out = Shown(FLAG)


class Photo(serializers.Serializer):
    media_id = Shown(ID)
    url = Shown({"type": "string", "format": "uri-reference"}, "The largest size; empty until it is ready.")
    srcset = Shown({"type": "string"}, "The sizes there are, as HTML's `srcset`.")
    alt = Shown(text(300), "What it shows, in words.")
    width = Shown(COUNT)
    height = Shown(COUNT)
    placeholder = Shown(
        {"type": "string"}, "To show until it has loaded: a colour, or a tiny picture as data: URL."
    )
    state = Shown(
        {"type": "string", "enum": ["processing", "ready", "failed"]},
        "`failed`: it could not be used, which only its cook is told, by `GET /posts/{id}`.",
    )
    error = Shown({"type": "string", "minLength": 1}, "Of a failed one: what to do, in words.", always=False)


class Post(serializers.Serializer):
    id = Shown(ID)
    author = Author(read_only=True)
    text = Shown(text(TEXT_LENGTH))
    day = Shown({"type": "string", "format": "date"}, "The date the menu is for.")
    dishes = serializers.ListField(child=Dish(), max_length=MAX_DISHES, read_only=True)
    photos = serializers.ListField(child=Photo(), max_length=MAX_PHOTOS, read_only=True)
    created_at = Shown(MOMENT)
    edited_at = Shown(or_null(MOMENT), "Of the last edit that changed something, or null.")
    like_count = Shown(COUNT, "Right within two seconds.")
    liked = Shown(FLAG, "By who asks; right in one's own next read.")


class PublishedPost(Post):
    post_id = Shown(ID, "The same as `id`.")


class PostPage(serializers.Serializer):
    posts = Post(many=True, read_only=True)
    next_cursor = Shown(or_null(CURSOR), NEXT)
