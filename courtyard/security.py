"""What browsers are told to refuse, and what nobody in between may keep."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

# No inline script, style or foreign code anywhere, so text that slipped through escaping could still do nothing.
# Photos may come from any https host. Admin and the API's pages live with it as well.
POLICY = "; ".join(
    [
        "default-src 'self'",
        "img-src 'self' https: data:",
        "object-src 'none'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    ]
)


class BrowserPolicyMiddleware:
    """Adds the policy to every answer, and `private, no-store` to every one that does not say otherwise.

    All pages show who is signed in, so none may be kept by a cache that others share. Static files are
    served further out (WhiteNoise) and say themselves how long they last.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        response.headers.setdefault("Content-Security-Policy", POLICY)
        response.headers.setdefault("Cache-Control", "private, no-store")
        return response
