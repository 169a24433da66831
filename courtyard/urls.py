"""Addresses: pages, the JSON API under /api/v1, staff's admin, health."""

from django.conf import settings
from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.templatetags.static import static
from django.urls import include, path, register_converter

from courtyard.health import livez, readyz
from courtyard.metrics import metrics
from courtyard.schema.views import Docs, Schema
from feeds.api import Feed, FeedSeen, FeedUpdates
from posts.api import AccountPosts, Likes, Media, Posts, Reports, SinglePost
from posts.media.serving import urls_of_media
from social import api as people
from social.pages.language import language


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
    path("accounts", people.Accounts.as_view()),
    path("accounts/<id:account_id>", people.SingleAccount.as_view()),
    path("accounts/<id:account_id>/posts", AccountPosts.as_view()),
    path("accounts/<id:account_id>/followers", people.Followers.as_view()),
    path("accounts/<id:account_id>/following", people.Following.as_view()),
    path("me", people.Me.as_view()),
    path("auth/token", people.SignIn.as_view()),
    path("auth/token/refresh", people.Refresh.as_view()),
    path("auth/sign-out", people.SignOut.as_view()),
    path("follows/<id:account_id>", people.Follows.as_view()),
    path("followers/<id:account_id>", people.RemovedFollower.as_view()),
    path("follow-requests", people.FollowRequests.as_view()),
    path("follow-requests/<id:account_id>", people.FollowRequest.as_view()),
    path("blocks", people.Blocked.as_view()),
    path("blocks/<id:account_id>", people.Blocks.as_view()),
    path("mutes", people.Muted.as_view()),
    path("mutes/<id:account_id>", people.Mutes.as_view()),
    path("posts", Posts.as_view()),
    path("posts/<id:post_id>", SinglePost.as_view()),
    path("posts/<id:post_id>/like", Likes.as_view()),
    path("posts/<id:post_id>/report", Reports.as_view()),
    path("media", Media.as_view()),
    path("feed", Feed.as_view()),
    path("feed/updates", FeedUpdates.as_view()),
    path("feed/seen", FeedSeen.as_view()),
]

urlpatterns = [
    path("api/v1/", include(api)),
    path("api/schema", Schema.as_view(), name="api-schema"),
    path("api/docs", Docs.as_view(), name="api-docs"),
    path(f"{settings.ADMIN_PATH}/", admin.site.urls),
    path("livez", livez),
    path("readyz", readyz),
    path("metrics", metrics),
    path("favicon.ico", favicon),
    path("language", language, name="language"),
    *urls_of_media(),
    path("", include("feeds.urls_pages")),
    path("", include("posts.urls_pages")),
    path("", include("social.urls_pages")),
]

handler400 = "courtyard.errors.not_understood"
handler404 = "courtyard.errors.not_found"
