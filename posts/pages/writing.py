"""Write a menu, edit it, delete it."""

import secrets
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from posts.forms import MORE_ROWS, MenuForm, NewMenuForm, dish_rows, rows_of
from posts.idempotency import Answer, Call, KeyUsed, answer_once, body_of, fingerprint_of
from posts.media.uploading import describe_photo, upload_photo
from posts.models import Post
from posts.selectors import get_own_post
from posts.services import delete_post, edit_post, publish_post, today_of
from social.errors import NotACook, NotFound, Refusal
from social.forms import add_refusal
from social.models import Account
from social.viewing import for_signed_in, show, show_refusal, the_signed_in

PATIENCE = 3.0  # seconds that the second click of a double click waits for the first


@require_http_methods(["GET", "HEAD", "POST"])
@for_signed_in
def new_menu(request: HttpRequest) -> HttpResponse:
    """Write a menu. "Add a dish" is a submit too, which gives the same form back with a row more."""
    cook = the_signed_in(request)
    if not cook.is_cook:
        return show(request, "posts/not_a_cook.html", status=NotACook.status)
    if request.method != "POST":
        return _show_new(
            request, NewMenuForm(initial={"day": today_of(cook), "once": new_key()}), dish_rows()
        )
    form, rows = NewMenuForm(request.POST, request.FILES), dish_rows(request.POST)
    if "add-dish" in request.POST:
        _keep_photo(cook, form)
        return _show_new(request, *_with_more_rows(form, request.POST))
    right = form.is_valid() & rows.is_valid()
    if _keep_photo(cook, form) and right and (post_id := _publish(request, cook, form, rows)):
        return redirect("menu", post_id)
    return _show_new(request, form, rows, status=400)


def new_key() -> str:
    return secrets.token_urlsafe(16)


def _keep_photo(cook: Account, form: NewMenuForm) -> bool:
    """Upload a photo that was chosen, so that it need not be chosen again when something else is not right. False if
    it cannot be used; the form says why.
    """
    if form.errors.get("photo"):
        return False
    photo = form.cleaned_data.get("photo")
    if photo is None:
        return True
    try:
        kept = upload_photo(owner=cook, file=photo, alt=form.cleaned_data.get("photo_alt", ""))
    except Refusal as refusal:
        form.add_error("photo", [word for words in refusal.errors.values() for word in words] or str(refusal))
        return False
    form.fill_in(kept=kept.pk)
    form.cleaned_data["kept"] = kept.pk
    return True


def _publish(request: HttpRequest, cook: Account, form: NewMenuForm, rows: Any) -> int | None:
    """The id of the menu that this form has published, now or when it was sent before; None: it says why not."""
    fresh = []

    def publish() -> Answer:
        post = _publish_new(cook, form, rows)
        fresh.append(post.pk)
        return Answer(302, str(post.pk))

    try:
        answer = (
            answer_once(call, publish, patience=PATIENCE) if (call := _call_of(request, cook)) else publish()
        )
    except KeyUsed:
        form.fill_in(once=new_key())
        form.add_error(
            None, _("This form has published a menu already. Publish again to make this another one.")
        )
        return None
    except Refusal as refusal:
        _add_refusal(form, refusal)
        return None
    if fresh:
        messages.success(request, _("Your menu is out. Everyone who follows you sees it now."))
    else:
        messages.success(request, _("Your menu is out. It was sent twice, and is published once."))
    return int(answer.body)


def _publish_new(cook: Account, form: NewMenuForm, rows: Any) -> Post:
    kept = form.cleaned_data["kept"]
    if kept:
        describe_photo(owner=cook, media_id=kept, alt=form.cleaned_data["photo_alt"])
    return publish_post(
        author=cook,
        text=form.cleaned_data["text"],
        dishes=rows.dishes(),
        media_ids=[kept] if kept else [],
        day=form.cleaned_data["day"],
    )


def _call_of(request: HttpRequest, cook: Account) -> Call | None:
    """What a form that is sent twice is known by; None for one that was not drawn here."""
    sent = request.POST.copy()
    sent.pop("csrfmiddlewaretoken", None)
    once = sent.get("once")
    if not once:
        return None
    body = [body_of(sent), body_of(request.FILES)]
    return Call(cook.pk, f"form {once}", fingerprint_of("new menu", body))


def _add_refusal(form: NewMenuForm, refusal: Refusal) -> None:
    if "media_ids" not in refusal.errors:
        add_refusal(form, str(refusal), refusal.errors)
        return
    form.fill_in(kept="")  # it lay too long, or is on a menu by now
    form.add_error("photo", _("The photo is not there any more. Choose it once more."))


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
    photo = form.errors.get("photo")
    for part in (form, *rows.forms):
        part.errors.clear()  # nobody asked for a check yet
    if photo:
        form.errors["photo"] = photo  # which has gone, and has to be chosen anew
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
