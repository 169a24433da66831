"""The order "for you" on the page: chosen, remembered, in words; and what is told of menus in sight."""

import pytest
from django.test import Client

from feeds.lists import execute_one
from feeds.models import Seen
from feeds.ranking.candidates import Followed
from feeds.ranking.recording import bring_notes
from feeds.ranking.snapshot import Explanation
from feeds.ranking.wording import reasons
from tests.factories import PostFactory
from tests.feeds.helpers import keys_now
from tests.ranking.helpers import different_menus

HTMX = {"HX-Request": "true"}


def test_newest_first_unless_chosen_and_then_it_is_remembered(cast, browse):
    different_menus([cast.ana.pk, cast.maria.pk] * 15)
    carla = browse(cast.carla)
    assert b'data-order="ranked"' not in carla.get("/").content
    answer = carla.post("/order", {"order": "ranked"})
    assert (answer.status_code, answer["Location"]) == (302, "/")
    page = carla.get("/").content.decode()
    assert 'data-order="ranked"' in page
    assert "<h2" not in page.split('class="feed"')[1].split("<article")[0]  # no days
    assert "order=ranked&amp;cursor=" in page
    carla.post("/order", {"order": "newest"})
    assert b'data-order="ranked"' not in carla.get("/").content


def test_the_address_decides_where_it_says_so(cast, browse):
    PostFactory(author=cast.ana)
    carla = browse(cast.carla)
    carla.post("/order", {"order": "ranked"})
    assert b'data-order="ranked"' not in carla.get("/?order=newest").content
    carla.post("/order", {"order": "newest"})
    assert b'data-order="ranked"' in carla.get("/?order=ranked").content


def test_a_cursor_of_the_other_order_is_a_damaged_link(cast, browse, api):
    PostFactory.create_batch(2, author=cast.ana)
    newest = api(cast.carla).get("/api/v1/feed?limit=1").json()["next_cursor"]
    assert browse(cast.carla).get("/", {"order": "ranked", "cursor": newest}).status_code == 400


def test_another_order_is_refused(cast, browse):
    answer = browse(cast.carla).post("/order", {"order": "loudest"})
    assert answer.status_code == 400
    assert "Choose the newest first, or an order for you" in answer.content.decode()
    assert browse(cast.carla).get("/order").status_code == 405


def test_an_order_that_is_no_longer_kept(cast, browse):
    different_menus([cast.ana.pk] * 30)
    carla = browse(cast.carla)
    page = carla.get("/?order=ranked").content.decode()
    older = page.split('hx-get="')[1].split('"')[0].replace("&amp;", "&")
    assert carla.get(older, headers=HTMX).status_code == 200
    execute_one(keys_now(), ("UNLINK", keys_now().snapshots(cast.carla.pk)))
    part = carla.get(older, headers=HTMX)
    assert part.status_code == 410
    assert "Make a new order" in part.content.decode()
    assert "<html" not in part.content.decode()
    whole = carla.get(older)
    assert whole.status_code == 410
    assert "<h1>This order has run out</h1>" in whole.content.decode()


def test_nothing_of_the_last_days_leads_on_to_what_is_older(cast, browse):
    different_menus([cast.ana.pk], begin_minutes_ago=9 * 1440)
    page = browse(cast.carla).get("/?order=ranked").content.decode()
    assert "Nothing of the last days" in page
    assert 'href="/?order=newest"' in page


def test_who_follows_nobody_is_offered_cooks_in_either_order(cast, browse):
    page = browse(cast.sam).get("/?order=ranked").content.decode()
    assert "Nobody cooks for you yet" in page
    assert 'name="order"' not in page


def test_times_say_the_day(cast, browse):
    different_menus([cast.ana.pk], begin_minutes_ago=2 * 1440)
    page = browse(cast.carla).get("/?order=ranked").content.decode()
    shown = page.split("<time")[1].split("</time>")[0]
    assert ", " in shown.split(">")[1]  # "Sunday, 29 November, 12:05"


class TestReasons:
    neutral = dict.fromkeys(("recency", "openings", "likes", "follow", "engagement", "sold_out", "seen"), 1.0)

    def told(self, *, own=False, followed=True, lifted=False, **parts):
        why = Explanation(1.0, self.neutral | parts, lifted, Followed.name)
        return list(reasons(why, cook="Ana", own=own, followed=followed))

    def test_what_makes_no_difference_is_not_said(self):
        assert self.told(openings=1.01) == ["You follow Ana.", "It is fresh."]

    def test_the_strongest_first(self):
        assert self.told(openings=1.2, likes=1.8, engagement=1.5, recency=0.5, seen=0.4) == [
            "You follow Ana.",
            "You like menus of Ana.",
            "Many of those who saw it looked closer or liked it.",
            "You have opened menus of Ana.",
            "It is some hours old, so it stands lower.",
            "You have seen it already, so it stands lower.",
        ]

    @pytest.mark.parametrize(
        ("facts", "words"),
        [
            ({"own": True}, "It is your own menu."),
            ({"followed": False}, "You do not follow Ana; this was recommended."),
            ({"follow": 1.4}, "You have begun to follow Ana not long ago."),
            ({"recency": 0.1}, "It is not of today any more, so it stands lower."),
            ({"engagement": 0.5}, "Few of those who saw it looked closer, so it stands lower."),
            ({"sold_out": 0.5}, "Something of it is sold out, so it stands lower."),
            ({"lifted": True}, "Ana seldom posts, so a fresh menu of theirs gets a place near the top."),
            ({"turn": 0.5}, "turn counts 0.50 times."),
        ],
    )
    def test_each(self, facts, words):
        assert words in self.told(**facts)

    def test_on_the_card_for_who_looks_for_them(self, cast, browse):
        PostFactory(author=cast.ana)
        carla = browse(cast.carla)
        assert "You have begun to follow Ana not long ago." in carla.get("/?order=ranked").content.decode()
        assert "Why this?" not in carla.get("/?order=newest").content.decode()


class TestSeen:
    def test_it_is_noted_and_answers_nothing(self, cast, browse):
        posts = PostFactory.create_batch(2, author=cast.ana)
        answer = browse(cast.carla).post("/seen", {"ids": f"{posts[0].pk} {posts[1].pk}"})
        assert (answer.status_code, answer.content) == (204, b"")
        bring_notes()
        assert sorted(Seen.objects.get().post_ids) == [post.pk for post in posts]

    @pytest.mark.parametrize("ids", ["x", "1 -2", "9" * 17, "1.5", "0", " ".join("1" * 101), "１"])
    def test_what_is_no_list_of_menus_is_refused(self, cast, browse, ids):
        assert browse(cast.carla).post("/seen", {"ids": ids}).status_code == 400

    def test_who_is_signed_out_has_seen_nothing(self, cast, browse, feed_redis):
        assert browse(None).post("/seen", {"ids": "1"}).status_code == 204
        assert not feed_redis.exists(keys_now().notes)

    def test_not_without_end(self, cast, browse, settings):
        settings.RATE_LIMITS, settings.LIMIT_SEEN = True, (2, 60)
        carla = browse(cast.carla)
        assert [carla.post("/seen", {"ids": "1"}).status_code for _ in range(3)] == [204, 204, 429]

    def test_it_needs_the_token_of_a_page(self, cast):
        client = Client(enforce_csrf_checks=True)
        client.force_login(cast.carla)
        assert client.post("/seen", {"ids": "1"}).status_code == 403
