"""Why a menu stands where it stands, in plain words for its reader."""

from collections.abc import Callable

from django.utils.translation import gettext as _

from feeds.ranking.snapshot import Explanation

# A part as near to 1 as that is not worth a word.
_RAISES, _LOWERS = 1.05, 0.95

_Words = Callable[[float], str]


def reasons(why: Explanation, *, cook: str, own: bool, followed: bool) -> tuple[str, ...]:
    """What speaks for it first, the strongest before the others; then what speaks against it."""
    if own:
        begin = _("It is your own menu.")
    elif followed and why.parts.get("follow", 1.0) > _RAISES:
        begin = _("You have begun to follow %(cook)s not long ago.") % {"cook": cook}
    elif followed:
        begin = _("You follow %(cook)s.") % {"cook": cook}
    else:
        begin = _("You do not follow %(cook)s; this was recommended.") % {"cook": cook}
    by_weight = sorted(why.parts.items(), key=lambda part: -part[1])
    told = [words for name, value in by_weight if (words := _in_words(name, value, cook))]
    if why.lifted:
        told.insert(
            0,
            _("%(cook)s seldom posts, so a fresh menu of theirs gets a place near the top.") % {"cook": cook},
        )
    return (begin, *told)


def _in_words(part: str, value: float, cook: str) -> str:
    if part == "follow" or (_LOWERS < value < _RAISES and part != "recency"):
        return ""  # how one follows has been said
    words = _PARTS.get(part)
    if words is None:  # of a ranker that is not ours
        return _("%(part)s counts %(value).2f times.") % {"part": part, "value": value}
    return words(value) % {"cook": cook}


def _recency(value: float) -> str:
    if value > 0.7:
        return _("It is fresh.")
    if value > 0.35:
        return _("It is some hours old, so it stands lower.")
    return _("It is not of today any more, so it stands lower.")


def _engagement(value: float) -> str:
    if value > 1:
        return _("Many of those who saw it looked closer or liked it.")
    return _("Few of those who saw it looked closer, so it stands lower.")


def _sold_out(value: float) -> str:
    return _("Something of it is sold out, so it stands lower.")


_PARTS: dict[str, _Words] = {
    "recency": _recency,
    "openings": lambda value: _("You have opened menus of %(cook)s."),
    "likes": lambda value: _("You like menus of %(cook)s."),
    "engagement": _engagement,
    "sold_out": _sold_out,
    "seen": lambda value: _("You have seen it already, so it stands lower."),
}
