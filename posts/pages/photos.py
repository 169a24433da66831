"""Photos of a menu that a worker still makes ready: its cook's page asks for them, for a while."""

from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_safe

from posts.models import Photo, Post
from posts.pages.gone import show_gone
from posts.rendering import post_dict
from posts.selectors import failed_photos, get_own_post
from social.errors import NotFound, Refusal
from social.viewing import for_signed_in, show, show_refusal, the_signed_in

MOST_TRIES = 12
LONGEST_DELAY = 5  # seconds between two tries; the first is after one


@dataclass(frozen=True, slots=True)
class Waiting:
    """`count` photos are not ready and `failed` will never be. `number` is that of the next try, 0 after the last."""

    count: int
    failed: int
    number: int

    @property
    def delay(self) -> int:
        """Seconds until the next try."""
        return min(self.number, LONGEST_DELAY)


def waiting_for(post: Post, number: int = 1) -> Waiting:
    processing = [photo for photo in post.photos.all() if photo.state == Photo.State.PROCESSING]
    return Waiting(len(processing), len(failed_photos(post.pk)), number if number <= MOST_TRIES else 0)


@require_safe
@for_signed_in
def menu_photos(request: HttpRequest, post_id: int) -> HttpResponse:
    """The photos of one's own menu as they are by now, as a part of its page."""
    try:
        post = get_own_post(actor=the_signed_in(request), post_id=post_id)
    except NotFound:
        return show_gone(request, post_id)
    except Refusal as refusal:
        return show_refusal(request, refusal)
    if not getattr(request, "htmx", False):
        return redirect("menu", post_id)
    context = {"post": post_dict(post), "waiting": waiting_for(post, _number(request) + 1)}
    return show(request, "posts/_menu_photos.html", context)


def _number(request: HttpRequest) -> int:
    """Of this try; damage was the last."""
    value = request.GET.get("number", "")
    return int(value) if value.isascii() and value.isdecimal() and len(value) < 4 else MOST_TRIES
