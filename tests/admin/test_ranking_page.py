"""The weights of the ranked feed as staff turn them: looking, preview for a viewer, save with a reason, undo."""

import re
from collections.abc import Callable
from datetime import timedelta
from html import unescape
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Group
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from courtyard.roles import OPERATORS, VIEWERS
from feeds.models import RankingSettings, Seen, SettingsChange
from feeds.ranking.current import change_weights, current_weights
from feeds.ranking.serving import read_ranked
from feeds.threshold import set_threshold
from posts.models import Opening
from social.models import Account
from tests.factories import AccountFactory, Cast, FollowFactory, PostFactory
from tests.feeds.helpers import keys_now, query_count, redis_down
from tests.ranking.helpers import different_menus, ids_of

Browse = Callable[[Account | None], Client]
PAGE = "/admin/feeds/rankingsettings/1/change/"
PREVIEW = "/admin/feeds/rankingsettings/1/preview/"
REASON = "Friends first."


@pytest.fixture
def menus(cast: Cast, settle: Callable[[], None]) -> list[int]:
    """Four an hour apart, of maria and ana in turn, the newest first; carla, who was here last, has opened ana's."""
    ids = different_menus([cast.maria.pk, cast.ana.pk] * 2, minutes_apart=60)
    Opening.objects.create(account=cast.carla, post_id=ids[3])
    Account.objects.filter(pk=cast.carla.pk).update(last_seen=timezone.now() + timedelta(minutes=1))
    settle()
    return ids


@pytest.fixture
def staff(cast: Cast, menus: list[int], browse: Browse) -> Client:
    return browse(cast.stef)


@pytest.fixture
def viewer(cast: Cast, menus: list[int], browse: Browse) -> Client:
    return in_group(cast.sam, VIEWERS, browse)


def in_group(account: Account, group: str, browse: Browse) -> Client:
    call_command("migrate", verbosity=0)  # makes the groups
    Account.objects.filter(pk=account.pk).update(is_staff=True)
    account.groups.add(Group.objects.get(name=group))
    return browse(Account.objects.get(pk=account.pk))


def values(page: Any, **changed: Any) -> dict[str, Any]:
    """What the page's form would send; weights are named without what is before their names."""
    form = page.context["form"]
    sent = {name: form[name].value() for name in form.fields} | {"reason": REASON, "viewer": "carla"}
    weights = {f"weight_{name}": value for name, value in changed.items() if f"weight_{name}" in sent}
    others = {name: value for name, value in changed.items() if f"weight_{name}" not in sent}
    return {name: "" if value is None else value for name, value in (sent | weights | others).items()}


def save(staff: Client, **changed: Any) -> Any:
    return staff.post(PAGE, values(staff.get(PAGE), **changed) | {"save": "yes"}, follow=True)


def text_of(response: Any) -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", response.content.decode())).split())


def ranked(response: Any) -> list[int]:
    return [line.post_id for line in response.context["preview"].ranked]


class TestChanging:
    def test_every_weight_is_there_and_says_what_it_is(self, staff: Client) -> None:
        page = staff.get(PAGE)
        text = text_of(page)
        assert "All 14 weights of the ranked feed are at their defaults." in text
        assert "Gravity exponent How fast a menu sinks as it ages. 0: age does not count. From 0 to 5" in text
        assert "by default 1.2." in text
        assert len(page.context["form"].rows) == 14
        assert values(page)["weight_age_hours"] == "6"
        assert "Nobody has changed anything yet." in text

    def test_saving_brings_it_into_force_and_is_remembered(self, staff: Client, cast: Cast) -> None:
        response = save(staff, gravity=2, seen_factor=0.25)
        assert response.redirect_chain[-1][0] == f"{PAGE}?viewer=carla"
        text = text_of(response)
        assert "Saved, and in force for every list that is ranked from now on." in text
        assert (
            "2 of 14 weights of the ranked feed are not at the default: gravity 2 (by default 1.2), seen factor"
            in text
        )
        assert "@stef gravity: 1.2 → 2.0 Friends first." in text
        assert {name: current_weights()[name] for name in ("gravity", "seen_factor")} == {
            "gravity": 2,
            "seen_factor": 0.25,
        }
        assert RankingSettings.objects.get().weights == {"gravity": 2, "seen_factor": 0.25}  # nothing else
        assert LogEntry.objects.first().change_message == "gravity, seen_factor changed: Friends first."
        assert {change.by for change in SettingsChange.objects.filter(reason=REASON)} == {cast.stef}

    def test_nonsense_is_refused_and_all_stays(self, staff: Client) -> None:
        page = staff.get(PAGE)
        for changed, field in (
            *(
                ({"gravity": value}, "weight_gravity")
                for value in ("5.1", "-1", "nan", "inf", "", "x", "1e400")
            ),
            ({"age_hours": "0"}, "weight_age_hours"),
            ({"gravity": "2", "reason": ""}, "reason"),
            ({"gravity": "2", "reason": " \u200b "}, "reason"),
            ({"gravity": "2", "reason": "x" * 301}, "reason"),
            ({"gravity": "2", "seen": ""}, "seen"),
            ({}, "__all__"),  # nothing is different
        ):
            response = staff.post(PAGE, values(page, **changed) | {"save": "yes"})
            assert response.status_code == 400
            assert list(response.context["form"].errors) == [field]
        assert not RankingSettings.objects.exists()
        assert not SettingsChange.objects.filter(reason=REASON).exists()

    def test_what_is_out_of_range_is_told_beside_its_field(self, staff: Client) -> None:
        html = save(staff, gravity=9).content.decode()
        assert re.search(
            r'id="id_weight_gravity_state"><strong class="cy-wrong">Must be from 0 to 5\.<', html
        )

    def test_of_two_who_look_at_the_same_the_second_is_told_what_the_first_did(
        self, staff: Client, cast: Cast
    ) -> None:
        looked = values(staff.get(PAGE), gravity=3) | {"save": "yes"}
        change_weights({"seen_factor": 0.1}, by=cast.stef, reason="Fresh ones.")
        set_threshold(9, by=cast.stef, reason="Faster.")
        text = text_of(staff.post(PAGE, looked, follow=True))
        assert "Nothing was saved: @stef has just set seen factor to 0.1 (Fresh ones.)." in text
        assert current_weights()["gravity"] == 1.2

    def test_the_threshold_in_between_is_no_change_of_these(self, staff: Client, cast: Cast) -> None:
        looked = values(staff.get(PAGE), gravity=3) | {"save": "yes"}
        set_threshold(9, by=cast.stef, reason="Faster.")
        staff.post(PAGE, looked)
        assert current_weights()["gravity"] == 3

    def test_undo_begins_with_what_was_before(self, staff: Client) -> None:
        save(staff, gravity=2)
        save(staff, gravity=3)
        first = SettingsChange.objects.filter(reason=REASON).earliest("pk")
        html = staff.get(PAGE).content.decode()
        assert len(re.findall(r'href="[^"]+\?undo=\d+&amp;viewer=carla"', html)) == 2
        page = staff.get(PAGE, {"undo": first.pk})
        sent = values(page) | {"reason": page.context["form"].initial["reason"], "save": "yes"}
        assert (sent["reason"], sent["weight_gravity"]) == ("Undo: Friends first.", "1.2")
        staff.post(PAGE, sent)
        assert current_weights()["gravity"] == 1.2

    def test_undo_of_what_is_no_weight_or_of_nonsense_does_nothing(self, staff: Client, cast: Cast) -> None:
        set_threshold(9, by=cast.stef, reason="Faster.")
        other = SettingsChange.objects.create(field="ranking: of_old", old="1.0", new="2.0", reason="Once.")
        for asked in (SettingsChange.objects.get(reason="Faster.").pk, other.pk, 0, "x", "9" * 40, "-1"):
            page = staff.get(PAGE, {"undo": asked})
            assert page.context["form"].wanted == {}, asked
        assert "of old: 1.0 → 2.0" in text_of(page)
        assert "?undo=" not in page.content.decode()

    def test_defaults_fill_the_form_and_save_nothing(self, staff: Client) -> None:
        save(staff, gravity=2)
        page = staff.post(PAGE, values(staff.get(PAGE), like_worth=7) | {"defaults": "yes"})
        sent = values(page, reason=page.context["form"].initial["reason"])
        assert (sent["weight_gravity"], sent["weight_like_worth"], sent["reason"]) == ("1.2", "3", REASON)
        assert page.context["viewer"] == "carla"
        assert current_weights()["gravity"] == 2
        staff.post(PAGE, sent | {"save": "yes"})
        assert current_weights()["gravity"] == 1.2

    def test_there_is_one_row_and_it_stays(self, staff: Client) -> None:
        for address in ("/admin/feeds/rankingsettings/", "/admin/feeds/rankingsettings/2/change/"):
            assert staff.get(address, follow=True).redirect_chain[-1][0] == PAGE
        assert staff.get("/admin/feeds/rankingsettings/add/").status_code == 403
        assert staff.post("/admin/feeds/rankingsettings/1/delete/", {"post": "yes"}).status_code == 403

    def test_another_ranker_brings_weights_of_its_own(self, staff: Client, settings: Any) -> None:
        settings.FEED_RANKER = "feeds.ranking.rankers.TurnsRanker"
        page = staff.get(PAGE)
        assert [row.weight.name for row in page.context["form"].rows] == ["seen_factor"]
        assert "turn 0.50" in text_of(page)


class TestPreview:
    def preview(self, staff: Client, page: Any = None, viewer: str = "carla", **changed: Any) -> Any:
        return staff.get(PREVIEW, values(page or staff.get(PAGE), viewer=viewer, **changed))

    def test_it_follows_the_form_before_anything_is_saved(self, staff: Client, menus: list[int]) -> None:
        newest = self.preview(staff, openings_weight=0)
        assert ranked(newest) == menus
        friends = self.preview(staff, openings_weight=10)
        assert ranked(friends) == [menus[1], menus[3], menus[0], menus[2]]
        assert [line.post_id for line in friends.context["preview"].newest] == menus
        first = friends.context["preview"].ranked[0]
        assert (first.newest, first.up, first.cook) == (2, 1, "@ana")
        assert first.text.startswith("stew with soup")
        assert {part.name: part.up for part in first.parts} == {
            "recency": False,
            "openings": True,
            "follow": True,
        }
        assert first.quiet == "likes, engagement, sold out, seen"
        assert not RankingSettings.objects.exists()

    def test_it_is_what_readers_would_get(self, staff: Client, cast: Cast) -> None:
        looked = ranked(self.preview(staff, openings_weight=10))
        change_weights({"openings_weight": 10}, by=cast.stef, reason=REASON)
        assert ids_of(read_ranked(cast.carla.pk)) == looked

    def test_it_says_how_much_is_another_than_in_force(self, staff: Client, menus: list[int]) -> None:
        assert "These are the weights in force." in text_of(self.preview(staff))
        assert "Nobody would notice: the first 4 stand as by the weights in force." in text_of(
            self.preview(staff, usual_share=0.2)
        )
        text = text_of(self.preview(staff, openings_weight=0))
        assert re.search(
            r"\d of the first 4 stand elsewhere than by the weights in force; first now: “soup", text
        )

    def test_without_a_script_the_page_shows_the_same(self, staff: Client) -> None:
        page = staff.post(PAGE, values(staff.get(PAGE), openings_weight=10, reason=""))
        assert page.status_code == 200
        assert ranked(page) == ranked(self.preview(staff, openings_weight=10))
        assert page.context["form"]["weight_openings_weight"].value() == "10"
        assert not RankingSettings.objects.exists()

    @pytest.mark.parametrize("typed", ["9", ""])
    def test_what_is_no_weight_is_as_in_force_and_told(self, staff: Client, typed: str) -> None:
        response = self.preview(staff, gravity=typed, openings_weight=10)
        assert "Gravity: not as typed, see there." in text_of(response)
        assert 'hx-swap-oob="innerHTML"><strong class="cy-wrong">' in response.content.decode()
        assert ranked(response) == ranked(self.preview(staff, openings_weight=10))
        assert staff.post(PAGE, values(staff.get(PAGE), gravity=typed)).status_code == 400

    def test_repetitions_are_named_where_they_are_left_out(self, staff: Client, cast: Cast) -> None:
        old = PostFactory(author=cast.ana, text="Fish of the day with rice and salad.", dishes=[])
        new = PostFactory(author=cast.ana, text="Fish of the day with rice and salad!", dishes=[])
        response = self.preview(staff)
        repeated = [line.post_id for line in response.context["preview"].newest if line.repeated]
        assert repeated == [old.pk]
        assert new.pk in ranked(response)
        assert "left out: nearly the same as a newer one" in text_of(response)
        assert "6 menus of the last 3 days for @carla; 1 left out" in text_of(response)

    def test_who_is_lifted_is_marked(self, staff: Client, cast: Cast, settle: Callable[[], None]) -> None:
        cooks = AccountFactory.create_batch(10, cook=True)
        for cook in cooks:
            FollowFactory(follower=cast.carla, followee=cook)
        different_menus([cook.pk for cook in cooks[:-1]] * 2 + [cooks[-1].pk])
        settle()
        lifted = [line for line in self.preview(staff).context["preview"].ranked if line.lifted]
        assert [line.ranked for line in lifted] == [10]
        assert "lifted: a cook who seldom posts" in text_of(self.preview(staff))

    def test_the_viewer_is_who_was_here_last_and_follows_somebody(self, staff: Client, cast: Cast) -> None:
        assert staff.get(PAGE).context["viewer"] == "carla"
        Account.objects.update(last_seen=None)
        page = staff.get(PAGE)
        assert page.context["viewer"] == ""
        assert "Type the username of somebody who follows cooks" in text_of(page)

    def test_who_has_nothing_to_rank_is_told_why(self, staff: Client, cast: Cast) -> None:
        quiet = AccountFactory(username="quiet")
        FollowFactory(follower=quiet, followee=AccountFactory(cook=True))
        AccountFactory(username="gone", is_active=False, inactive_because="suspended")
        sent = values(staff.get(PAGE))
        for name, words in {
            "nobody": "There is no account @nobody.",
            "x" * 200 + "\x00<b>": "There is no account @xxx",
            "gone": "@gone is suspended by staff, and so has no feed.",
            "sam": "@sam follows nobody, so that there is nothing to rank.",
            "quiet": "Nothing of the last 3 days is in the feed of @quiet.",
        }.items():
            response = staff.get(PREVIEW, sent | {"viewer": name})
            assert response.status_code == 200
            assert words in text_of(response)
            assert not ranked(response)
        assert words in text_of(staff.get(PAGE, {"viewer": name}))
        assert ranked(self.preview(staff, viewer=" @Carla "))

    def test_it_stores_nothing_and_is_no_visit(self, staff: Client, cast: Cast, feed_redis: Any) -> None:
        def state() -> tuple[Any, ...]:
            """All but cards of menus and accounts, which are the same for everybody."""
            seen = Account.objects.values_list("pk", "last_seen").order_by("pk")
            keys = {key for key in feed_redis.keys("*") if not re.search(rb":(post|account|overlay)\b", key)}
            return list(seen), keys, Seen.objects.count()

        before = state()
        self.preview(staff, openings_weight=10)
        staff.post(PAGE, values(staff.get(PAGE), openings_weight=10))
        assert state() == before
        assert not feed_redis.exists(keys_now().snapshots(cast.carla.pk))

    def test_however_many_menus_it_costs_as_many_queries(
        self, staff: Client, cast: Cast, settle: Callable[[], None]
    ) -> None:
        sent = values(staff.get(PAGE), openings_weight=10)
        staff.get(PREVIEW, sent)
        few = query_count(lambda: staff.get(PREVIEW, sent))
        different_menus([cast.ana.pk] * 40, begin_minutes_ago=300)
        settle()
        staff.get(PREVIEW, sent)
        assert query_count(lambda: staff.get(PREVIEW, sent)) <= few <= 25
        assert query_count(lambda: staff.get(PAGE)) <= 32

    def test_without_redis_it_comes_from_postgresql(self, staff: Client, menus: list[int]) -> None:
        with redis_down():
            page = staff.get(PAGE)
            assert page.status_code == 200
            assert sorted(ranked(page)) == sorted(menus)

    def test_it_takes_no_longer_than_its_time(self, staff: Client, monkeypatch: pytest.MonkeyPatch) -> None:
        from feeds.admin import parts

        monkeypatch.setattr(parts.Parts.__init__, "__defaults__", (0.0, 0.0))
        page = staff.get(PAGE, {"viewer": "carla"})
        assert page.status_code == 200
        assert "Not looked at: the parts before took too long." in text_of(page)


class TestWhoMay:
    def test_viewers_look_and_change_nothing(self, staff: Client, viewer: Client) -> None:
        save(staff, gravity=2)
        page = viewer.get(PAGE)
        text = text_of(page)
        assert page.status_code == 200
        assert page.context["form"] is None
        assert "You may look at these, and not change them." in text
        assert "gravity: 1.2 → 2.0" in text
        assert "Undo" not in text
        assert ranked(page)
        assert ranked(viewer.get(PREVIEW, {"viewer": "carla"})) == ranked(page)
        sent = values(staff.get(PAGE), gravity=3)
        for step in ({}, {"save": "yes"}, {"defaults": "yes"}):
            assert viewer.post(PAGE, sent | step).status_code == 403
        assert viewer.post(PREVIEW, sent).status_code == 405
        assert current_weights()["gravity"] == 2

    def test_operators_may(self, staff: Client, cast: Cast, browse: Browse) -> None:
        save(in_group(cast.sam, OPERATORS, browse), gravity=2)
        assert current_weights()["gravity"] == 2

    def test_others_do_not_get_in(self, staff: Client, cast: Cast, browse: Browse) -> None:
        Account.objects.filter(pk=cast.sam.pk).update(is_staff=True)
        for who, status in ((cast.carla, 302), (None, 302), (Account.objects.get(pk=cast.sam.pk), 403)):
            client = browse(who)
            for answer in (client.get(PAGE), client.get(PREVIEW), client.post(PAGE, {"save": "yes"})):
                assert answer.status_code == status


class TestBesideTheThreshold:
    THRESHOLD_PAGE = "/admin/feeds/feedsettings/1/change/"

    def test_each_leads_to_the_other_and_the_index_to_both(self, staff: Client) -> None:
        assert f'href="{PAGE}"' in staff.get(self.THRESHOLD_PAGE).content.decode()
        assert f'href="{self.THRESHOLD_PAGE}"' in staff.get(PAGE).content.decode()
        assert "Ranking: what stands first" in text_of(staff.get("/admin/"))

    def test_each_has_a_history_of_its_own(self, staff: Client, cast: Cast) -> None:
        set_threshold(9, by=cast.stef, reason="Faster.")
        save(staff, gravity=2)
        ours, its = text_of(staff.get(PAGE)), text_of(staff.get(self.THRESHOLD_PAGE))
        assert ("gravity: 1.2" in ours, "Faster." in ours) == (True, False)
        assert ("gravity: 1.2" in its, "Faster." in its) == (False, True)
        everything = text_of(staff.get("/admin/feeds/settingschange/"))
        assert "ranking: gravity" in everything
        assert "threshold" in everything

    def test_a_weight_is_undone_on_its_own_page_alone(self, staff: Client) -> None:
        save(staff, gravity=2)
        page = staff.get(self.THRESHOLD_PAGE, {"undo": SettingsChange.objects.get(reason=REASON).pk})
        assert "reason" not in page.context["form"].initial
