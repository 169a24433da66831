"""All that somebody has here, as one file to take along. It is written while it is sent: nobody's is too large."""

import json
from collections.abc import Iterator
from typing import Any

from django.http import HttpRequest, StreamingHttpResponse
from django.utils import timezone
from django.views.decorators.http import require_GET

from posts.exporting import menus_to_export
from social.exporting import Part, account_to_export, people_to_export
from social.rendering import iso
from social.viewing import for_signed_in, the_signed_in


@require_GET
@for_signed_in  # type: ignore[arg-type]  # its answer is no HttpResponse, which makes no difference here
def data(request: HttpRequest) -> StreamingHttpResponse:
    account = the_signed_in(request)
    head = {"exported_at": iso(timezone.now()), "account": account_to_export(account)}
    parts = menus_to_export(account.pk, request.build_absolute_uri) + people_to_export(account.pk)
    response = StreamingHttpResponse(_pieces(head, parts), content_type="application/json")
    response["Content-Disposition"] = f'attachment; filename="courtyard-{account.username}.json"'
    return response


def _pieces(head: dict[str, Any], parts: list[Part]) -> Iterator[str]:
    """One JSON object, an entry a line."""
    yield "{"
    for name, value in head.items():
        yield f"{json.dumps(name)}: {_json(value)},\n"
    for number, (name, entries) in enumerate(parts):
        yield f"{',' if number else ''}{json.dumps(name)}: ["
        before = "\n"
        for entry in entries:
            yield f"{before}{_json(entry)}"
            before = ",\n"
        yield "]\n"
    yield "}\n"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
