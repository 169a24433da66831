"""What a cook sees beside each of her own menus: how far it has come, how many opened it, and what she may do."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from django.urls import reverse

from posts.openings import count_openings
from posts.reach import Reach, reach_of
from posts.selectors import MOST_COUNTED
from social.models import Account


@dataclass(frozen=True, slots=True)
class Figures:
    """`percent`: how long the bar of the openings is beside those of other menus on the page. `selling`: it is for
    today or later, so that dishes may be sold out. `alone` is the address of a list that begins with this menu.
    """

    reach: Reach | None
    opened: int
    percent: int
    selling: bool
    alone: str

    @property
    def or_more(self) -> bool:
        """Nobody counts further."""
        return self.opened >= MOST_COUNTED


def add_figures(author: Account, posts: Sequence[dict[str, Any]], today: date) -> None:
    """To post dicts of one author, for her own eyes, under `own`."""
    if not posts:
        return
    ids = [post["id"] for post in posts]
    reach, opened = reach_of(author, ids), count_openings(ids)
    full = max([author.follower_count, *opened.values()], default=0)
    profile = reverse("profile", args=[author.username])
    for post in posts:
        count = opened.get(post["id"], 0)
        post["own"] = Figures(
            reach=reach.get(post["id"]),
            opened=count,
            percent=_percent(count, full),
            selling=date.fromisoformat(str(post["day"])) >= today,
            alone=f"{profile}?before={post['id'] + 1}",
        )


def _percent(part: int, full: int) -> int:
    """Whole percent; what is not nothing is seen."""
    return max(1, round(100 * part / full)) if part else 0
