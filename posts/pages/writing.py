"""Write a menu, edit it, delete it."""

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from posts.idempotency import Answer, Call, KeyUsed, answer_once, body_of, fingerprint_of
from posts.media.uploading import describe_photo
from posts.models import Post
from posts.pages.earlier import earlier_menus
from posts.pages.editor import (
    Editor,
    after_button,
    as_new,
    editor_like,
    editor_of,
    empty_editor,
    new_key,
    onto,
    photo_gone,
    show_editor,
    take_photo,
    typed_editor,
)
from posts.pages.gone import show_gone
from posts.pages.signed_out import keeps_what_was_typed
from posts.rendering import post_dict
from posts.selectors import get_own_post
from posts.services import Changed, delete_post, edit_post, publish_post
from social.errors import NotACook, NotFound, Refusal
from social.forms import add_refusal
from social.models import Account
from social.viewing import for_signed_in, show, show_refusal, the_signed_in

PATIENCE = 3.0  # seconds that the second click of a double click waits for the first


@require_http_methods(["GET", "HEAD", "POST"])
@keeps_what_was_typed
@for_signed_in
def new_menu(request: HttpRequest) -> HttpResponse:
    """Write a menu; `from` in the address names an earlier one of hers to begin with."""
    cook = the_signed_in(request)
    if not cook.is_cook:
        return show(request, "posts/not_a_cook.html", status=NotACook.status)
    if request.method != "POST":
        return show_editor(request, _first_editor(request, cook), earlier=earlier_menus(cook))
    if changed := after_button(request, cook):
        return show_editor(request, changed)
    editor = typed_editor(request, cook)
    if take_photo(request, editor) & editor.is_valid() and (post_id := _publish(request, editor)):
        return _done(post_id, f"new.{editor.form.cleaned_data['once']}")
    return show_editor(request, editor, status=400)


def _done(post_id: int, what: str) -> HttpResponse:
    """To the menu. The cookie tells the browser's script that what it has kept of this form is published."""
    response = redirect("menu", post_id)
    response.set_cookie(
        "menu_done", what, max_age=86400, path="/menus", secure=settings.SESSION_COOKIE_SECURE, samesite="Lax"
    )
    return response


def _first_editor(request: HttpRequest, cook: Account) -> Editor:
    """Empty, or like an earlier menu of hers; what is none, or gone, is left out."""
    number = request.GET.get("from", "")
    if number.isascii() and number.isdecimal() and len(number) < 17:
        try:
            return editor_like(cook, get_own_post(actor=cook, post_id=int(number)))
        except Refusal:
            pass
    return empty_editor(cook)


def _publish(request: HttpRequest, editor: Editor) -> int | None:
    """The id of the menu that this form has published, now or when it was sent before; None: it says why not."""
    fresh = []

    def publish() -> Answer:
        post = _publish_new(editor)
        fresh.append(post.pk)
        return Answer(302, str(post.pk))

    try:
        call = _call_of(request, editor.cook)
        answer = answer_once(call, publish, patience=PATIENCE) if call else publish()
    except KeyUsed:
        editor.form.fill_in(once=new_key())
        editor.form.add_error(
            None, _("This form has published a menu already. Publish again to make this another one.")
        )
        return None
    except Refusal as refusal:
        _add_refusal(editor, refusal)
        return None
    if fresh:
        messages.success(request, _first_words(editor.cook))
    else:
        messages.success(request, _("Your menu is out. It was sent twice, and is published once."))
    return int(answer.body)


def _first_words(cook: Account) -> str:
    if cook.follower_count:
        return _("Your menu is out. Everyone who follows you sees it now.")
    return _("Your menu is out. Nobody follows you yet; whoever does finds it.")


def _publish_new(editor: Editor) -> Post:
    _describe(editor)
    return publish_post(
        author=editor.cook,
        text=editor.form.cleaned_data["text"],
        dishes=editor.dishes(),
        media_ids=editor.photos.ids,
        day=editor.form.cleaned_data["day"],
    )


def _describe(editor: Editor) -> None:
    """Photos that no menu shows yet get the words that were typed for them."""
    for row in editor.photos.rows:
        if row.photo.post_id is None:
            describe_photo(owner=editor.cook, media_id=row.photo.pk, alt=row.alt)


def _call_of(request: HttpRequest, cook: Account) -> Call | None:
    """What a form that is sent twice is known by; None for one that was not drawn here."""
    sent = request.POST.copy()
    sent.pop("csrfmiddlewaretoken", None)
    once = sent.get("once")
    if not once:
        return None
    body = [body_of(sent), body_of(request.FILES)]
    return Call(cook.pk, f"form {once}", fingerprint_of("new menu", body))


def _add_refusal(editor: Editor, refusal: Refusal) -> None:
    if "media_ids" not in refusal.errors:
        add_refusal(editor.form, str(refusal), refusal.errors)
        return
    # One lay too long, or is on a menu by now.
    editor.photos = editor.photos.without_gone(editor.post)
    editor.form.add_error("photo", photo_gone())


@require_http_methods(["GET", "HEAD", "POST"])
@keeps_what_was_typed
@for_signed_in
def edit_menu(request: HttpRequest, post_id: int) -> HttpResponse:
    """The form of a new menu, filled in."""
    cook = the_signed_in(request)
    try:
        post = get_own_post(actor=cook, post_id=post_id)
    except NotFound:
        return _show_lost(request, cook, post_id)
    except Refusal as refusal:
        return show_refusal(request, refusal)
    if request.method != "POST":
        return show_editor(request, editor_of(cook, post))
    if changed := after_button(request, cook, post):
        return show_editor(request, changed)
    editor = typed_editor(request, cook, post)
    try:
        if take_photo(request, editor) & editor.is_valid() and _edit(editor, post):
            messages.success(request, _("The menu is changed, for everyone."))
            return _done(post.pk, f"edit-{post.pk}.{editor.form.cleaned_data['seen']}")
    except Changed as refusal:
        return _show_changed(request, editor, post, refusal)
    except NotFound:
        return _show_lost(request, cook, post_id)
    return show_editor(request, editor, status=400)


def _show_changed(request: HttpRequest, editor: Editor, post: Post, refusal: Changed) -> HttpResponse:
    """Another device was faster: what it made of the menu, and what was typed here, which the next press saves."""
    now = get_own_post(actor=editor.cook, post_id=post.pk)
    return show_editor(request, onto(editor, now), status=refusal.status, meanwhile=post_dict(now))


def _show_lost(request: HttpRequest, cook: Account, post_id: int) -> HttpResponse:
    """The menu is not there; what was typed for it can be published as another."""
    if request.method != "POST" or not cook.is_cook:
        return show_gone(request, post_id)
    return show_editor(request, as_new(typed_editor(request, cook)), status=404, deleted=True)


def _edit(editor: Editor, post: Post) -> bool:
    """Changed, NotFound; what else is not right the form says."""
    _describe(editor)
    try:
        edit_post(
            actor=editor.cook,
            post_id=post.pk,
            text=editor.form.cleaned_data["text"],
            dishes=editor.dishes(),
            day=editor.form.cleaned_data["day"],
            media_ids=editor.photos.ids if editor.photos.named else None,
            alts=editor.photos.alts,
            seen=editor.form.cleaned_data["seen"],
        )
    except (Changed, NotFound):
        raise
    except Refusal as refusal:
        _add_refusal(editor, refusal)
        return False
    return True


@require_POST
@for_signed_in
def delete_menu(request: HttpRequest, post_id: int) -> HttpResponse:
    cook = the_signed_in(request)
    try:
        delete_post(actor=cook, post_id=post_id)
    except NotFound:
        return show_gone(request, post_id)
    except Refusal as refusal:
        return show_refusal(request, refusal)
    messages.success(request, _("The menu is deleted. Nobody sees it any more."))
    return redirect("profile", cook.username)
