"""From scores to an order that is pleasant: values in, values out.

A cook's menu that says nearly the same as a newer one of hers is left out. Of ten menus in a row no author has more
than two while there are others, and the last of each ten is kept for a cook who seldom posts, if a fresh menu of one
waits and none is among the nine before it.
"""

import re
from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Sequence
from heapq import heapify, heappop, heappush

from rapidfuzz.distance import Levenshtein
from rapidfuzz.process import extractOne

from feeds.ranking.values import Candidate, Placed, Scored

ROW = 10
MOST_OF_AUTHOR = 2  # in a row
SIMILAR = 0.9  # by letters, of the words in order of the alphabet
_SIMILARITY = Levenshtein.normalized_similarity  # with a cut-off four times as fast as the others
_DIGIT = re.compile(r"\d")
FRESH_SECONDS = 6 * 3_600.0


def arrange(scored: Sequence[Scored], now: float) -> list[Placed]:
    """`scored`, best first, without repetitions, in an order without crowds."""
    repeated = repetitions(one.candidate for one in scored)
    return spread([one for one in scored if one.post_id not in repeated], now)


def repetitions(candidates: Iterable[Candidate]) -> set[int]:
    """Ids of posts that say nearly what a newer one of the same author says. A number that differs, such as a table's
    or an hour, makes another menu."""
    by_author: dict[int, list[Candidate]] = defaultdict(list)
    for candidate in candidates:
        by_author[candidate.author_id].append(candidate)
    repeated = set()
    for menus in by_author.values():
        if len(menus) == 1:
            continue
        shown: dict[tuple[str, ...], list[str]] = defaultdict(list)  # by the numbers in them
        for menu in sorted(menus, key=lambda one: -one.post_id):
            words = sorted(menu.words.casefold().split())
            said = " ".join(words)
            numbers = tuple(filter(_DIGIT.search, words)) if _DIGIT.search(said) else ()
            others = shown[numbers]
            if said and others and extractOne(said, others, scorer=_SIMILARITY, score_cutoff=SIMILAR):
                repeated.add(menu.post_id)
            else:
                others.append(said)
    return repeated


def spread(scored: Sequence[Scored], now: float) -> list[Placed]:
    """All of them, each once: at every place the best of the authors who may stand there; of all, where none may."""
    waiting: dict[int, deque[Scored]] = defaultdict(deque)
    for one in scored:
        waiting[one.candidate.author_id].append(one)
    rare = deque(one for one in scored if _is_rare(one, waiting, now))
    place_of = {one.post_id: n for n, one in enumerate(scored)}
    # Heads of the queues of those who may stand next, and of those who have to wait for a place that is further on.
    ready = [(place_of[queue[0].post_id], author) for author, queue in waiting.items()]
    heapify(ready)
    held: set[int] = set()
    placed: list[Placed] = []
    recent: Counter[int] = Counter()  # authors of the last ROW - 1 places
    rare_at = -ROW  # the last place of a rare one
    rare_ids = {one.post_id for one in rare}
    taken: set[int] = set()
    for place in range(len(scored)):
        if place >= ROW:
            leaving = placed[place - ROW].scored.candidate.author_id
            recent[leaving] -= 1
            if leaving in held and recent[leaving] < MOST_OF_AUTHOR:
                held.discard(leaving)
                heappush(ready, (place_of[waiting[leaving][0].post_id], leaving))
        while rare and rare[0].post_id in taken:
            rare.popleft()
        is_seat = place % ROW == ROW - 1 and rare_at < place - ROW + 1 and bool(rare)
        author = rare[0].candidate.author_id if is_seat else _next_author(ready, held, waiting, place_of)
        one = waiting[author].popleft()
        taken.add(one.post_id)
        if one.post_id in rare_ids:
            rare_at = place
        if is_seat:
            ready = [entry for entry in ready if entry[1] != author]  # it was her only menu
            heapify(ready)
        placed.append(Placed(one, lifted=is_seat))
        recent[author] += 1
        if waiting[author]:
            if recent[author] < MOST_OF_AUTHOR:
                heappush(ready, (place_of[waiting[author][0].post_id], author))
            else:
                held.add(author)
    return placed


def _is_rare(one: Scored, waiting: dict[int, deque[Scored]], now: float) -> bool:
    """A fresh menu, and the only one of its author."""
    candidate = one.candidate
    return len(waiting[candidate.author_id]) == 1 and now - candidate.created_at <= FRESH_SECONDS


def _next_author(
    ready: list[tuple[int, int]],
    held: set[int],
    waiting: dict[int, deque[Scored]],
    place_of: dict[int, int],
) -> int:
    if ready:
        return heappop(ready)[1]
    author = min(held, key=lambda one: place_of[waiting[one][0].post_id])
    held.discard(author)
    return author
