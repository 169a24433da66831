"""Having all feeds built anew, by staff with a reason."""

from django.contrib import admin, messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse

from feeds.admin.pages import note, staff_page
from feeds.models import FeedSettings
from feeds.rebuilding import forget_all_feeds
from social.staff.reasons import Question, ask_reason

EFFECT = (
    "Every stored feed, follow and card is left behind at once, and each viewer's next visit builds its feed from "
    "PostgreSQL. Nobody misses a menu or sees one twice. But until all who look have looked, pages come slower, "
    "some marked as incomplete for a moment, and PostgreSQL has as many builds to do as there are viewers: choose "
    "an hour when few are here. It is the remedy after rows were changed past the triggers (a restored backup, a "
    "bulk load of one's own), not for a single feed."
)


@staff_page("feeds.view_feedsettings", "feeds.rebuild_feeds")
def rebuild_all(request: HttpRequest) -> HttpResponse:
    question = Question(
        title="Build all feeds anew",
        effect=EFFECT,
        button="Build all feeds anew",
        trail=[("Feeds", reverse("admin:app_list", args=["feeds"]))],
        back=reverse("admin:index"),
    )
    reason = ask_reason(request, admin.site, question)
    if isinstance(reason, HttpResponse):
        return reason
    forget_all_feeds()
    note(request, [FeedSettings.objects.get(pk=1)], f"All feeds to be built anew: {reason}")
    messages.success(request, "From now on each feed is built anew by its viewer's next visit.")
    return redirect("admin:index")
