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

# What a page of ours never asks a browser for, so foreign code in it could not either.
FEATURES = ("camera", "microphone", "geolocation", "display-capture", "payment", "usb")

HEADERS = {
    "Content-Security-Policy": POLICY,
    "Permissions-Policy": ", ".join(f"{feature}=()" for feature in FEATURES),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    # Other sites learn neither that somebody came from here nor from which page; our own forms need to know.
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "private, no-store",
}


class BrowserPolicyMiddleware:
    """Adds the headers to every answer that does not say otherwise, whoever made it.

    All pages show who is signed in, so none may be kept by a cache that others share. Static files and photos say
    themselves how long they last. No answer has a CORS header: pages of other origins may not read from here.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        for name, value in HEADERS.items():
            response.headers.setdefault(name, value)
        return response
