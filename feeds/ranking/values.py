"""What ranking is about: small frozen values. Times are seconds since 1970."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Affinity:
    """What a viewer has done about an author: when menus of hers were opened and liked, and since when she is
    followed (None: not at all)."""

    opened_at: tuple[float, ...] = ()
    liked_at: tuple[float, ...] = ()
    followed_at: float | None = None


@dataclass(frozen=True, slots=True)
class Candidate:
    """A menu that may be shown to a viewer. `words` is all that its cook has written, `sold_out` the share of its
    dishes that are (0 to 1), `seen`: by this viewer. `impressions` and `openings` count accounts. `source` is what
    brought it (feeds.ranking.candidates), `affinity` the same for all menus of an author."""

    post_id: int
    author_id: int
    created_at: float
    words: str = ""
    sold_out: float = 0.0
    likes: int = 0
    impressions: int = 0
    openings: int = 0
    seen: bool = False
    affinity: Affinity = field(default=Affinity())
    source: str = "followed"


@dataclass(frozen=True, slots=True)
class Scored:
    """A candidate's `score` is the product of its `parts`; a part of 1 makes no difference."""

    candidate: Candidate
    score: float
    parts: Mapping[str, float]

    @property
    def post_id(self) -> int:
        return self.candidate.post_id


@dataclass(frozen=True, slots=True)
class Placed:
    """A menu in its place. `lifted`: it stands higher than its score, lest a cook who seldom posts be drowned."""

    scored: Scored
    lifted: bool = False

    @property
    def post_id(self) -> int:
        return self.scored.post_id
