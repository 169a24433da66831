"""The document for programs (/api/schema) and for people (/api/docs). Both without signing in."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from django.http import HttpResponse
from django.shortcuts import render
from django.utils.cache import get_conditional_response
from django.utils.encoding import force_bytes
from rest_framework.exceptions import NotAcceptable
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.permissions import AllowAny
from rest_framework.renderers import BaseRenderer, TemplateHTMLRenderer
from rest_framework.request import Request
from rest_framework.views import APIView

from courtyard.schema.document import get_document
from courtyard.schema.own_calls import RENDERERS

KEPT = "public, max-age=300"  # it changes with the version of the server only


@dataclass(frozen=True, slots=True)
class Rendered:
    body: bytes
    etag: str


@cache
def rendered(media_type: str) -> Rendered:
    """The document's bytes, made once a process."""
    [renderer] = [renderer for renderer in Schema.renderer_classes if renderer.media_type == media_type]
    body = force_bytes(renderer().render(get_document(), renderer_context={}))
    return Rendered(body, f'"{hashlib.sha256(body).hexdigest()[:32]}"')


class ByFormat(DefaultContentNegotiation):
    """`?format=` is stronger than Accept. NotAcceptable."""

    def select_renderer(
        self, request: Request, renderers: Iterable[BaseRenderer], format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        wanted = request.query_params.get("format")
        if wanted is None:
            chosen: tuple[BaseRenderer, str] = super().select_renderer(request, renderers)
            return chosen
        for renderer in renderers:
            if renderer.format == wanted:
                return renderer, renderer.media_type
        raise NotAcceptable


class Schema(APIView):
    """GET /api/schema."""

    authentication_classes = []
    permission_classes = [AllowAny]
    renderer_classes = RENDERERS
    content_negotiation_class = ByFormat

    def get(self, request: Request) -> HttpResponse:
        document = rendered(request.accepted_renderer.media_type)
        response = HttpResponse(document.body, content_type=request.accepted_media_type)
        response["Cache-Control"] = KEPT
        response["Vary"] = "Accept"
        response["ETag"] = document.etag
        return get_conditional_response(request._request, etag=document.etag, response=response) or response


class Docs(APIView):
    """GET /api/docs: the same to browse. It shows nothing of who looks at it."""

    authentication_classes = []
    permission_classes = [AllowAny]
    renderer_classes = [TemplateHTMLRenderer]

    def get(self, request: Request) -> HttpResponse:
        return render(request._request, "api_docs.html")
