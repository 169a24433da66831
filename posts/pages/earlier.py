"""What a cook may begin a new menu with: her last few menus, each dish list once."""

from dataclasses import dataclass

from posts.ids import MAX_ID
from posts.models import Post
from posts.selectors import visible_page
from posts.services import today_of
from social.models import Account
from social.times import day_name

LOOKED_AT, OFFERED = 12, 4


@dataclass(frozen=True, slots=True)
class Earlier:
    """A menu in a few words: its day, and its dishes or else its text."""

    id: int
    day: str
    words: str


def earlier_menus(cook: Account) -> list[Earlier]:
    today, offered = today_of(cook), dict[str, Earlier]()
    for post in visible_page(viewer_id=cook.pk, author_id=cook.pk, below=MAX_ID + 1, limit=LOOKED_AT):
        words = _in_words(post)
        offered.setdefault(words, Earlier(post.pk, day_name(post.day, today), words))
    return list(offered.values())[:OFFERED]


def _in_words(post: Post) -> str:
    return ", ".join(dish.name for dish in post.dishes.all()) or post.text
