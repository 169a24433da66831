"""Today's menus, and the landing of visitors."""

import re

import pytest

from feeds import cards
from posts.services import publish_post
from social.models import Account
from social.services import create_account, follow_account, update_account
from tests.factories import FollowFactory, PostFactory
from tests.feeds.helpers import postgres_down, redis_down

HTMX = {"HX-Request": "true"}


def card_ids(html: str) -> list[int]:
    return [int(number) for number in re.findall(r'<article[^>]* id="menu-(\d+)"', html)]


def older(html: str) -> str | None:
    found = re.search(r'hx-get="(/\?cursor=[^"]+)"', html)
    return found[1].replace("&amp;", "&") if found else None


def test_visitors_see_the_landing_with_menus_and_cooks(cast, browse):
    post = PostFactory(author=cast.ana)
    page = browse(None).get("/")
    assert page.status_code == 200
    assert card_ids(page.content.decode()) == [post.pk]
    assert "/@ana" in page.content.decode()
    assert "/sign-up" in page.content.decode()


def test_a_follower_sees_a_menu_the_moment_it_is_out(cast, browse):
    post = publish_post(
        author=cast.ana, text="Ready from twelve.", dishes=[{"name": "Caldo verde", "price": "6.50"}]
    )
    html = browse(cast.carla).get("/").content.decode()
    assert card_ids(html) == [post.pk]
    assert "Caldo verde" in html
    assert "€6.50" in html
    assert 'class="day">Today' in html


def test_walking_by_plain_links_shows_each_menu_once_to_the_end(cast, browse):
    posts = [PostFactory(author=cast.ana).pk for _ in range(45)]
    client, address, seen = browse(cast.carla), "/", []
    for _ in range(5):
        html = client.get(address).content.decode()
        seen += card_ids(html)
        address = older(html)
        if address is None:
            break
    assert seen == posts[::-1]
    assert 'id="end"' in html


def test_a_fragment_repeats_neither_the_frame_nor_the_heading(cast, browse):
    PostFactory.create_batch(25, author=cast.ana)
    client = browse(cast.carla)
    fragment = client.get(older(client.get("/").content.decode()), headers=HTMX).content.decode()
    assert len(card_ids(fragment)) == 5
    assert "<html" not in fragment
    assert 'class="day"' not in fragment


def test_the_same_address_without_htmx_is_a_whole_page_with_its_heading(cast, browse):
    PostFactory.create_batch(25, author=cast.ana)
    client = browse(cast.carla)
    page = client.get(older(client.get("/").content.decode())).content.decode()
    assert "<html" in page
    assert 'class="day">Today' in page


def test_a_damaged_cursor_is_400_with_a_way_back(cast, browse):
    page = browse(cast.carla).get("/?cursor=x%00y")
    assert page.status_code == 400
    assert "This link is damaged" in page.content.decode()
    assert 'href="/"' in page.content.decode()


def test_a_cursor_of_another_reader_is_400(cast, browse):
    PostFactory.create_batch(25, author=cast.ana)
    address = older(browse(cast.carla).get("/").content.decode())
    assert browse(cast.sam).get(address).status_code == 400


def test_an_empty_feed_points_to_cooks(cast, browse):
    html = browse(cast.sam).get("/").content.decode()
    assert "Nobody cooks for you yet" in html
    assert 'hx-get="/cooks/?pick=1"' in html
    assert 'href="/cooks/"' in html


def test_who_was_signed_out_everywhere_sees_the_landing(cast, browse):
    client = browse(cast.carla)
    client.get("/")
    cast.carla.auth_version += 1
    cast.carla.save()
    page = client.get("/")
    assert page.status_code == 200
    assert "/sign-up" in page.content.decode()


def test_pages_are_for_one_reader_and_run_nothing_foreign(cast, browse):
    page = browse(cast.carla).get("/")
    assert page.headers["Cache-Control"] == "private, no-store"
    assert "default-src 'self'" in page.headers["Content-Security-Policy"]
    assert "unsafe" not in page.headers["Content-Security-Policy"]
    assert " style=" not in page.content.decode()
    assert "onclick" not in page.content.decode()


def test_text_is_escaped_in_the_page_and_in_fragments(cast, browse):
    evil = '<script>alert("x")</script>'
    create_account(username="eve", password="salt and lemon", display_name=evil, is_cook=True)
    eve = type(cast.ana).objects.get(username="eve")
    follow_account(follower=cast.carla, followee_id=eve.pk)
    dish = {"name": evil, "price": "1.00"}
    photo = {"url": '"><script>', "alt": evil}
    for _ in range(25):
        publish_post(author=eve, text=evil, dishes=[dish], photos=[photo])
    client = browse(cast.carla)
    whole = client.get("/").content.decode()
    part = client.get(older(whole), headers=HTMX).content.decode()
    profile = client.get("/@eve").content.decode()
    for html in (whole, part, profile):
        assert evil not in html
        assert '"><script>' not in html
        assert "&lt;script&gt;" in html


def test_a_card_shows_four_dishes_and_counts_the_rest(cast, browse):
    dishes = [{"name": f"Dish {n}", "price": "2.00", "sold_out": n == 1} for n in range(7)]
    publish_post(author=cast.ana, dishes=dishes)
    html = browse(cast.carla).get("/").content.decode()
    assert "Dish 3" in html
    assert "Dish 4" not in html
    assert "3 more" in html
    assert "<s>Dish 1</s>" in html
    assert "Sold out" in html


def test_a_warm_page_runs_no_sql(cast, browse, settle, django_assert_num_queries):
    PostFactory.create_batch(25, author=cast.ana)
    PostFactory(author=cast.maria)
    settle()
    client = browse(cast.carla)
    first = client.get("/").content.decode()
    client.get(older(first), headers=HTMX)
    with django_assert_num_queries(0):
        assert client.get("/").status_code == 200
        assert client.get(older(first), headers=HTMX).status_code == 200


def attribute(html: str, name: str) -> str:
    found = re.search(rf'{name}="([^"]*)"', html)
    assert found, name
    return found[1]


def test_a_page_knows_since_when_and_asks_with_its_session(cast, browse):
    PostFactory(author=cast.ana)
    client = browse(cast.carla)
    html = client.get("/").content.decode()
    address = f"{attribute(html, 'data-address')}?since={attribute(html, 'data-since')}"
    assert client.get(address).json() == {"count": 0, "capped": False}
    PostFactory.create_batch(2, author=cast.ana)
    assert client.get(address).json() == {"count": 2, "capped": False}
    assert browse(None).get(address).status_code == 401
    assert browse(cast.sam).get(address).status_code == 400
    assert attribute(html, "data-new-one") == "%n new menu"
    assert attribute(html, "data-new-other") == "%n new menus"


def test_a_session_that_has_ended_is_told_so_when_it_asks_what_is_new(cast, browse):
    client = browse(cast.carla)
    since = attribute(client.get("/").content.decode(), "data-since")
    cast.carla.auth_version += 1
    cast.carla.save()
    assert client.get(f"/api/v1/feed/updates?since={since}").status_code == 401


def test_what_is_new_comes_as_cards_alone_with_the_next_since(cast, browse):
    PostFactory(author=cast.ana)
    client = browse(cast.carla)
    since = attribute(client.get("/").content.decode(), "data-since")
    new = [PostFactory(author=cast.ana).pk for _ in range(25)]
    fragment = client.get(f"/?since={since}", headers=HTMX).content.decode()
    assert card_ids(fragment) == new[::-1]
    assert "<html" not in fragment
    assert "data-more" not in fragment
    after = client.get(f"/?since={attribute(fragment, 'data-since')}", headers=HTMX).content.decode()
    assert card_ids(after) == []


def test_more_than_a_page_takes_on_top_says_so(cast, browse, monkeypatch):
    monkeypatch.setattr("feeds.pages.MOST_FRESH", 2)
    client = browse(cast.carla)
    since = attribute(client.get("/").content.decode(), "data-since")
    PostFactory.create_batch(3, author=cast.ana)
    assert 'data-more="yes"' in client.get(f"/?since={since}", headers=HTMX).content.decode()


def test_a_damaged_since_opens_the_newest_anew_and_is_nothing_to_plain_links(cast, browse):
    client = browse(cast.carla)
    assert client.get("/?since=damaged", headers=HTMX).headers["HX-Redirect"] == "/"
    assert client.get("/?since=damaged").status_code == 200


@pytest.mark.parametrize(
    ("limit", "count"),
    [("50", 50), ("100", 60), ("101", 20), ("0", 20), ("-5", 20), ("٣", 20), ("9" * 5000, 20)],
)
def test_who_comes_back_to_a_place_further_down_may_take_more_at_once(cast, browse, limit, count):
    PostFactory.create_batch(80, author=cast.ana)
    client = browse(cast.carla)
    address = older(client.get("/").content.decode())
    fragment = client.get(f"{address}&limit={limit}", headers=HTMX).content.decode()
    assert len(card_ids(fragment)) == count
    assert "limit" not in (older(fragment) or "")


def test_a_card_leads_to_where_its_cook_takes_orders(cast, browse, settle, django_assert_num_queries):
    PostFactory(author=cast.ana)
    client = browse(cast.carla)
    assert 'class="order"' not in client.get("/").content.decode()
    update_account(cast.ana.pk, order_url="https://example.org/ana")
    page = client.get("/").content.decode()
    assert 'class="order" href="https://example.org/ana" rel="noopener nofollow ugc"' in page
    settle()
    client.get("/")
    with django_assert_num_queries(0):
        assert 'href="https://example.org/ana"' in client.get("/").content.decode()
    assert 'href="https://example.org/ana"' in browse(None).get("/").content.decode()


def test_cards_lead_to_no_address_but_https_and_the_api_says_none(cast, browse, api):
    PostFactory(author=cast.ana)
    for address in ("http://example.org/ana", "javascript:alert(1)"):
        Account.objects.filter(pk=cast.ana.pk).update(order_url=address)
        assert 'class="order"' not in browse(cast.carla).get("/").content.decode()
    [post] = api(cast.carla).get("/api/v1/feed").json()["posts"]
    assert post["author"].keys() == {"id", "username", "display_name", "avatar_url", "city"}


def test_a_card_knows_its_cook_and_what_its_dishes_are(cast, browse):
    dishes = [
        {"name": "Feijoada", "price": "9.00", "tags": []},
        {"name": "Salad", "price": "5.00", "tags": ["vegan", "gluten_free"]},
        {"name": "Pie", "price": "5.00", "tags": ["halal"], "sold_out": True},
        {"name": "Stew", "price": "5.00", "tags": ["halal", "spicy"]},
    ]
    publish_post(author=cast.ana, dishes=dishes)
    html = browse(cast.carla).get("/").content.decode()
    assert 'data-cook="ana" data-offers="gluten_free vegan vegetarian|halal spicy"' in html


def test_a_card_of_somebody_else_has_a_way_to_mute_and_ones_own_has_none(cast, browse):
    FollowFactory(follower=cast.ana, followee=cast.maria)
    own, other = PostFactory(author=cast.ana), PostFactory(author=cast.maria)
    client = browse(cast.ana)
    html = client.get("/").content.decode()
    assert card_ids(html) == [other.pk, own.pk]
    assert html.count('class="card-menu"') == 1
    assert 'action="/@maria/mute"' in html
    client.post("/@maria/mute", {"expires_in": "86400", "next": "/"})
    assert card_ids(client.get("/").content.decode()) == [own.pk]
    assert 'class="card-menu"' not in browse(None).get("/").content.decode()
    assert 'class="card-menu"' not in browse(cast.carla).get("/@maria").content.decode()


def test_who_follows_cooks_without_menus_is_not_told_that_nobody_cooks(
    cast, browse, settle, django_assert_num_queries
):
    client = browse(cast.carla)
    assert "Nothing on the stove yet" in client.get("/").content.decode()
    settle()
    client.get("/")
    with django_assert_num_queries(0):
        html = client.get("/").content.decode()
    assert "Nothing on the stove yet" in html
    assert "Nobody cooks for you yet" not in html
    with redis_down():
        assert "Nothing on the stove yet" in client.get("/").content.decode()


def test_who_has_just_followed_the_first_cook_is_told_so_at_once(cast, browse):
    client = browse(cast.sam)
    assert "Nobody cooks for you yet" in client.get("/").content.decode()
    follow_account(follower=cast.sam, followee_id=cast.ana.pk)
    assert "Nothing on the stove yet" in client.get("/").content.decode()


def test_text_that_hurts_stays_text(cast, browse):
    family = "👩\u200d👩\u200d👧\u200d👦"
    dishes = [{"name": f"{family} <b>Dish</b> {n}", "price": "2.00"} for n in range(50)]
    publish_post(author=cast.ana, text="Soup \u202eesrever\u202c today", dishes=dishes)
    html = browse(cast.carla).get("/").content.decode()
    assert f"{family} &lt;b&gt;Dish&lt;/b&gt; 3" in html
    assert "<b>Dish" not in html
    assert "46 more" in html
    assert '<p class="card-text" dir="auto">Soup' in html


def test_an_older_page_with_nothing_on_it_yet_waits_to_be_pressed(cast, browse, feed_redis):
    """By itself it would ask again and again while PostgreSQL is away."""
    PostFactory.create_batch(25, author=cast.ana)
    client = browse(cast.carla)
    address = older(client.get("/").content.decode())
    for key in [*feed_redis.scan_iter("cy:*:feed:*"), *feed_redis.scan_iter("cy:*:post:*")]:
        feed_redis.delete(key)
    cards.post_memory.clear()
    with postgres_down():
        fragment = client.get(address, headers=HTMX).content.decode()
    assert card_ids(fragment) == []
    assert 'hx-trigger="click"' in fragment
    assert '<p class="older-error" role="alert">We are a bit slow just now.' in fragment
    assert 'hx-trigger="nearby, click"' in client.get("/").content.decode()
