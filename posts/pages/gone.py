"""A menu that is not there: said kindly, with a way on."""

from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from posts.ids import MAX_ID
from posts.models import Post
from social.discovery import CookPage, suggest_cooks
from social.models import Account
from social.rules import may_see
from social.viewing import show, signed_in_account

OFFERED = 4


def show_gone(request: HttpRequest, post_id: int) -> HttpResponse:
    """Its cook, where there still is one whom the viewer may see, and cooks nearby."""
    viewer = signed_in_account(request)
    cook = _cook_of(post_id, viewer.pk if viewer else None)
    city = cook.city if cook else viewer.city if viewer else ""
    lines = suggest_cooks(viewer.pk if viewer else None, city=city, new=True, limit=OFFERED)
    context = {"cook": cook, "page": CookPage(lines, ""), "next": reverse("cooks")}
    return show(request, "posts/gone.html", context, status=404)


def _cook_of(post_id: int, viewer_id: int | None) -> Account | None:
    """Of a menu that is out of sight while its cook is not. A deleted one tells nothing any more."""
    if not 0 < post_id <= MAX_ID:
        return None
    post = Post.objects.filter(may_see(viewer_id, "author"), pk=post_id).select_related("author").first()
    return post.author if post else None
