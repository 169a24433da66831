"""OPTIONS of the API: which methods there are. No token, no store, nothing about the call itself."""

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponse

from courtyard.errors import API_PREFIX


class OptionsMiddleware:
    """Answers 204 with `Allow`. Browsers of other origins learn from it that they may not: no CORS header is set."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(
        self, request: HttpRequest, view: Callable[..., Any], args: Any, kwargs: Any
    ) -> HttpResponse | None:
        view_class = getattr(view, "cls", None)
        if request.method != "OPTIONS" or view_class is None or not request.path.startswith(API_PREFIX):
            return None
        return HttpResponse(status=204, headers={"Allow": ", ".join(allowed_methods(view_class))})


def allowed_methods(view_class: type) -> list[str]:
    names = ["get", "post", "put", "patch", "delete"]
    methods = [name.upper() for name in names if hasattr(view_class, name)]
    return [*methods, *(["HEAD"] if "GET" in methods else []), "OPTIONS"]
