"""Forms of the settings page."""

from typing import Any

from django import forms
from django.conf import settings
from django.core.validators import URLValidator
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from social.forms import NewPasswordField, TextField
from social.zones import zone_names

WEB_ADDRESS = URLValidator(
    schemes=["http", "https"], message=_("This is no web address. Write it like https://example.com/order.")
)


class ProfileForm(forms.Form):
    """What one changes of oneself; the service has the last word on each field.

    `zone`: the account's own, offered too where it is none of those that people choose. `language`: its own too,
    which stays when none is sent.
    """

    display_name = TextField(
        label=_("Your name"), max_length=60, widget=forms.TextInput(attrs={"autocomplete": "name"})
    )
    bio = TextField(
        label=_("About you"),
        max_length=500,
        multiline=True,
        required=False,
        widget=forms.Textarea(attrs={"rows": 3}),
    )
    city = TextField(
        label=_("City"),
        max_length=60,
        required=False,
        widget=forms.TextInput(attrs={"autocomplete": "address-level2", "list": "known-cities"}),
    )
    cuisine = TextField(label=_("Cuisine"), max_length=60, required=False)
    order_url = forms.CharField(
        label=_("Where to order from you"),
        max_length=300,
        required=False,
        help_text=_("A web address, shown on your page and your menus."),
        widget=forms.TextInput(attrs={"autocomplete": "url", "inputmode": "url"}),
    )
    time_zone = forms.ChoiceField(label=_("Time zone"), help_text=_("Your days begin at its midnight."))
    language = forms.ChoiceField(
        label=_("Language"),
        choices=settings.LANGUAGES,
        required=False,
        help_text=_("Of all pages, and of the e-mails that we send you."),
    )
    is_cook = forms.BooleanField(label=_("I cook, and want to publish menus"), required=False)
    is_private = forms.BooleanField(
        label=_("Private: only followers whom I accept see my menus"),
        required=False,
        help_text=_("Who follows you already stays. Going public again accepts everybody who is asking."),
    )

    def __init__(self, *args: Any, zone: str, language: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.own_language = language
        time_zone = self.fields["time_zone"]
        assert isinstance(time_zone, forms.ChoiceField)
        time_zone.choices = _zones_by_region(zone)

    def clean_order_url(self) -> str:
        """People type "ana.example/order"."""
        address = self.cleaned_data["order_url"].strip()
        if address and "://" not in address:
            address = f"https://{address}"
        if address:
            WEB_ADDRESS(address)
        return address

    def clean_language(self) -> str:
        return self.cleaned_data["language"] or self.own_language


def _zones_by_region(own: str) -> list[tuple[str, Any]]:
    """Choices, in groups; one's own comes first where it is none of those that people choose."""
    names = zone_names()
    groups: dict[str, list[tuple[str, str]]] = {}
    for name in names if own in names else [own, *names]:
        region, _, place = name.partition("/")
        groups.setdefault(region, []).append((name, (place or region).replace("_", " ").replace("/", ": ")))
    return [choices[0] if len(choices) == 1 else (region, choices) for region, choices in groups.items()]


class AvatarForm(forms.Form):
    picture = forms.FileField(
        label=_("Choose a picture"),
        allow_empty_file=True,
        widget=forms.FileInput(attrs={"accept": "image/jpeg,image/png,image/webp,image/gif"}),
        error_messages={"required": _("Choose a picture first.")},
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        most = f"{settings.MEDIA_MAX_BYTES / (1 << 20):g}"
        self.fields["picture"].help_text = gettext(
            "JPEG, PNG, WebP or GIF, up to %(most)s MB. Its middle is shown as a circle."
        ) % {"most": most}


class EmailForm(forms.Form):
    """The password has a name of its own, since the page has other forms with one."""

    email = forms.EmailField(
        label=_("New e-mail"),
        required=False,
        help_text=_("Leave it empty to have none. Other people never see it."),
        widget=forms.EmailInput(attrs={"autocomplete": "email"}),
    )
    email_password = forms.CharField(
        label=_("Your password"),
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )


class PasswordForm(forms.Form):
    """A new password, for who knows the old one."""

    old_password = forms.CharField(
        label=_("Current password"),
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )
    new_password = NewPasswordField()


class DeleteForm(forms.Form):
    password = forms.CharField(
        label=_("Your password"),
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )
