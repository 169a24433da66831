"""Pages and JSON are compressed for who takes that: a page of menus is a tenth of its size then."""

from typing import Any

from django.http import HttpRequest, HttpResponseBase
from django.middleware.gzip import GZipMiddleware

TEXTS = ("text/html", "application/json", "application/problem+json")


class CompressTextMiddleware(GZipMiddleware):
    """Django's, for text only: photos are compressed already, and static files lie compressed.

    What a secret may be guessed from by its compressed length: Django pads by chance, and masks the token of forms.
    """

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> Any:
        if not response.get("Content-Type", "").startswith(TEXTS):
            return response
        return super().process_response(request, response)
