"""What answers about accounts look like, for the API's document. social/rendering.py makes them; a test compares."""

from django.conf import settings
from rest_framework import serializers

from social.describing import COUNT, CURSOR, FLAG, ID, MOMENT, NEXT, Schema, Shown, or_null, text
from social.models import USERNAME_LENGTH

SHOWN_USERNAME: Schema = text(USERNAME_LENGTH) | {"pattern": r"^[a-z0-9](?:[a-z0-9._-]{0,28}[a-z0-9_])?$"}
ADDRESS: Schema = or_null({"type": "string", "format": "uri-reference", "minLength": 1, "maxLength": 300})


class Author(serializers.Serializer):
    id = Shown(ID)
    username = Shown(SHOWN_USERNAME)
    display_name = Shown(text(60))
    avatar_url = Shown(ADDRESS, "A picture, or null.")
    city = Shown(text(60))


class Relation(serializers.Serializer):
    """What is between an account and who asks."""

    following = Shown(FLAG, "You follow this account.")
    requested = Shown(FLAG, "You have asked to follow it, and wait.")
    followed_by = Shown(FLAG, "It follows you.")
    blocking = Shown(FLAG, "You block it.")
    muting = Shown(FLAG, "You mute it.")


class Account(serializers.Serializer):
    id = Shown(ID)
    username = Shown(SHOWN_USERNAME)
    display_name = Shown(text(60))
    bio = Shown(text(500))
    city = Shown(text(60))
    cuisine = Shown(text(60))
    avatar_url = Shown(ADDRESS, "A picture, or null.")
    order_url = Shown(ADDRESS, "Where one orders, or null.")
    is_cook = Shown(FLAG, "May publish menus.")
    is_private = Shown(FLAG, "Menus and lists are for followers only.")
    follower_count = Shown(COUNT, "Right within two seconds.")
    following_count = Shown(COUNT)
    relation = Relation(read_only=True)


class OwnAccount(Account):
    """One's own account: with what nobody else sees."""

    email = Shown(text(254), "Empty when there is none.")
    time_zone = Shown(text(60), "A name like Europe/Lisbon.")
    language = Shown({"type": "string", "enum": [code for code, _ in settings.LANGUAGES]})


class AccountPage(serializers.Serializer):
    accounts = Account(many=True, read_only=True)
    next_cursor = Shown(or_null(CURSOR), NEXT)


class FollowRequest(serializers.Serializer):
    id = Shown(ID, "Of the account that asks, as in the addresses that accept and reject.")
    account = Account(read_only=True)
    created_at = Shown(MOMENT)


class RequestPage(serializers.Serializer):
    requests = FollowRequest(many=True, read_only=True)
    next_cursor = Shown(or_null(CURSOR), NEXT)


class FollowState(serializers.Serializer):
    status = Shown({"type": "string", "const": "requested"})


class TokenPair(serializers.Serializer):
    access = Shown({"type": "string", "minLength": 1}, "For 15 minutes, in the header Authorization.")
    refresh = Shown({"type": "string", "minLength": 1}, "For 30 days, for the next pair.")
