"""How much data, and how long. A run of one scale compares only with runs of the same."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Scale:
    """`customers` have feeds filled to the cap. `group` viewers of each special kind; `rounds` of each row.

    `crowd` cooks write little, `busy` of them more; viewers of the special kinds follow them.
    """

    customers: int
    cooks: int
    days: int
    crowd: int = 5000
    busy: int = 60
    group: int = 40
    few: int = 30
    many: int = 1000
    most: int = 5000
    pulled: int = 30
    coalesced: int = 8  # cooks whom every customer follows
    rounds: int = 5
    seconds: float = 3.0  # of one load over HTTP
    calls: int = 400  # of one block in process
    posts: int = 16  # of one burst of fan-outs
    inserts: int = 300_000  # of one run of redis-benchmark
    publishes: int = 40  # of one round


FULL = Scale(customers=10_000, cooks=600, days=50)
QUICK = Scale(
    customers=5000, cooks=250, days=50, group=10, rounds=3, seconds=1.0, calls=150, posts=8, inserts=100_000,
    publishes=15,
)  # fmt: skip
