"""Staff's pages that belong to no table: who may see them, and what Django's admin needs around them."""

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

from django.contrib import admin
from django.contrib.admin.models import CHANGE, LogEntry
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse

View = Callable[..., HttpResponse]


def staff_page(*permissions: str) -> Callable[[View], View]:
    """For signed-in staff who hold every one of `permissions`: others sign in, or are refused (403)."""

    def decorate(view: View) -> View:
        @wraps(view)
        def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
            if not request.user.has_perms(permissions):
                raise PermissionDenied
            return view(request, *args, **kwargs)

        return admin.site.admin_view(guarded)

    return decorate


def show(
    request: HttpRequest, template: str, title: str, trail: Sequence[tuple[str, str]], **context: Any
) -> TemplateResponse:
    """A page in admin's frame; `trail`: words and addresses that lead to it."""
    frame = admin.site.each_context(request) | {"title": title, "trail": trail}
    return TemplateResponse(request, template, frame | context)


def note(request: HttpRequest, rows: Sequence[Any], words: str) -> None:
    """Into admin's log: who did what to these rows."""
    LogEntry.objects.log_actions(int(request.user.pk or 0), rows, CHANGE, words)
