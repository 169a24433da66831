"""Who lives in the world: cooks, who read too, and customers. Made in the database; all else goes over HTTP."""

import random
import time
from dataclasses import dataclass, field

from django.db import connection
from django.utils import timezone

from social.authentication import access_token
from social.models import Account

COOKS = ("ana", "maria", "bia", "davi", "ema")
CUSTOMERS = ("carla", "sam", "nuno", "olga")
TOKEN_SECONDS = 600  # access tokens live for 15 minutes


@dataclass
class People:
    """Ids by name. `token(id)` is one that the account's present authentication version honours."""

    ids: dict[str, int]
    stef: int  # staff; reads no feed here
    _tokens: dict[int, tuple[float, str]] = field(default_factory=dict)

    @property
    def cooks(self) -> list[int]:
        return [self.ids[name] for name in COOKS]

    @property
    def everybody(self) -> list[int]:
        return list(self.ids.values())

    def name(self, account_id: int) -> str:
        return next(name for name, i in self.ids.items() if i == account_id)

    def token(self, account_id: int) -> str:
        """Who is off keeps the token of before, which is not honoured."""
        made_at, token = self._tokens.get(account_id, (float("-inf"), ""))
        if time.monotonic() - made_at > TOKEN_SECONDS:
            account = Account.objects.get(pk=account_id)
            if account.is_active:
                token = access_token(account)
                self._tokens[account_id] = time.monotonic(), token
        return token

    def forget_token(self, account_id: int) -> None:
        """The account was switched off or on."""
        _, token = self._tokens.get(account_id, (0.0, ""))
        self._tokens[account_id] = float("-inf"), token


def make_people(dice: random.Random) -> People:
    """The accounts, some follows (most follow maria) and a few menus of before."""
    accounts = [
        Account(
            username=name, display_name=name.capitalize(), is_cook=name in COOKS, last_seen=timezone.now()
        )
        for name in (*COOKS, *CUSTOMERS)
    ]
    stef = Account.objects.create(username="stef", display_name="Stef", is_staff=True)
    people = People({a.username: a.pk for a in Account.objects.bulk_create(accounts)}, stef.pk)
    follows = [
        (viewer, cook)
        for viewer in people.everybody
        for cook in people.cooks
        if viewer != cook and dice.random() < (0.8 if people.name(cook) == "maria" else 0.35)
    ]
    with connection.cursor() as cursor:
        cursor.executemany("INSERT INTO social_follow (follower_id, followee_id) VALUES (%s, %s)", follows)
        for _ in range(dice.randrange(40)):
            cursor.execute(
                "INSERT INTO posts_post (author_id, text) VALUES (%s, 'of before')",
                [dice.choice(people.cooks)],
            )
    return people
