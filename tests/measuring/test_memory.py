"""Bytes of stored feeds, as Redis itself counts them."""

from collections.abc import Callable
from io import StringIO

import pytest
from django.core.management import call_command

from feeds.epoch import current_epoch
from feeds.lists import commands, keys_at
from feeds.measuring.memory import measure_memory
from feeds.measuring.sampling import sample_accounts
from social.models import Account
from tests.factories import AccountFactory, Cast, PostFactory
from tests.feeds.helpers import redis_down, warm

pytestmark = pytest.mark.django_db(transaction=True)


def test_both_encodings_are_measured_where_no_feed_is_stored(cast: Cast) -> None:
    found = {memory.encoding: memory for memory in measure_memory(entries=500)}
    assert set(found) == {"listpack", "skiplist"}
    assert not any(memory.real for memory in found.values())
    assert found["skiplist"].entries == 500
    assert 15 < found["listpack"].bytes_an_entry < 30 < found["skiplist"].bytes_an_entry < 150
    assert scratch_keys() == []


def test_stored_feeds_are_what_counts_where_there_are_any(cast: Cast, settle: Callable[[], None]) -> None:
    PostFactory.create_batch(25, author=cast.ana)
    settle()
    warm(cast.carla)
    [listpack] = [memory for memory in measure_memory(entries=500) if memory.encoding == "listpack"]
    keys = keys_at(current_epoch())
    [size] = commands.list_sizes(keys, [keys.feed(cast.carla.pk)])
    assert (listpack.real, listpack.lists, listpack.entries) == (True, 1, 25)
    assert size is not None
    assert (size.entries, size.bytes) == (25, listpack.bytes)


def test_the_command_says_what_it_measured(cast: Cast) -> None:
    out = StringIO()
    call_command("capacity", stdout=out)
    text = out.getvalue()
    assert "listpack: no stored feed has it; a list of 100 entries made for this" in text
    assert "skiplist: no stored feed has it; a list of 500 entries made for this" in text


def test_without_redis_the_sums_stay(cast: Cast) -> None:
    out = StringIO()
    with redis_down():
        call_command("capacity", stdout=out)
    assert "2.5 TB" in out.getvalue()
    assert "Nothing was measured" in out.getvalue()


def test_a_sample_is_all_where_few_are_and_bounded_where_many_are(cast: Cast) -> None:
    AccountFactory.create_batch(40)
    everybody = set(Account.objects.values_list("pk", flat=True))
    assert set(sample_accounts(100)) == everybody
    some = sample_accounts(20)
    assert 5 < len(some) <= 20
    assert len(set(some)) == len(some)
    assert set(some) <= everybody
    assert set(some) != set(sample_accounts(20))


def scratch_keys() -> list[str]:
    keys = keys_at(current_epoch())
    return [name for name in (keys.scratch("memory"),) if commands.list_sizes(keys, [name]) != [None]]
