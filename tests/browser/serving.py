"""A Courtyard with the demo in it, on throwaway services, for pictures and figures of its pages."""

import os
import secrets
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from courtyard.embedded import start_services
from tests.browser.places import Names


class People:
    """Of the demo: who looks at the places, each in every language."""

    def __init__(self) -> None:
        from posts.models import Post
        from social.models import Account, FollowRequest
        from social.services import create_account

        self._accounts: dict[str, Any] = {
            "customer": Account.objects.get(username="customer"),
            "cook": Account.objects.get(username="cook"),
            "new": create_account(
                username="newcomer", display_name="Joana", password=secrets.token_urlsafe(12)
            ),
            "staff": Account.objects.create_superuser("stef", display_name="Stef"),
        }
        for asking in Account.objects.filter(is_cook=False).exclude(username="customer").order_by("pk")[:3]:
            FollowRequest.objects.get_or_create(follower=asking, followee=self._accounts["cook"])
        self._let_somebody_look_around()
        newest = Post.objects.filter(author=self._accounts["cook"]).order_by("-pk")
        cook = self._accounts["cook"]
        self.names = Names(cook="cook", customer="customer", menu=newest[0].pk, account=cook.pk)

    def _let_somebody_look_around(self) -> None:
        """Who was here last has opened, liked and seen some menus, so that there is an order to be seen by staff."""
        from django.utils import timezone

        from feeds.models import Seen
        from feeds.reading import LOOKING, read_feed
        from posts.models import Like, Opening
        from social.models import Account

        neighbours = Account.objects.filter(is_cook=False, is_staff=False, last_seen__isnull=False)
        latest = neighbours.exclude(username="customer").order_by("-last_seen", "-pk")[0]
        neighbours.filter(pk=latest.pk).update(last_seen=timezone.now())
        menus = [item.post_id for item in read_feed(latest.pk, limit=20, mode=LOOKING).items]
        Opening.objects.bulk_create(Opening(account=latest, post_id=menus[n]) for n in (3, 9, 12))
        Like.objects.create(account=latest, post_id=menus[9])
        now = timezone.now()
        looked_at = [menus[n] for n in (0, 1, 5)]
        moments = [int(now.timestamp())] * len(looked_at)
        Seen.objects.create(viewer_id=latest.pk, day=now.date(), post_ids=looked_at, moments=moments)

    def cookie_of(self, who: str, language: str) -> dict[str, str] | None:
        """Of a session, of somebody who reads that language."""
        from django.conf import settings
        from django.test import Client

        account = self._accounts.get(who)
        if account is None:
            return None
        account.language = language
        account.save(update_fields=["language"])
        client = Client()
        client.force_login(account)
        name = settings.SESSION_COOKIE_NAME
        return {"name": name, "value": client.cookies[name].value}


@contextmanager
def served() -> Iterator[tuple[str, People]]:
    """The address of a web server process with the demo, and its people."""
    with (
        tempfile.TemporaryDirectory(prefix="courtyard-screens-") as folder,
        start_services(Path(folder), throwaway=True, environ={}) as services,
    ):
        os.environ |= services.environment | {
            "SECRET_KEY": secrets.token_urlsafe(50),
            "DJANGO_SETTINGS_MODULE": "courtyard.settings",
            "STATIC_ROOT": f"{folder}/static",
            "ALLOWED_HOSTS": "127.0.0.1,testserver",
            "RATE_LIMITS": "off",
            "MEDIA_ROOT": f"{folder}/media",
            "UPLOADS_ROOT": f"{folder}/uploads",
            "DJANGO_ALLOW_ASYNC_UNSAFE": "true",  # Playwright runs in this thread, with an event loop
        }
        import django
        from django.core.management import call_command
        from django.db import connection

        django.setup()
        call_command("collectstatic", interactive=False, verbosity=0)
        call_command("migrate", verbosity=0)
        call_command("demo")
        from tests.stateful.processes import Web

        web = Web("web", Path(folder), dict(os.environ))
        web.start()
        try:
            web.wait_until_ready()
            yield f"http://127.0.0.1:{web.port}", People()
        finally:
            web.stop()
            connection.close()
            connection.close_pool()
