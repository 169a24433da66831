"""How far a menu has come, which only the feed knows: it registers what tells it (posts must not know of feeds)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from social.models import Account


@dataclass(frozen=True, slots=True)
class Reach:
    """`reached` of so many `followers` have a menu in their stored feeds; None: all. `when_they_look`: it is in none,
    and each finds it on looking.
    """

    followers: int
    reached: int | None = None
    when_they_look: bool = False


Teller = Callable[[Account, Sequence[int]], dict[int, Reach]]
_tellers: list[Teller] = []


def tell_reach_by(teller: Teller) -> None:
    """`teller(author, post_ids)` says how far each of an author's menus has come."""
    _tellers[:] = [teller]


def reach_of(author: Account, post_ids: Sequence[int]) -> dict[int, Reach]:
    return _tellers[0](author, post_ids) if _tellers else {}
