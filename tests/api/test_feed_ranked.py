"""GET /feed?order=ranked and POST /feed/seen, as programs meet them."""

from math import prod

import pytest

from feeds.lists import execute_one
from feeds.models import Exposure, Seen
from feeds.ranking.rankers import WeightedRanker
from feeds.ranking.recording import bring_notes
from posts.models import Opening
from social.services import sign_out_everywhere
from tests.api.test_feed import problem
from tests.factories import PostFactory
from tests.feeds.helpers import keys_now, postgres_down, redis_down
from tests.ranking.helpers import different_menus

FEED = "/api/v1/feed"
SEEN = "/api/v1/feed/seen"


def ids_in(answer):
    return [post["id"] for post in answer.json()["posts"]]


def test_it_has_the_shape_of_the_feed_and_is_paged_by_cursor(cast, api):
    ids = different_menus([cast.ana.pk, cast.maria.pk] * 15)
    carla = api(cast.carla)
    first = carla.get(FEED, {"order": "ranked", "limit": 20})
    assert first["Cache-Control"] == "private, no-store"
    assert set(first.json()) == {"posts", "next_cursor", "refresh_cursor", "degraded"}
    assert "ranking" not in first.json()["posts"][0]
    link = first["Link"]
    assert "order=ranked" in link
    second = carla.get(link[1:].partition(">")[0])
    assert sorted(ids_in(first) + ids_in(second)) == sorted(ids)
    assert second.json()["next_cursor"] is None
    assert second.json()["refresh_cursor"] == first.json()["refresh_cursor"]
    assert "Link" not in second


def test_what_the_viewer_opens_stands_higher(cast, api):
    older, newer = different_menus([cast.ana.pk, cast.maria.pk], minutes_apart=30)[::-1]
    Opening.objects.create(account=cast.carla, post_id=older)
    carla = api(cast.carla)
    assert ids_in(carla.get(FEED)) == [newer, older]
    assert ids_in(carla.get(FEED, {"order": "newest"})) == [newer, older]
    assert ids_in(carla.get(FEED, {"order": "ranked"})) == [older, newer]


def test_explained_it_gives_the_parts_of_each_score(cast, api):
    post = PostFactory(author=cast.ana)
    Opening.objects.create(account=cast.carla, post=post)
    for query in ({}, {"limit": 1}):
        answer = api(cast.carla).get(FEED, {"order": "ranked", "explain": 1} | query).json()
        [why] = [shown["ranking"] for shown in answer["posts"]]
        assert set(why) == {"score", "parts", "lifted", "origin"}
        assert list(why["parts"]) == list(WeightedRanker.parts)
        assert why["parts"]["openings"] > 1
        assert why["score"] == pytest.approx(prod(why["parts"].values()), rel=1e-4)
        assert (why["lifted"], why["origin"]) == (False, "followed")
    assert "ranking" not in api(cast.carla).get(FEED, {"explain": 1}).json()["posts"][0]


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ({"order": "loudest"}, "order"),
        ({"order": ""}, "order"),
        ({"order": "ranked", "explain": "yes"}, "explain"),
    ],
)
def test_what_there_is_not_is_refused_by_name(cast, api, query, field):
    assert set(problem(api(cast.carla).get(FEED, query), 400, "invalid")["errors"]) == {field}


def test_cursors_of_the_other_order_or_of_somebody_else(cast, api):
    different_menus([cast.ana.pk] * 3)
    carla = api(cast.carla)
    newest = carla.get(FEED, {"limit": 1}).json()
    ranked = carla.get(FEED, {"limit": 1, "order": "ranked"}).json()
    for query in (
        {"order": "ranked", "cursor": newest["next_cursor"]},
        {"order": "ranked", "cursor": ranked["refresh_cursor"]},
        {"cursor": ranked["next_cursor"]},
    ):
        problem(carla.get(FEED, query), 400, "invalid_cursor")
    foreign = {"order": "ranked", "cursor": ranked["next_cursor"]}
    problem(api(cast.sam).get(FEED, foreign), 400, "invalid_cursor")


def test_a_list_that_is_no_longer_kept(cast, api):
    different_menus([cast.ana.pk] * 3)
    carla = api(cast.carla)
    cursor = carla.get(FEED, {"limit": 1, "order": "ranked"}).json()["next_cursor"]
    execute_one(keys_now(), ("UNLINK", keys_now().snapshots(cast.carla.pk)))
    told = problem(carla.get(FEED, {"order": "ranked", "cursor": cursor}), 410, "snapshot_expired")
    assert (
        told["detail"]
        == "This ranked list is no longer kept. Begin again at the first page, without a cursor."
    )


def test_what_is_new_is_newest_first_in_either_order(cast, api):
    PostFactory(author=cast.ana)
    carla = api(cast.carla)
    since = carla.get(FEED, {"order": "ranked"}).json()["refresh_cursor"]
    new = [PostFactory(author=author).pk for author in (cast.ana, cast.maria, cast.ana)]
    assert carla.get(f"{FEED}/updates", {"since": since}).json() == {"count": 3, "capped": False}
    first = carla.get(FEED, {"order": "ranked", "since": since, "limit": 2}).json()
    query = {"order": "ranked", "since": since, "cursor": first["next_cursor"]}
    assert [post["id"] for post in first["posts"]] + ids_in(carla.get(FEED, query)) == new[::-1]


def test_with_parts_away(cast, api, settle):
    different_menus([cast.ana.pk] * 3)
    settle()
    carla = api(cast.carla)
    carla.get(FEED, {"order": "ranked"})
    with postgres_down():
        page = carla.get(FEED, {"order": "ranked", "limit": 1}).json()
        assert not page["degraded"]
        assert len(ids_in(carla.get(FEED, {"order": "ranked", "cursor": page["next_cursor"]}))) == 2
        with redis_down():
            answer = carla.get(FEED, {"order": "ranked"})
            problem(answer, 503, "unavailable")
            assert answer["Retry-After"]
    with redis_down():
        degraded = carla.get(FEED, {"order": "ranked"}).json()
        assert degraded["degraded"]
        assert degraded["next_cursor"] is not None
        problem(carla.get(FEED, {"order": "ranked", "cursor": page["next_cursor"]}), 503, "unavailable")


def test_nobody_and_who_has_signed_out(cast, api):
    carla = api(cast.carla)
    problem(api(None).get(FEED, {"order": "ranked"}), 401, "not_authenticated")
    problem(api(None).post(SEEN, {"post_ids": []}, format="json"), 401, "not_authenticated")
    sign_out_everywhere(cast.carla.pk)
    problem(carla.get(FEED, {"order": "ranked"}), 401, "not_authenticated")
    problem(carla.post(SEEN, {"post_ids": []}, format="json"), 401, "not_authenticated")


class TestSeen:
    def test_it_is_noted(self, cast, api):
        post = PostFactory(author=cast.ana)
        for _ in range(2):
            answer = api(cast.carla).post(SEEN, {"post_ids": [post.pk, 12345]}, format="json")
            assert (answer.status_code, answer.content) == (204, b"")
        bring_notes()
        assert Seen.objects.get().post_ids == [post.pk]
        assert Exposure.objects.get().impressions == 1
        explained = api(cast.carla).get(FEED, {"order": "ranked", "explain": 1}).json()
        assert explained["posts"][0]["ranking"]["parts"]["seen"] == pytest.approx(0.4)

    @pytest.mark.parametrize(
        "body",
        [{}, {"post_ids": 1}, {"post_ids": ["1"]}, {"post_ids": [1.5]}, {"post_ids": [True]}, {"post_ids": [0]},
         {"post_ids": [2**53]}, {"post_ids": list(range(1, 102))}, {"post_ids": None}],
    )  # fmt: skip
    def test_what_is_no_list_of_menus_is_refused(self, cast, api, body):
        errors = problem(api(cast.carla).post(SEEN, body, format="json"), 400, "invalid")["errors"]
        assert set(errors) == {"post_ids"}

    def test_a_hundred_at_most_and_none_at_least(self, cast, api):
        for count in (0, 100):
            body = {"post_ids": list(range(1, count + 1))}
            assert api(cast.carla).post(SEEN, body, format="json").status_code == 204

    def test_it_has_a_limit_of_its_own(self, cast, api, settings):
        settings.RATE_LIMITS, settings.LIMIT_SEEN, settings.LIMIT_WRITES = True, (2, 60), (1, 60)
        carla = api(cast.carla)
        answers = [carla.post(SEEN, {"post_ids": [1]}, format="json") for _ in range(3)]
        assert [answer.status_code for answer in answers] == [204, 204, 429]
        assert answers[0]["RateLimit-Policy"].startswith('"seen";q=2;w=60')

    def test_without_redis_it_is_not_in_the_way(self, cast, api, monkeypatch):
        from feeds.ranking import notes

        monkeypatch.setattr(notes, "_kept", type(notes._kept)())
        monkeypatch.setattr(notes, "_try_again_at", 0.0)
        with redis_down():
            assert api(cast.carla).post(SEEN, {"post_ids": [1]}, format="json").status_code == 204
