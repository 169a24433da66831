"""What the feed is compared with: an empty view and a constant page, with the feed's own authentication."""

import json
import os
from functools import cache
from pathlib import Path
from typing import Any

from django.http import HttpRequest, HttpResponse
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from social.authentication import ClaimsAuthentication

PAGE_FILE = "BENCHMARK_PAGE"  # in the environment: the file of the constant page
_authentication = ClaimsAuthentication()


def empty(request: HttpRequest) -> HttpResponse:
    """A plain Django view that knows who is asking, and answers nothing."""
    known = _authentication.authenticate(request)
    return HttpResponse(b"{}", content_type="application/json", status=401 if known is None else 200)


class Constant(APIView):
    """A REST framework view that answers one feed page that it holds in memory."""

    authentication_classes = [ClaimsAuthentication]

    def get(self, request: Request) -> Response:
        return Response(constant_page())


@cache
def constant_page() -> dict[str, Any]:
    page: dict[str, Any] = json.loads(Path(os.environ[PAGE_FILE]).read_bytes())
    return page
