"""The form of a menu: a text, a day, a currency, and when it is sent a photo more. Its dishes are in dish_rows, the
photos that are uploaded already in photo_rows."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.conf import settings
from django.utils.translation import gettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from posts.dish_rows import CURRENCIES
from posts.models import ALT_LENGTH, REASON_LENGTH, TEXT_LENGTH
from social.forms import TextField

PHOTO_TYPES = "image/jpeg,image/png,image/webp,image/gif"


def most_megabytes() -> str:
    return f"{settings.MEDIA_MAX_BYTES / (1 << 20):g}"


class MenuForm(forms.Form):
    """`once` is drawn for each new menu's form that is shown: sent twice, it publishes once. `seen` says from which
    state of a menu an edit began.
    """

    text = TextField(
        label=_("What is it about?"),
        max_length=TEXT_LENGTH,
        multiline=True,
        required=False,
        help_text=_("A sentence or two; where to fetch it, until when."),
        widget=forms.Textarea(attrs={"rows": 3}),
    )
    day = forms.DateField(
        label=_("For which day?"),
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
    )
    currency = forms.ChoiceField(label=pgettext_lazy("a menu's currency", "Prices in"), required=False)
    photo = forms.FileField(
        label=_("Add a photo"),
        required=False,
        allow_empty_file=True,
        widget=forms.FileInput(attrs={"accept": PHOTO_TYPES}),
    )
    photo_alt = TextField(
        label=_("What is on the photo?"),
        max_length=ALT_LENGTH,
        required=False,
        help_text=_("For people who cannot see it."),
    )
    once = forms.RegexField(r"^[A-Za-z0-9_-]{1,64}\Z", required=False, widget=forms.HiddenInput)
    seen = forms.CharField(required=False, max_length=40, widget=forms.HiddenInput)

    def __init__(self, *args: Any, currencies: Sequence[str] = CURRENCIES, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["photo"].help_text = gettext(
            "JPEG, PNG, WebP or GIF, up to %(most)s MB. What the file says of place and time is removed."
        ) % {"most": most_megabytes()}
        currency = self.fields["currency"]
        assert isinstance(currency, forms.ChoiceField)
        currency.choices = [(code, code) for code in currencies]

    def fill_in(self, **values: Any) -> None:
        """Give fields other values than were sent."""
        data: Any = self.data
        self.data = filled = data.copy()
        for name, value in values.items():
            filled[name] = value


class ReportForm(forms.Form):
    reason = TextField(
        label=_("What is wrong with it?"),
        max_length=REASON_LENGTH,
        multiline=True,
        widget=forms.Textarea(attrs={"rows": 3}),
    )
