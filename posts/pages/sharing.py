"""What other programs show of a link to us: a title, a few words, a picture.

Of private accounts nothing: whoever may see their pages is not whom the link is shown to.
"""

from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest
from django.urls import reverse
from django.utils.text import Truncator
from django.utils.translation import gettext as _

from posts.models import Post
from posts.templatetags.menus import price
from social.models import Account

WORDS_LENGTH = 240


@dataclass(frozen=True, slots=True)
class Preview:
    """Addresses are whole ones. `image` is empty where there is none; `large`: it is worth a card of its own."""

    url: str
    image: str = ""
    alt: str = ""
    width: int = 0
    height: int = 0
    large: bool = False


def preview_of_menu(request: HttpRequest, post: Post, shown: dict[str, Any]) -> Preview | None:
    """With the first photo that is ready, else the cook's picture. `shown`: the menu as posts.rendering gives it."""
    if post.author.is_private:
        return None
    url = request.build_absolute_uri(reverse("menu", args=[post.pk]))
    for photo in shown["photos"]:
        if photo["url"]:
            image = request.build_absolute_uri(photo["url"])
            return Preview(url, image, photo["alt"], photo["width"], photo["height"], large=True)
    return Preview(url, *_picture_of(request, post.author))


def preview_of_account(request: HttpRequest, account: Account) -> Preview | None:
    if account.is_private:
        return None
    url = request.build_absolute_uri(reverse("profile", args=[account.username]))
    return Preview(url, *_picture_of(request, account))


def _picture_of(request: HttpRequest, account: Account) -> tuple[str, str]:
    """The address of an avatar and what it shows."""
    if not account.avatar_url:
        return "", ""
    return request.build_absolute_uri(account.avatar_url), account.display_name


def words_about_menu(shown: dict[str, Any]) -> str:
    """What there is to eat and for how much, then what the cook says of it, in one line."""
    sold_out = _("(sold out)")
    lines = [(dish["name"], sold_out if dish["sold_out"] else price(dish)) for dish in shown["dishes"]]
    dishes = ", ".join(f"{name} {cost}" for name, cost in lines)
    return _in_one_line(" – ".join(filter(None, (dishes, shown["text"]))))


def words_about_account(account: Account) -> str:
    """What she says of herself, else where she is and what she cooks; nothing of a private account."""
    if account.is_private:
        return ""
    return _in_one_line(account.bio or ", ".join(filter(None, (account.cuisine, account.city))))


def _in_one_line(text: str) -> str:
    return Truncator(" ".join(text.split())).chars(WORDS_LENGTH)
