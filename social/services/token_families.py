"""Families of refresh tokens: one a sign-in. A token is exchanged once; the next one takes its place.

Whoever shows a token that was exchanged already is a thief or has been robbed, and nobody can tell which: the family
ends, its newest token too. Of two exchanges of one token at the same time the first wins and the second ends what it
won. Access tokens are not tracked; they end by themselves, or with the account's authentication version.
"""

from datetime import datetime

from django.db import transaction
from django.utils import timezone

from social.models import Account, TokenFamily

MOST_FAMILIES = 50  # of an account; a sign-in beyond ends the oldest
PRUNED_AT_ONCE = 1000  # rows a transaction
MOST_PRUNED = 20_000  # rows a run


def begin_token_family(account: Account, *, newest: str, expires_at: datetime) -> int:
    """The id of a new family whose only token is `newest`."""
    family = TokenFamily.objects.create(account=account, newest=newest, expires_at=expires_at)
    kept = TokenFamily.objects.filter(account=account).order_by("-pk")[:MOST_FAMILIES]
    ids = list(kept.values_list("pk", flat=True))
    if len(ids) == MOST_FAMILIES:
        TokenFamily.objects.filter(account=account, pk__lt=ids[-1]).delete()
    return family.pk


def rotate_token_family(
    family_id: int, *, account_id: int, shown: str, successor: str, expires_at: datetime
) -> bool:
    """Exchanges the token `shown` for `successor`. False if the family has ended, also by this call."""
    with transaction.atomic():
        families = TokenFamily.objects.filter(pk=family_id, account_id=account_id)
        family = families.select_for_update(no_key=True).first()
        if family is None:
            return False
        if family.newest != shown:
            family.delete()
            return False
        family.newest, family.expires_at, family.used_at = successor, expires_at, timezone.now()
        family.save(update_fields=["newest", "expires_at", "used_at"])
        return True


def end_token_family(family_id: int, *, account_id: int) -> None:
    """Signs out: no token of it is honoured any more. Harmless to repeat."""
    TokenFamily.objects.filter(pk=family_id, account_id=account_id).delete()


def prune_token_families() -> int:
    """Forget families whose newest token has expired; how many."""
    pruned = 0
    while pruned < MOST_PRUNED:
        expired = TokenFamily.objects.filter(expires_at__lt=timezone.now()).order_by("expires_at")
        ids = list(expired.values_list("pk", flat=True)[:PRUNED_AT_ONCE])
        pruned += TokenFamily.objects.filter(pk__in=ids, expires_at__lt=timezone.now()).delete()[0]
        if len(ids) < PRUNED_AT_ONCE:
            break
    return pruned
