"""Forms for becoming known: sign up, sign in."""

from typing import Any
from zoneinfo import available_timezones

from django import forms
from django.utils.translation import gettext_lazy as _

from social.models import USERNAME_LENGTH
from social.text import clean_text


class TextField(forms.CharField):
    """Text as `social.text` wants it: storable, trimmed, and not of invisible characters alone."""

    def __init__(self, *, max_length: int, multiline: bool = False, **kwargs: Any) -> None:
        super().__init__(strip=False, **kwargs)
        self.text_length, self.multiline = max_length, multiline
        self.widget.attrs |= {"maxlength": str(max_length), "dir": "auto"}

    def clean(self, value: Any) -> str:
        try:
            text = clean_text(value or "", max_length=self.text_length, multiline=self.multiline)
        except ValueError as error:
            raise forms.ValidationError(str(error)) from None
        return str(super().clean(text))


class SignInForm(forms.Form):
    username = forms.CharField(
        label=_("Username"),
        widget=forms.TextInput(
            attrs={"autocomplete": "username", "autocapitalize": "none", "spellcheck": "false"}
        ),
    )
    password = forms.CharField(
        label=_("Password"),
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )


class SignUpForm(forms.Form):
    """Shape only; the service has the last word on each field."""

    display_name = TextField(
        label=_("Your name"),
        max_length=60,
        help_text=_("As your neighbours know you."),
        widget=forms.TextInput(attrs={"autocomplete": "name"}),
    )
    username = forms.CharField(
        label=_("Username"),
        max_length=USERNAME_LENGTH,
        help_text=_("Small letters, digits, dots, dashes and underscores."),
        widget=forms.TextInput(
            attrs={"autocomplete": "username", "autocapitalize": "none", "spellcheck": "false"}
        ),
    )
    email = forms.EmailField(
        label=_("E-mail (optional)"),
        required=False,
        help_text=_("Only to help you back in should you forget your password."),
        widget=forms.EmailInput(attrs={"autocomplete": "email"}),
    )
    password = forms.CharField(
        label=_("Password"),
        strip=False,
        help_text=_("At least 8 characters."),
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}, render_value=True),
    )
    city = TextField(
        label=_("City (optional)"),
        max_length=60,
        required=False,
        widget=forms.TextInput(attrs={"autocomplete": "address-level2"}),
    )
    is_cook = forms.BooleanField(label=_("I cook, and want to publish menus"), required=False)
    # Filled in by the browser; days then begin at the person's own midnight.
    time_zone = forms.CharField(required=False, max_length=60, widget=forms.HiddenInput)

    def clean_time_zone(self) -> str:
        zone = self.cleaned_data["time_zone"]
        return zone if zone in available_timezones() else "UTC"


def add_refusal(form: forms.Form, message: str, errors: dict[str, list[str]]) -> None:
    """Put a service's refusal at the fields it is about, and what is about none of them on top."""
    for name, messages in errors.items():
        form.add_error(name if name in form.fields else None, messages)
    if not errors:
        form.add_error(None, message)
