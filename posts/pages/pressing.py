"""What a press on a menu's page does: like it, and say that a dish is sold out.

Each leads back to the page it was pressed on; for htmx, a like answers with the button alone.
"""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.http import require_POST

from posts.pages.gone import show_gone
from posts.rendering import post_dict
from posts.selectors import count_likes, get_visible_post
from posts.services import like_post, set_sold_out, unlike_post
from social.errors import NotFound, Refusal
from social.viewing import for_signed_in, safe_next, show, show_refusal, the_signed_in


@require_POST
@for_signed_in
def like(request: HttpRequest, post_id: int) -> HttpResponse:
    return _change_like(request, post_id, like_post, liked=True)


@require_POST
@for_signed_in
def unlike(request: HttpRequest, post_id: int) -> HttpResponse:
    return _change_like(request, post_id, unlike_post, liked=False)


def _change_like(
    request: HttpRequest, post_id: int, change: Callable[..., None], *, liked: bool
) -> HttpResponse:
    viewer, back = the_signed_in(request), safe_next(request, reverse("menu", args=[post_id]))
    try:
        change(account=viewer, post_id=post_id)
        if not getattr(request, "htmx", False):
            return HttpResponseRedirect(f"{back}#menu-{post_id}")
        post = get_visible_post(viewer_id=viewer.pk, post_id=post_id)
    except NotFound:
        return show_gone(request, post_id)
    except Refusal as refusal:
        return show_refusal(request, refusal)
    context = {"post": post_dict(post, liked=liked), "likes": count_likes(post), "next": back}
    return show(request, "posts/_like.html", context)


@require_POST
@for_signed_in
def sold_out(request: HttpRequest, post_id: int, dish_id: int) -> HttpResponse:
    """One tap for each dish, on the menu's page and on its cook's own (`next`). `sold_out` says which way, so that a
    second click changes nothing.
    """
    wanted = request.POST.get("sold_out") == "yes"
    try:
        set_sold_out(actor=the_signed_in(request), post_id=post_id, dish_id=dish_id, sold_out=wanted)
    except Refusal as refusal:
        return show_refusal(request, refusal)
    if back := safe_next(request, ""):
        return HttpResponseRedirect(f"{back}#menu-{post_id}")
    return HttpResponseRedirect(f"{reverse('menu', args=[post_id])}#dish-{dish_id}")
