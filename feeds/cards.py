"""Cards: posts and accounts rendered for reading. Process memory, then Redis, then PostgreSQL.

A card in Redis is `{author id} {JSON of the post without its author}`, nothing after the author when staff have
hidden the post, or `gone`. Authors are cards of their
own, so that a renamed cook needs no touch of her thousand menus; the two are spliced as bytes when a page is
sent. Stored under the token protocol: what PostgreSQL said before a change cannot be stored after it.
"""

import json
import time
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

from feeds.access import Access
from feeds.keys import Keys
from feeds.lists import ListsUnavailable, commands
from feeds.memory import LocalMemory
from feeds.overlay import Overlay
from posts.models import Post
from posts.rendering import post_body
from posts.selectors import with_parts
from social.models import Account
from social.rendering import author_dict

CARD_SECONDS = 86400
GONE_SECONDS = 60
GONE = b"gone"

T = TypeVar("T")


@dataclass(frozen=True)
class PostCard:
    """`body`: the JSON members after the author, without braces; empty: hidden. `author_id` 0: the post is gone."""

    author_id: int
    body: bytes

    @property
    def gone(self) -> bool:
        return self.author_id == 0

    @property
    def hidden(self) -> bool:
        return not self.body

    @classmethod
    def parse(cls, stored: bytes) -> "PostCard":
        if stored == GONE:
            return cls(0, b"")
        author, _, body = stored.partition(b" ")
        return cls(int(author), body)

    @classmethod
    def render(cls, post: Post) -> "PostCard":
        return cls(post.author_id, b"" if post.hidden_at else _json(post_body(post))[1:-1])

    @property
    def stored(self) -> bytes:
        return GONE if self.gone else b"%d %b" % (self.author_id, self.body)

    @cached_property
    def members(self) -> dict[str, Any]:
        return json.loads(b"{%b}" % self.body)


@dataclass(frozen=True)
class AccountCard:
    """An account as menus and authentication need it. `stored` is its JSON."""

    stored: bytes

    @classmethod
    def render(cls, account: Account) -> "AccountCard":
        facts = author_dict(account) | {
            "is_cook": account.is_cook,
            "is_active": account.is_active,
            "auth_version": account.auth_version,
            "time_zone": account.time_zone,
            "language": account.language,
            "order_url": account.order_url,
        }
        return cls(_json(facts))

    @cached_property
    def facts(self) -> dict[str, Any]:
        return json.loads(self.stored)

    @cached_property
    def is_active(self) -> bool:
        return self.facts["is_active"]

    @cached_property
    def author(self) -> dict[str, Any]:
        """The author as a post shows it."""
        return {name: self.facts[name] for name in ("id", "username", "display_name", "avatar_url", "city")}

    @property
    def order_url(self) -> str:
        """Where the account takes orders, for pages; no part of a post."""
        return self.facts["order_url"]

    @cached_property
    def author_json(self) -> bytes:
        return _json(self.author)


def _json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


post_memory: LocalMemory[int, PostCard] = LocalMemory("posts")
account_memory: LocalMemory[int, AccountCard] = LocalMemory("accounts")


def render_posts(ids: Collection[int]) -> dict[int, PostCard]:
    """Cards from PostgreSQL: three queries. Ids without a post are left out."""
    return {post.pk: PostCard.render(post) for post in with_parts(Post.objects.filter(pk__in=ids))}


def render_accounts(ids: Collection[int]) -> dict[int, AccountCard]:
    return {account.pk: AccountCard.render(account) for account in Account.objects.filter(pk__in=ids)}


@dataclass(slots=True)
class Hydrator:
    """Looks up cards for one read.

    `keys` None: Redis is away, and with it the overlay; then process memory is not to be trusted either.
    `render` off: what is not stored is left out, nothing is asked of PostgreSQL.
    """

    keys: Keys | None
    overlay: Overlay
    access: Access
    render: bool = True

    def posts(self, ids: Iterable[int]) -> dict[int, PostCard]:
        """Cards of posts; one that is gone may be a gone card, one that cannot be told yet is left out. Away."""
        overlay = self.overlay
        found, missing = self._remembered(post_memory, ids, overlay.changed)
        if not missing:
            return found
        asked_at = time.monotonic()
        found |= self._stored(missing, overlay.undelivered, lambda keys, i: keys.card(i), PostCard.parse)
        absent = [i for i in missing if i not in found]
        if absent and self.render:
            found |= self._rendered_posts(absent)
        self._remember(post_memory, {i: found[i] for i in missing if i in found}, overlay.changed, asked_at)
        return found

    def accounts(self, ids: Iterable[int], *, urgent: bool = False) -> dict[int, AccountCard]:
        """Cards of accounts. `urgent`: see Access.trip. Away."""
        overlay = self.overlay
        found, missing = self._remembered(account_memory, ids, overlay.accounts)
        if not missing:
            return found
        asked_at = time.monotonic()
        found |= self._stored(
            missing, overlay.undelivered_accounts, lambda keys, i: keys.account(i), AccountCard
        )
        absent = [i for i in missing if i not in found]
        if absent and self.render:
            with self.access.trip(urgent=urgent):
                found |= self._built(
                    absent,
                    overlay.undelivered_accounts,
                    lambda keys, i: keys.account(i),
                    render_accounts,
                    lambda card: (card.stored, CARD_SECONDS),
                )
        self._remember(
            account_memory, {i: found[i] for i in missing if i in found}, overlay.accounts, asked_at
        )
        return found

    def _remembered(
        self, memory: LocalMemory[int, T], ids: Iterable[int], changed: frozenset[int]
    ) -> tuple[dict[int, T], list[int]]:
        return ({}, list(ids)) if self.keys is None else memory.get_many(ids, but=changed)

    def _remember(
        self, memory: LocalMemory[int, T], cards: Mapping[int, T], changed: frozenset[int], at: float
    ) -> None:
        for i, card in cards.items():
            if i not in changed:
                memory.put(i, card, at)

    def _stored(
        self,
        ids: list[int],
        undelivered: frozenset[int],
        name: Callable[[Keys, int], str],
        parse: Callable[[bytes], T],
    ) -> dict[int, T]:
        """What Redis has, but for changes that it may not have heard of."""
        wanted = [i for i in ids if i not in undelivered]
        if self.keys is None or not wanted:
            return {}
        try:
            values = commands.get_values(self.keys, [name(self.keys, i) for i in wanted])
        except ListsUnavailable:
            return {}
        return {i: parse(value) for i, value in zip(wanted, values, strict=True) if value is not None}

    def _rendered_posts(self, ids: list[int]) -> dict[int, PostCard]:
        def render(wanted: Collection[int]) -> dict[int, PostCard]:
            cards = render_posts(wanted)
            # A post that the overlay lists may be about to commit: it is not gone.
            gone = {i: PostCard(0, b"") for i in wanted if i not in cards and i not in self.overlay.published}
            return cards | gone

        def value(card: PostCard) -> tuple[bytes, int]:
            return card.stored, GONE_SECONDS if card.gone else CARD_SECONDS

        with self.access.trip():
            return self._built(ids, self.overlay.undelivered, lambda keys, i: keys.card(i), render, value)

    def _built(
        self,
        ids: list[int],
        undelivered: frozenset[int],
        name: Callable[[Keys, int], str],
        render: Callable[[Collection[int]], dict[int, T]],
        value: Callable[[T], tuple[bytes, int]],
    ) -> dict[int, T]:
        """Render from PostgreSQL, and store under a token what is delivered."""
        keys, storable = self.keys, [i for i in ids if i not in undelivered]
        if keys is None or not storable:
            return render(ids)
        names = {i: name(keys, i) for i in storable}
        try:
            token, taken = commands.begin_values(keys, list(names.values()))
        except ListsUnavailable:
            return render(ids)
        cards = render(ids)
        values = {names[i]: value(cards[i]) for i in storable if i in cards and names[i] in taken}
        _quietly(lambda: commands.store_values(keys, token, values))
        return cards


def _quietly(store: Callable[[], None]) -> None:
    """What could not be stored is built again by the next reader."""
    try:
        store()
    except ListsUnavailable:
        return


def post_json(post_id: int, card: PostCard, author: AccountCard, *, liked: bool) -> bytes:
    """The API's Post object, spliced. The card says, as its last word, that the viewer does not like the post."""
    body = card.body.removesuffix(b"false") + b"true" if liked else card.body
    return b'{"id":%d,"author":%b,%b}' % (post_id, author.author_json, body)
