"""Write a menu, edit it, delete it."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from posts.forms import MORE_ROWS, MenuForm, NewMenuForm, dish_rows, rows_of
from posts.models import Post
from posts.selectors import get_own_post
from posts.services import delete_post, edit_post, publish_post, today_of
from social.errors import NotACook, NotFound, Refusal
from social.forms import add_refusal
from social.models import Account
from social.viewing import for_signed_in, show, show_refusal, the_signed_in


@require_http_methods(["GET", "HEAD", "POST"])
@for_signed_in
def new_menu(request: HttpRequest) -> HttpResponse:
    """Write a menu. "Add a dish" is a submit too, which gives the same form back with a row more."""
    cook = the_signed_in(request)
    if not cook.is_cook:
        return show(request, "posts/not_a_cook.html", status=NotACook.status)
    if request.method != "POST":
        return _show_new(request, NewMenuForm(initial={"day": today_of(cook)}), dish_rows())
    if "add-dish" in request.POST:
        return _show_new(request, *_with_more_rows(NewMenuForm(request.POST), request.POST))
    form, rows = NewMenuForm(request.POST), dish_rows(request.POST)
    if form.is_valid() & rows.is_valid() and (post := _publish(cook, form, rows)):
        messages.success(request, _("Your menu is out. Everyone who follows you sees it now."))
        return redirect("menu", post.pk)
    return _show_new(request, form, rows, status=400)


def _publish(cook: Account, form: NewMenuForm, rows: Any) -> Post | None:
    try:
        return publish_post(
            author=cook,
            text=form.cleaned_data["text"],
            dishes=rows.dishes(),
            photos=form.photos(),
            day=form.cleaned_data["day"],
        )
    except Refusal as refusal:
        add_refusal(form, str(refusal), refusal.errors)
        return None


@require_http_methods(["GET", "HEAD", "POST"])
@for_signed_in
def edit_menu(request: HttpRequest, post_id: int) -> HttpResponse:
    """The form of a new menu, filled in; its photos stay as they are."""
    cook = the_signed_in(request)
    try:
        post = get_own_post(actor=cook, post_id=post_id)
    except NotFound:
        return show(request, "posts/gone.html", status=404)
    except Refusal as refusal:
        return show_refusal(request, refusal)
    if request.method != "POST":
        return _show_edit(
            request, post, MenuForm(initial={"text": post.text, "day": post.day}), rows_of(post)
        )
    if "add-dish" in request.POST:
        return _show_edit(request, post, *_with_more_rows(MenuForm(request.POST), request.POST, post))
    form, rows = MenuForm(request.POST), rows_of(post, request.POST)
    if form.is_valid() & rows.is_valid() and _edit(cook, post, form, rows):
        messages.success(request, _("The menu is changed, for everyone."))
        return redirect("menu", post.pk)
    return _show_edit(request, post, form, rows, status=400)


def _edit(cook: Account, post: Post, form: MenuForm, rows: Any) -> bool:
    try:
        edit_post(
            actor=cook,
            post_id=post.pk,
            text=form.cleaned_data["text"],
            dishes=rows.dishes(),
            day=form.cleaned_data["day"],
        )
    except Refusal as refusal:
        add_refusal(form, str(refusal), refusal.errors)
        return False
    return True


def _with_more_rows(form: MenuForm, data: Any, post: Post | None = None) -> tuple[MenuForm, Any]:
    """The form as typed, unchecked, with one row more, which has the cursor."""
    rows = rows_of(post, data, more=MORE_ROWS) if post else dish_rows(data, more=MORE_ROWS)
    for part in (form, *rows.forms):
        part.errors.clear()  # nobody asked for a check yet
    rows.forms[-1].fields["name"].widget.attrs["autofocus"] = True
    return form, rows


def _show_new(request: HttpRequest, form: MenuForm, rows: Any, status: int = 200) -> HttpResponse:
    return show(request, "posts/new.html", {"form": form, "rows": rows}, status=status)


def _show_edit(
    request: HttpRequest, post: Post, form: MenuForm, rows: Any, status: int = 200
) -> HttpResponse:
    return show(request, "posts/edit.html", {"post": post, "form": form, "rows": rows}, status=status)


@require_POST
@for_signed_in
def delete_menu(request: HttpRequest, post_id: int) -> HttpResponse:
    cook = the_signed_in(request)
    try:
        delete_post(actor=cook, post_id=post_id)
    except NotFound:
        return show(request, "posts/gone.html", status=404)
    except Refusal as refusal:
        return show_refusal(request, refusal)
    messages.success(request, _("The menu is deleted. Nobody sees it any more."))
    return redirect("profile", cook.username)
