"""Today's menus, and the landing of visitors."""

import re

from posts.services import publish_post
from social.services import create_account, follow_account
from tests.factories import PostFactory

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
