"""Forms for becoming known: sign up, sign in."""

from typing import Any
from zoneinfo import available_timezones

from django import forms
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from social.models import USERNAME_LENGTH, Account
from social.text import clean_text

PASSWORD_LENGTH = 128


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


class NewPasswordField(forms.CharField):
    def __init__(self) -> None:
        super().__init__(
            label=_("New password"),
            max_length=PASSWORD_LENGTH,
            strip=False,
            help_text=_("At least 8 characters."),
            widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
        )


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
    """What is wrong is said all at once; the service has the last word on each field."""

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
        help_text=_("For a new password, should you forget yours. Other people never see it."),
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
        widget=forms.TextInput(attrs={"autocomplete": "address-level2", "list": "known-cities"}),
    )
    is_cook = forms.BooleanField(label=_("I cook, and want to publish menus"), required=False)
    # Filled in by the browser; days then begin at the person's own midnight.
    time_zone = forms.CharField(required=False, max_length=60, widget=forms.HiddenInput)

    def clean_time_zone(self) -> str:
        zone = self.cleaned_data["time_zone"]
        return zone if zone in available_timezones() else "UTC"

    def clean(self) -> dict[str, Any]:
        """Ask what the service would refuse of the fields that are well formed, whatever the others are."""
        fields = dict(super().clean() or self.cleaned_data)
        password = fields.pop("password", None)
        if "username" in fields:
            fields["username"] = Account.normalize_username(fields["username"])
        account = Account(**fields)
        try:
            account.full_clean(exclude={field.name for field in Account._meta.fields} - fields.keys())
        except ValidationError as error:
            self.add_error(None, error)
        if password is not None:
            try:
                validate_password(password, account)
            except ValidationError as error:
                self.add_error("password", error)
        return self.cleaned_data


class AskForPasswordForm(forms.Form):
    email = forms.EmailField(
        label=_("E-mail"), max_length=254, widget=forms.EmailInput(attrs={"autocomplete": "email"})
    )


class NewPasswordForm(forms.Form):
    """For the account `user`, which the link has named; the service has the last word."""

    new_password = NewPasswordField()

    def __init__(self, user: Account | None, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.user = user


def add_refusal(form: forms.Form, message: str, errors: dict[str, list[str]]) -> None:
    """Put a service's refusal at the fields it is about, and what is about none of them on top."""
    for name, messages in errors.items():
        form.add_error(name if name in form.fields else None, messages)
    if not errors:
        form.add_error(None, message)


def hide_passwords(form: forms.Form) -> None:
    """What was typed is shown again, but for passwords."""
    for field in form.fields.values():
        if isinstance(field.widget, forms.PasswordInput):
            field.widget.render_value = False
