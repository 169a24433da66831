"""Addresses: pages, the JSON API under /api/v1, staff's admin, health."""

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.templatetags.static import static
from django.urls import include, path, register_converter

from courtyard.health import livez, readyz
from feeds.api import Feed
from posts.api import Likes, Posts, SinglePost
from social.api import Accounts, Follows, Refresh, SignIn


class IdConverter:
    """Digits of any number; one that no id can have is simply not found."""

    regex = "[0-9]+"

    def to_python(self, value: str) -> int:
        return int(value[:20])

    def to_url(self, value: int) -> str:
        return str(value)


register_converter(IdConverter, "id")


def favicon(request: HttpRequest) -> HttpResponse:
    """Where browsers look on pages that name no icon, such as admin's."""
    return redirect(static("favicon.svg"))


api = [
    path("accounts", Accounts.as_view()),
    path("auth/token", SignIn.as_view()),
    path("auth/token/refresh", Refresh.as_view()),
    path("follows/<id:account_id>", Follows.as_view()),
    path("posts", Posts.as_view()),
    path("posts/<id:post_id>", SinglePost.as_view()),
    path("posts/<id:post_id>/like", Likes.as_view()),
    path("feed", Feed.as_view()),
]

urlpatterns = [
    path("api/v1/", include(api)),
    path("admin/", admin.site.urls),
    path("livez", livez),
    path("readyz", readyz),
    path("favicon.ico", favicon),
    path("", include("feeds.urls_pages")),
    path("", include("posts.urls_pages")),
    path("", include("social.urls_pages")),
]
