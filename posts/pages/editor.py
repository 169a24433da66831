"""The form of a menu as a page: filled in, as typed, and what its buttons do beside publishing.

"Add a dish" and the like are submits too. Each gives the same form back, changed by that button and nothing else,
unchecked, since nobody asked for a check yet; htmx takes the part that changed.
"""

import secrets
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from posts.dish_rows import (
    FIRST_ROWS,
    PREFIX,
    BaseDishFormSet,
    TakenOut,
    add_row,
    currencies_with,
    dishes_of,
    most_used,
    put_row_back,
    rows_of,
    take_out_row,
    typed_rows,
    without_ids,
)
from posts.forms import MenuForm, most_megabytes
from posts.media.imaging import WIDTHS
from posts.media.uploading import TooLarge, upload_photo
from posts.models import MAX_PHOTOS, Post
from posts.photo_rows import PhotoRows, photos_of, typed_photos
from posts.selectors import usual_currency
from posts.services import today_of
from social.errors import Refusal
from social.limits import limit_upload
from social.models import Account
from social.viewing import show

HEAVY_BYTES = 1 << 20  # a script draws larger photos smaller before it sends them


@dataclass(slots=True)
class Editor:
    """A menu's form with its rows. `post`: the menu that is edited. `focus` names what gets the cursor: the name of a
    field, or of a photo or a button. `photos_left`: of the earlier menu that it begins with, which keeps them.
    """

    cook: Account
    form: MenuForm
    rows: BaseDishFormSet
    photos: PhotoRows
    post: Post | None = None
    taken_out: TakenOut | None = None
    focus: str = ""
    photos_left: bool = False

    def is_valid(self) -> bool:
        """Whether all of it can be saved, as far as a form can tell."""
        checks = [self.form.is_valid(), self.rows.is_valid(), self.photos.is_valid()]
        if self.photos.gone:
            self.form.add_error("photo", photo_gone())
        return all(checks)

    def dishes(self) -> list[dict[str, Any]]:
        currency = self.form.cleaned_data["currency"] or usual_currency(self.cook)
        return self.rows.dishes(currency, kept=self.post is not None)


def new_key() -> str:
    return secrets.token_urlsafe(16)


def empty_editor(cook: Account) -> Editor:
    initial = {"day": today_of(cook), "once": new_key(), "currency": usual_currency(cook)}
    return Editor(cook, MenuForm(initial=initial), rows_of([], empty=FIRST_ROWS), photos_of(cook))


def editor_like(cook: Account, earlier: Post) -> Editor:
    """A new menu for today with what an earlier one said and served. Photos are of their day, which is said."""
    dishes = dishes_of(earlier)
    initial = {"day": today_of(cook), "once": new_key(), "text": earlier.text}
    form = MenuForm(
        initial=initial | {"currency": most_used(dishes) or usual_currency(cook)},
        currencies=currencies_with(dishes),
    )
    rows = rows_of(dishes, empty=1, again=True)
    return Editor(cook, form, rows, photos_of(cook), photos_left=bool(earlier.photos.all()))


def editor_of(cook: Account, post: Post) -> Editor:
    """A menu as it is."""
    dishes = dishes_of(post)
    initial = {"text": post.text, "day": post.day, "seen": post.state}
    form = MenuForm(
        initial=initial | {"currency": most_used(dishes) or usual_currency(cook)},
        currencies=currencies_with(dishes),
    )
    return Editor(cook, form, rows_of(dishes, empty=1), photos_of(cook, post), post)


def onto(editor: Editor, post: Post) -> Editor:
    """What was typed for a menu as it was, as a change of the menu as it is: dishes that have gone are new ones."""
    there = {dish.pk for dish in dishes_of(post)}
    editor.post = post
    editor.form.fill_in(seen=post.state)
    editor.rows = typed_rows(
        without_ids(editor.rows.data, keep=there), currencies=currencies_with(dishes_of(post))
    )
    editor.photos = editor.photos.without_gone(post)
    return editor


def as_new(editor: Editor) -> Editor:
    """What was typed for a menu that is gone, as a new one."""
    editor.post = None
    editor.form.fill_in(once=new_key())
    return editor


def typed_editor(request: HttpRequest, cook: Account, post: Post | None = None, data: Any = None) -> Editor:
    """What was sent; `data` in its place where a button has changed it."""
    data = request.POST if data is None else data
    currencies = currencies_with(dishes_of(post) if post else [])
    return Editor(
        cook,
        MenuForm(data, request.FILES, currencies=currencies),
        typed_rows(data, currencies=currencies),
        typed_photos(cook, data, post),
        post,
    )


# --- Buttons ---------------------------------------------------------------------------------------------------


def after_button(request: HttpRequest, cook: Account, post: Post | None = None) -> Editor | None:
    """The form after the button that was pressed; None if that was the one that saves."""
    sent = request.POST
    if "add-dish" in sent:
        editor = typed_editor(request, cook, post, add_row(sent))
        editor.focus = f"{PREFIX}-{editor.rows.total_form_count() - 1}-name"
    elif "remove-dish" in sent:
        data, taken_out = take_out_row(sent, sent["remove-dish"])
        editor = typed_editor(request, cook, post, data)
        editor.taken_out = taken_out
        editor.focus = "put-back" if taken_out else "add-dish"
    elif "put-back" in sent:
        data, number = put_row_back(sent, sent["put-back"])
        editor = typed_editor(request, cook, post, data)
        editor.focus = f"{PREFIX}-{number}-name"
    elif not {"add-photo", "remove-photo", "first-photo", "as-typed"} & sent.keys():
        return None
    else:
        editor = typed_editor(request, cook, post)
    return _with_photos_changed(request, editor)


def _with_photos_changed(request: HttpRequest, editor: Editor) -> Editor:
    """A photo that was chosen is uploaded whatever was pressed: no browser sends it a second time."""
    sent, photos = request.POST, editor.photos
    known = len(photos.rows)
    take_photo(request, editor)
    if "add-photo" in sent:
        editor.focus = f"photo-{photos.ids[-1]}" if len(photos.rows) > known else "photo"
    elif "remove-photo" in sent:
        photos.take_out(sent["remove-photo"])
        editor.focus = "photo"
    elif "first-photo" in sent:
        photos.put_first(sent["first-photo"])
        editor.focus = f"photo-{sent['first-photo']}"
    if photos.gone:
        editor.form.add_error("photo", photo_gone())
    for row in editor.rows.forms:
        if f"{row.prefix}-name" == editor.focus:
            row.fields["name"].widget.attrs["autofocus"] = True
    wrong = editor.form.errors.get("photo")
    for part in (editor.form, *editor.rows.forms):
        part.errors.clear()
    if wrong:
        editor.form.errors["photo"] = wrong
    return editor


def take_photo(request: HttpRequest, editor: Editor) -> bool:
    """Upload a photo that was chosen, so that it need not be chosen again when something else is not right. False if
    it cannot be used; the form says why.
    """
    form = editor.form
    if form.errors.get("photo"):
        return False
    photo = form.cleaned_data.get("photo")
    if photo is None:
        return True
    alt = form.data.get("photo_alt", "")
    try:
        limit_upload(request, editor.cook.pk)
        if not editor.photos.room:
            raise Refusal(
                ngettext("A menu has at most %(n)d photo.", "A menu has at most %(n)d photos.", MAX_PHOTOS)
                % {"n": MAX_PHOTOS}
            )
        kept = upload_photo(owner=editor.cook, file=photo, alt=form.cleaned_data.get("photo_alt", ""))
    except TooLarge:
        form.add_error("photo", too_large())
        return False
    except Refusal as refusal:
        form.add_error("photo", [word for words in refusal.errors.values() for word in words] or str(refusal))
        return False
    editor.photos.add(kept, alt)
    form.errors.pop("photo_alt", None)  # said at the photo
    form.fill_in(photo_alt="")
    return True


def photo_gone() -> str:
    return _("The photo is not there any more. Choose it once more.")


def too_large() -> str:
    return _("The photo is larger than %(most)s MB. Your menu is kept; choose a smaller photo.") % {
        "most": most_megabytes()
    }


# --- The page --------------------------------------------------------------------------------------------------


def show_editor(request: HttpRequest, editor: Editor, status: int = 200, **more: Any) -> HttpResponse:
    context = {
        "editor": editor,
        "form": editor.form,
        "rows": editor.rows,
        "photos": editor.photos,
        "post": editor.post,
        "most_bytes": settings.MEDIA_MAX_BYTES,
        "heavy_bytes": min(HEAVY_BYTES, settings.MEDIA_MAX_BYTES),
        "widest_pixels": WIDTHS[-1],
        "too_large": too_large(),
    }
    template = "posts/edit.html" if editor.post else "posts/new.html"
    return show(request, template, context | more, status=status)
