"""The threshold's arithmetic: known figures, and the same by counting one by one."""

import gzip
from io import StringIO
from xml.etree import ElementTree

import pytest
from django.core.management import CommandError, call_command
from hypothesis import given
from hypothesis import strategies as st

from feeds.planning.capacity import Delivery, Demand, nodes_for
from feeds.planning.distribution import Followers
from feeds.planning.ladder import Ladder
from feeds.planning.suggesting import Costs, suggest

COUNTS = st.lists(st.integers(0, 300), max_size=60)


def told(*arguments: str) -> str:
    out = StringIO()
    call_command(*arguments, stdout=out)
    return out.getvalue()


def cells(text: str) -> list[list[str]]:
    """Lines as columns, which are two spaces apart."""
    return [[cell for cell in line.split("  ") if cell.strip()] for line in text.splitlines()]


def stripped(text: str) -> list[list[str]]:
    return [[cell.strip() for cell in line] for line in cells(text)]


class TestSimulation:
    """Figures that any right implementation gives: the generator is the standard library's."""

    def test_a_million_accounts_at_1_1(self, tmp_path):
        lines = stripped(told("simulate_threshold", "--plot", str(tmp_path / "out.svg")))
        assert lines[1] == ["1,000,000", "155,331,438", "155", "37", "1,318", "82,188", "999,999", "34 %"]
        assert lines[3] == [
            "threshold",
            "pulled",
            "push writes a day",
            "of push-all",
            "largest push",
            "pulls a read",
        ]
        assert lines[4:10] == [
            ["none", "0", "155,331,438", "100.0 %", "999,999", "0.00"],
            ["1,000,000", "0", "155,331,438", "100.0 %", "999,999", "0.00"],
            ["100,000", "84", "124,896,386", "80.4 %", "99,022", "30.44"],
            ["10,000", "1,045", "101,424,516", "65.3 %", "9,998", "53.91"],
            ["5,000", "2,305", "92,741,996", "59.7 %", "4,998", "62.59"],
            ["1,000", "13,512", "70,795,128", "45.6 %", "999", "84.54"],
        ]
        picture = ElementTree.fromstring((tmp_path / "out.svg").read_bytes())
        assert len(picture) == 2

    def test_a_million_accounts_at_1_3(self):
        lines = stripped(
            told(
                "simulate_threshold", "--users", "1000000", "--alpha", "1.3", "--minimum", "20", "--seed", "3"
            )
        )
        assert lines[1] == ["1,000,000", "83,281,981", "83", "34", "692", "22,847", "464,966", "18 %"]
        assert lines[6:10] == [
            ["100,000", "22", "78,950,256", "94.8 %", "97,007", "4.33"],
            ["10,000", "299", "72,662,907", "87.2 %", "9,998", "10.62"],
            ["5,000", "724", "69,731,036", "83.7 %", "4,999", "13.55"],
            ["1,000", "6,104", "59,466,525", "71.4 %", "999", "23.82"],
        ]

    def test_a_graph_and_thresholds_of_ones_own(self, tmp_path):
        file = tmp_path / "follows.gz"
        file.write_bytes(gzip.compress(b"# who whom\n1\t9\n2\t9\n3\t9\n1\t8\n1\t8\n"))
        lines = stripped(told("simulate_threshold", "--graph", str(file), "--thresholds", "3", "2"))
        assert lines[1] == ["5", "4", "1", "0", "3", "3", "3", "75 %"]
        assert lines[4:] == [
            ["none", "0", "4", "100.0 %", "3", "0.00"],
            ["3", "1", "1", "25.0 %", "1", "0.60"],
            ["2", "1", "1", "25.0 %", "1", "0.60"],
        ]

    @pytest.mark.parametrize(
        ("arguments", "words"),
        [
            (["--users", "1"], "must be a whole number from 2 to 10,000,000, not '1'"),
            (["--alpha", "nan"], "must be a number from 0.5 to 10, not 'nan'"),
            (["--graph", "/nowhere/x"], "/nowhere/x: it cannot be read: No such file or directory."),
            (["--graph", "x", "--seed", "3", "--users", "9"], "leave --users, --seed out"),
            (["--plot", "out.png"], "name a file that ends in .svg"),
            (["--plot", "/nowhere/out.svg"], "there is no folder /nowhere"),
            (["--thresholds", "0"], "must be a whole number from 1"),
        ],
    )
    def test_what_makes_no_sense_is_refused_before_the_work(self, arguments, words):
        with pytest.raises(CommandError, match=None) as refusal:
            told("simulate_threshold", *arguments)
        assert words in str(refusal.value)


class TestLadder:
    @given(COUNTS, st.integers(1, 310))
    def test_it_counts_as_one_would_one_by_one(self, counts, threshold):
        accounts = [(count, 1 + n % 3) for n, count in enumerate(counts)]
        rung = Ladder(accounts, viewers=7).rung(threshold)
        pushed = [(count, posts) for count, posts in accounts if count < threshold]
        pulled = [count for count, _ in accounts if count >= threshold]
        assert rung.pulled == len(pulled)
        assert rung.pushes == sum(count * posts for count, posts in pushed)
        assert rung.largest == max([count for count, _ in pushed], default=0)
        assert rung.pulls == sum(pulled) / 7

    @given(COUNTS)
    def test_without_a_threshold_everybody_is_pushed(self, counts):
        rung = Ladder([(count, 1) for count in counts], viewers=3).rung(None)
        assert (rung.pulled, rung.pushes, rung.pulls) == (0, sum(counts), 0)
        assert rung.share == (1 if sum(counts) else 0)

    def test_nobody_at_all(self):
        rung = Ladder([], viewers=0).rung(10)
        assert (rung.pulled, rung.pushes, rung.share, rung.largest, rung.pulls) == (0, 0, 0, 0, 0)


class TestSpread:
    @given(COUNTS)
    def test_how_many_have_at_least_so_many(self, counts):
        for followers, accounts in Followers(counts).at_least():
            assert accounts == sum(count >= followers for count in counts)

    def test_percentiles_are_those_of_the_sorted_list(self):
        followers = Followers(range(1, 101))
        assert [followers.percentile(share) for share in (0.0, 0.5, 0.99, 1.0)] == [1, 50, 99, 100]
        assert Followers([]).percentile(0.5) == 0

    def test_of_a_few_accounts_the_top_is_one(self):
        assert Followers([6, 3, 1]).share_of_top(0.001) == 0.6


class TestCapacity:
    @pytest.mark.django_db(transaction=True)
    def test_a_hundred_million_readers(self):
        lines = stripped(told("capacity"))
        assert lines[1] == ["posts", "10,000,000", "116/s", "347/s"]
        assert lines[2] == ["reads", "1,000,000,000", "11,574/s", "34,722/s"]
        assert lines[3][:3] == ["inserts", "2,000,000,000", "23,148/s"]
        assert lines[5] == [
            "feeds",
            "2.5 TB: 500 entries of 50 bytes, 73 nodes of 32 GiB, 98 with a quarter kept free",
        ]
        assert lines[6] == ["posts", "3.6 TB a year: 1,000 bytes each"]

    def test_the_platform_that_this_is_for(self):
        text = told("capacity", "--profile", "delivery")
        for words in (
            "2,000 cooks, 200,000 customers who follow 10 each",
            "4,000 posts and 1,500,000 opens a day: 375 opens a post",
            "167 opens a second",
            "600,000 builds of the same feeds an hour, at 35 ms each 5.8 s of database every second",
            "15,000,000 pull reads",
            "4,000 posts times their followers",
        ):
            assert words in text

    def test_nodes_are_whole_and_have_room(self):
        assert nodes_for(100.0, 100.0) == (1, 2)
        assert nodes_for(101.0, 100.0) == (2, 2)

    def test_a_peak_multiplies_every_rate(self):
        demand = Demand(readers=86_400, reads=1, posting=1, followers=2, peak=4, entries=10, post_bytes=1)
        assert list(demand.rates()) == [
            ("posts", 86_400, 1, 4),
            ("reads", 86_400, 1, 4),
            ("inserts", 172_800, 2, 8),
        ]
        assert Delivery().followers_a_cook == 1_000

    @pytest.mark.parametrize(
        ("arguments", "words"),
        [
            (["--readers", "0"], "must be a number from 1 to 1e+11, not '0'"),
            (["--posting", "1.5"], "must be a number from 0 to 1, not '1.5'"),
            (["--profile", "delivery", "--reads", "3"], "leave --reads out"),
        ],
    )
    def test_what_makes_no_sense_is_refused(self, arguments, words):
        with pytest.raises(CommandError) as refusal:
            told("capacity", *arguments)
        assert words in str(refusal.value)


class TestSuggestion:
    """100 cooks with 100 followers, one with 10,000; 1,000 viewers who follow ten of the small and the large one."""

    LADDER = Ladder([(100, 1.0)] * 100 + [(10_000, 2.0)], viewers=1_000)
    CANDIDATES = (10, 50, 200, 1_000, 5_000, 20_000)

    @staticmethod
    def pulls(threshold):
        pulled = (10 if threshold <= 100 else 0) + (1 if threshold <= 10_000 else 0)
        return float(pulled), pulled

    def suggest(self, **changed):
        costs = {
            "pushes": 10_000, "merge": 1e-5, "refresh": 1e-4, "read": 1e-3, "active": 1.0, "opens": 1_000.0,
            "processes": 1, "keeps": 2.0, "freshness": 1.0, "budget": 0.01,
        }  # fmt: skip
        return suggest(self.LADDER, self.pulls, Costs(**costs | changed), self.CANDIDATES)

    def test_the_deadline_bounds_from_above(self):
        assert self.suggest(freshness=1.0).highest == 20_000  # the large one takes just a second
        assert self.suggest(freshness=0.5).highest == 5_000  # and with half of it has to be pulled
        assert (
            self.suggest(freshness=0.5, active=0.5).highest == 20_000
        )  # unless half of the followers are away

    def test_the_budget_bounds_from_below(self):
        assert self.suggest(budget=0.0011).lowest == 200  # eleven lists at 10 µs are too many, one is not
        assert self.suggest(budget=0.00112).lowest == 10

    def test_in_between_the_cheapest_wins(self):
        assert self.suggest(opens=1e9).threshold == 20_000  # much is read: push everything
        assert self.suggest(opens=100.0, refresh=0.0).threshold == 50  # nearly nobody reads: pull everything
        assert self.suggest(opens=100_000.0, refresh=0.0).threshold == 5_000  # the large one alone

    def test_without_opens_the_fewest_are_pulled(self):
        assert self.suggest(opens=None).threshold == 20_000
        assert self.suggest(opens=None, freshness=0.5).threshold == 5_000

    def test_budgets_that_exclude_each_other_are_told(self):
        none = self.suggest(freshness=0.005, budget=0.0011)
        assert (none.fits, none.lowest, none.highest) == (False, 200, 50)
        assert self.suggest(budget=0.0005).lowest is None
