"""Simulated views of a day, for platforms that are made up: what customers saw, opened and liked (docs/data.md)."""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from random import Random
from zoneinfo import ZoneInfo

from django.conf import settings
from django.db import connection
from django.db.models import Exists, OuterRef, Q

from feeds.loading import neighbourhood, platform
from feeds.loading.looking import Looked, look
from feeds.ranking.notes import Note
from feeds.ranking.recording import CHUNK, SEEN_KEPT_DAYS, record
from feeds.ranking.replay.candidates import Menus, candidate_ids
from feeds.ranking.replay.sessions import bounds_of
from posts.ids import EPOCH, id_at, time_of
from posts.models import Like, Post
from social.models import Account, Follow

SESSIONS_A_CUSTOMER = 4  # on average: who comes again shows a taste
_DRAWS = 10  # for each session that is wanted, since not everybody finds a menu at any time
_LUNCH, _DINNER = 12.75, 18.5  # hours of the day
_WAIT_SECONDS = 30.0
_WRITTEN = """
SELECT (SELECT coalesce(sum(cardinality(post_ids)), 0) FROM feeds_seen), (SELECT count(*) FROM posts_opening),
    (SELECT count(*) FROM posts_like)
"""


class Unsimulated(Exception):
    """Nothing was simulated; the message says why."""


@dataclass(frozen=True, slots=True)
class ViewsReport:
    """`seen`, `opened`, `liked`: how many were written, of those that were drawn. What was known stays as it was."""

    day: date
    sessions: int
    customers: int
    drawn: tuple[int, int, int]
    seen: int
    opened: int
    liked: int


@dataclass(frozen=True, slots=True)
class Visit:
    viewer_id: int
    begin: datetime
    menus: tuple[tuple[int, int], ...]  # (menu, author), the newest first


def simulate_views(
    day: date | None,
    *,
    sessions: int,
    seed: int,
    watch: Callable[[Iterable[Visit]], Iterable[Visit]] = lambda visits: visits,
) -> ViewsReport:
    """Draw sessions of a day (UTC; None: the newest with menus) and write them. Unsimulated.

    1  who comes when, and finds which menus    2  what each does there, one session after the other in time
    3  written in the order of time, as a worker writes notes; likes together
    """
    day = _day_with_menus(day)
    random = Random(f"{seed}/views of {day}")
    visits = sorted(watch(_visits(random, day, sessions)), key=lambda visit: (visit.begin, visit.viewer_id))
    if not visits:
        raise Unsimulated(
            f"Nobody would find a menu on {day}: no customer followed a cook with menus by then."
        )
    end = min(bounds_of(day)[1], datetime.now(UTC)).timestamp()
    notes, likes = list[Note](), list[Like]()
    opened: dict[int, set[int]] = {}
    for visit in visits:
        before = opened.setdefault(visit.viewer_id, set())
        done = look(
            random,
            visit.viewer_id,
            visit.menus,
            opened_before=before,
            begin=visit.begin.timestamp(),
            end=end,
        )
        before.update(post_id for post_id, _ in done.opened)
        notes += _notes(visit.viewer_id, done)
        likes += _likes(visit.viewer_id, done)
    known = _written()
    _record(sorted(notes, key=lambda note: (note.at, note.account_id)))
    Like.objects.bulk_create(likes, batch_size=CHUNK, ignore_conflicts=True)
    seen, openings, liked = (now - before for now, before in zip(_written(), known, strict=True))
    views = sum(note.opened for note in notes)
    drawn = (len(notes) - views, views, len(likes))
    return ViewsReport(day, len(visits), len(opened), drawn, seen, openings, liked)


def _day_with_menus(day: date | None) -> date:
    newest = Post.objects.order_by("-pk").values_list("pk", flat=True).first()
    if newest is None:
        raise Unsimulated("There are no menus.")
    day = day or time_of(newest).date()
    if day <= (datetime.now(UTC) - timedelta(days=SEEN_KEPT_DAYS)).date():
        raise Unsimulated(
            f"Of {day} nothing would be counted: what was seen is kept for {SEEN_KEPT_DAYS} days."
        )
    begin, end = map(id_at, bounds_of(day))
    if not Post.objects.filter(pk__gte=begin, pk__lt=end).exists():
        raise Unsimulated(f"There are no menus of {day} (UTC). The newest are of {time_of(newest).date()}.")
    return day


def _visits(random: Random, day: date, sessions: int) -> Iterator[Visit]:
    """At most so many: of a few customers each of whom comes several times, those who find a menu."""
    everybody = _made_up_customers()
    customers = random.sample(everybody, min(len(everybody), max(1, sessions // SESSIONS_A_CUSTOMER)))
    begin, end = bounds_of(day)
    end = min(end, datetime.now(UTC))
    menus, found = Menus(), 0
    # Older menus are no longer counted.
    oldest = id_at(max(EPOCH, datetime.now(UTC) - timedelta(days=SEEN_KEPT_DAYS)))
    for _ in range(sessions * _DRAWS):
        viewer_id, moment = random.choice(customers), some_moment(random, begin, end)
        ids = [post_id for post_id in candidate_ids(viewer_id, moment, menus) if post_id > oldest]
        if ids:
            yield Visit(viewer_id, moment, tuple((post_id, menus.author_of[post_id]) for post_id in ids))
            found += 1
            if found == sessions:
                return


def _made_up_customers() -> list[int]:
    """Of the demo and of seeds, who follow somebody. Nobody else is ever said to have seen anything."""
    made_up = Q(email__endswith=neighbourhood.EMAIL_DOMAIN) | Q(email__endswith=platform.EMAIL_DOMAIN)
    follows = Exists(Follow.objects.filter(follower=OuterRef("pk")))
    customers = Account.objects.filter(made_up, follows, is_cook=False, is_active=True)
    ids = list(customers.order_by("pk").values_list("pk", flat=True))
    if not ids:
        raise Unsimulated(
            "There is no customer of the demo or of a seed platform who follows a cook, and views of real customers"
            " are not made up."
        )
    return ids


def some_moment(random: Random, begin: datetime, end: datetime) -> datetime:
    """Between the two: most at lunch, some at dinner, a few at any time."""
    middle = (begin + timedelta(hours=12)).astimezone(ZoneInfo(settings.TIME_ZONE))
    midnight = middle.replace(hour=0, minute=0, second=0, microsecond=0)
    for _ in range(20):  # it may be too early for either
        part = random.random()
        if part >= 0.9:
            break
        hour = random.gauss(_LUNCH if part < 0.7 else _DINNER, 1)
        moment = (midnight + timedelta(hours=hour)).astimezone(UTC)
        if begin <= moment < end:
            return moment
    return begin + (end - begin) * random.random()


def _notes(viewer_id: int, done: Looked) -> Iterator[Note]:
    for post_id, at in done.seen:
        yield Note(viewer_id, [post_id], at)
    for post_id, at in done.opened:
        yield Note(viewer_id, [post_id], at, opened=True)


def _likes(viewer_id: int, done: Looked) -> Iterator[Like]:
    for post_id, at in done.liked:
        yield Like(account_id=viewer_id, post_id=post_id, created_at=datetime.fromtimestamp(at, UTC))


def _record(notes: Sequence[Note]) -> None:
    """In turns with the workers, who record what real visitors do."""
    give_up_at = time.monotonic() + _WAIT_SECONDS
    for n in range(0, len(notes), CHUNK):
        while not record(notes[n : n + CHUNK]):
            if time.monotonic() > give_up_at:
                raise Unsimulated(
                    f"Somebody else records views without an end; {n:,} of {len(notes):,} notes were written."
                )
            time.sleep(0.1)


def _written() -> tuple[int, int, int]:
    with connection.cursor() as cursor:
        cursor.execute(_WRITTEN)
        seen, opened, liked = cursor.fetchone()
        return seen, opened, liked
