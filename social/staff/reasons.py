"""Asking staff for a reason before they do what people feel. The reason goes into admin's log."""

from collections.abc import Sequence
from dataclasses import dataclass

from django import forms
from django.contrib.admin import AdminSite
from django.http import HttpRequest
from django.template.response import TemplateResponse

from social.staff.dossiers import Line
from social.text import clean_text

REASON_LENGTH = 300
ANSWERED = "answered"  # is in what the page of the question sends


class ReasonForm(forms.Form):
    reason = forms.CharField(
        required=False,
        help_text=f"For the log: what was wrong, or who asked for it. At most {REASON_LENGTH} characters.",
        widget=forms.Textarea(attrs={"rows": 3, "maxlength": REASON_LENGTH, "autofocus": True}),
    )

    def clean_reason(self) -> str:
        try:
            return clean_text(self.cleaned_data["reason"], max_length=REASON_LENGTH, required=True)
        except ValueError as error:
            raise forms.ValidationError(str(error)) from None


@dataclass(frozen=True, slots=True)
class Question:
    """What is about to happen: `effect` in a sentence or two, to whom (`affected`), and the words of the button.

    `sent_along`: fields that the answer needs beside the reason. `trail`: words and addresses that lead here.
    """

    title: str
    effect: str
    button: str
    affected: Sequence[Line] = ()
    sent_along: Sequence[tuple[str, str]] = ()
    trail: Sequence[tuple[str, str]] = ()
    back: str = ""


def ask_reason(request: HttpRequest, site: AdminSite, question: Question) -> str | TemplateResponse:
    """The reason that was given; else the page that asks for it, with what is wrong with the one given."""
    form = ReasonForm(request.POST if ANSWERED in request.POST else None)
    if form.is_bound and form.is_valid():
        return str(form.cleaned_data["reason"])
    context = site.each_context(request) | {
        "title": question.title,
        "trail": question.trail,
        "question": question,
        "form": form,
    }
    return TemplateResponse(request, "admin/ask_reason.html", context)
