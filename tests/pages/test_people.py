"""Sign up, sign in, sign out, cooks, profiles, following."""

import pytest
from django.test import Client

from social.discovery import count_followers, followed_by
from social.models import Account, Block
from social.selectors import follows
from tests.factories import PASSWORD, AccountFactory, FollowFactory, PostFactory

NEW = {
    "display_name": "Rita Matos",
    "username": "Rita",
    "password": "salt and lemon",
    "time_zone": "Europe/Lisbon",
}


def test_signing_up_signs_in_and_greets(cast, browse):
    client = browse(None)
    page = client.post("/sign-up", NEW, follow=True)
    assert page.redirect_chain == [("/welcome/", 302)]
    assert "Welcome, Rita Matos." in page.content.decode()
    rita = Account.objects.get(username="rita")
    assert (rita.time_zone, rita.is_cook) == ("Europe/Lisbon", False)


def test_a_new_cook_is_led_to_her_first_menu(cast, browse):
    page = browse(None).post("/sign-up", NEW | {"is_cook": "on"})
    assert page.headers["Location"] == "/menus/new"


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("username", "ana", "This username is taken."),
        ("username", "Rita Matos!", "Use 1 to 30 small letters"),
        ("username", "", "This field is required."),
        ("password", "12345", "too short"),
        ("display_name", "\u200b\u200b", "This field is required."),
        ("display_name", "a\x00b", "cannot be kept"),
        ("email", "rita at home", "valid email"),
    ],
)
def test_a_refused_sign_up_says_why_at_the_field_and_keeps_the_rest(cast, browse, field, value, words):
    page = browse(None).post("/sign-up", NEW | {"city": "Porto", field: value})
    html = page.content.decode()
    assert page.status_code == 400
    assert words in html
    assert f'id="id_{field}_error"' in html
    assert 'value="Porto"' in html
    assert Account.objects.filter(username="rita").count() == 0


def test_all_that_is_wrong_with_a_sign_up_is_said_at_once(cast, browse):
    wrong = {"username": "Ana", "password": "12345", "email": "rita at home", "display_name": ""}
    html = browse(None).post("/sign-up", NEW | wrong).content.decode()
    for words in ("This username is taken.", "too short", "valid email", "This field is required."):
        assert html.count(words) == 2  # at the field, and on top with the way to it
    for field in wrong:
        assert f'<a href="#id_{field}">' in html


def test_a_time_zone_nobody_knows_becomes_utc(cast, browse):
    browse(None).post("/sign-up", NEW | {"time_zone": "Mars/Olympus"})
    assert Account.objects.get(username="rita").time_zone == "UTC"


def test_signing_in_goes_on_to_where_one_was(cast, browse):
    form = {"username": "Carla", "password": PASSWORD, "next": "/@maria"}
    page = browse(None).post("/sign-in", form)
    assert page.headers["Location"] == "/@maria"


@pytest.mark.parametrize("address", ["https://evil.example/", "//evil.example", "javascript:alert(1)"])
def test_signing_in_never_leads_elsewhere(cast, browse, address):
    form = {"username": "carla", "password": PASSWORD, "next": address}
    assert browse(None).post("/sign-in", form).headers["Location"] == "/"


def test_a_wrong_password_is_400_and_keeps_the_name(cast, browse):
    page = browse(None).post("/sign-in", {"username": "carla", "password": "soup"})
    assert page.status_code == 400
    assert 'value="carla"' in page.content.decode()
    assert "do not belong together" in page.content.decode()


def test_signing_out_shows_the_landing(cast, browse):
    client = browse(cast.carla)
    page = client.post("/sign-out", follow=True)
    assert "You are signed out" in page.content.decode()
    assert "/sign-up" in client.get("/").content.decode()
    assert client.get("/sign-out").status_code == 405


def test_forms_are_refused_without_their_token(cast):
    client = Client(enforce_csrf_checks=True)
    page = client.post("/sign-in", {"username": "carla", "password": PASSWORD})
    assert page.status_code == 403
    assert "open for too long" in page.content.decode()


def test_following_and_unfollowing_lead_back(cast, browse):
    client = browse(cast.sam)
    assert client.post("/@ana/follow", {"next": "/cooks/"}).headers["Location"] == "/cooks/"
    assert follows(follower_id=cast.sam.pk, followee_id=cast.ana.pk)
    assert client.post("/@ana/unfollow").headers["Location"] == "/@ana"
    assert not follows(follower_id=cast.sam.pk, followee_id=cast.ana.pk)


def test_following_by_htmx_answers_with_the_other_button_alone(cast, browse):
    page = browse(cast.sam).post("/@ana/follow", headers={"HX-Request": "true"})
    html = page.content.decode()
    assert page.status_code == 200
    assert 'action="/@ana/unfollow"' in html
    assert "<html" not in html


def test_following_by_htmx_says_so_and_counts_her_followers_now(cast, browse):
    client = browse(cast.sam)
    html = client.post("/@ana/follow", headers={"HX-Request": "true"}).content.decode()
    assert "You follow <bdi>Ana</bdi> now." in html
    assert f'<div hx-swap-oob="innerHTML:#followers-{cast.ana.pk}">2 followers</div>' in html
    html = client.post("/@ana/unfollow", headers={"HX-Request": "true"}).content.decode()
    assert "You no longer follow <bdi>Ana</bdi>." in html
    assert ">1 follower</div>" in html


def test_the_followers_of_a_very_popular_cook_are_not_counted_on_a_click(cast, monkeypatch):
    monkeypatch.setattr("social.discovery.MOST_COUNTED", 1)
    cast.maria.follower_count = 80_000
    assert (count_followers(cast.maria), count_followers(cast.ana)) == (80_000, 1)


def test_visitors_who_follow_sign_in_first(cast, browse):
    page = browse(None).post("/@ana/follow", {"next": "/@ana"})
    assert page.headers["Location"] == "/sign-in?next=%2F%40ana"
    htmx = browse(None).post("/@ana/follow", {"next": "/@ana"}, headers={"HX-Request": "true"})
    assert htmx.headers["HX-Redirect"] == "/sign-in?next=%2F%40ana"


def test_following_oneself_or_nobody_is_refused_kindly(cast, browse):
    client = browse(cast.ana)
    assert client.post("/@ana/follow").status_code == 400
    assert client.post("/@nobody/follow").status_code == 404
    assert client.get("/@maria/follow").status_code == 405


def test_only_a_refused_change_says_that_nothing_was_changed(cast, browse):
    client = browse(cast.sam)
    assert "Nothing was changed" not in client.get("/@nobody").content.decode()
    assert "Nothing was changed" in client.post("/@nobody/follow").content.decode()


def test_only_what_is_not_found_may_be_mistyped_and_a_heading_has_no_full_stop(cast, browse):
    post, mistyped = PostFactory(author=cast.ana), "The address may be mistyped"
    refused = browse(cast.carla).get(f"/menus/{post.pk}/edit").content.decode()
    assert "<h1>This menu is not yours to change</h1>" in refused
    assert mistyped not in refused
    missing = browse(cast.carla).get("/@nobody").content.decode()
    assert "<h1>There is no such account</h1>" in missing
    assert mistyped in missing


def test_what_a_refusal_advises_stands_below_its_heading(cast, browse):
    Block.objects.create(blocker=cast.sam, blocked=cast.ana)
    html = browse(cast.sam).post("/@ana/follow").content.decode()
    assert "<h1>You block @ana</h1>" in html
    assert "<p>Unblock first, then follow.</p>" in html


def test_a_customers_own_profile_speaks_to_her_and_lists_whom_she_follows(cast, browse):
    html = browse(cast.carla).get("/@carla").content.decode()
    assert "This neighbour" not in html
    assert "0 followers" not in html
    assert 'action="/@ana/unfollow"' in html
    assert 'action="/@maria/unfollow"' in html
    assert "Nobody yet." in browse(cast.sam).get("/@sam").content.decode()
    assert 'action="/@maria/unfollow"' not in browse(cast.sam).get("/@carla").content.decode()


def test_whom_one_follows_goes_on_to_the_end(cast):
    cooks = {FollowFactory(follower=cast.sam).followee for _ in range(5)}
    after, seen = "", []
    for _ in range(3):
        page = followed_by(cast.sam.pk, after=after, limit=2)
        seen += [line.account for line in page.cooks]
        after = page.after
    assert after == ""
    assert len(seen) == 5
    assert set(seen) == cooks


@pytest.mark.parametrize("after", ["-1", "x", "9" * 40, "%00", "١٢"])
def test_a_damaged_place_in_whom_one_follows_is_no_error(cast, browse, after):
    assert "/@ana/unfollow" in browse(cast.carla).get(f"/@carla?followed={after}").content.decode()


def test_a_profile_shows_who_she_is_and_her_menus_page_by_page(cast, browse):
    posts = [PostFactory(author=cast.ana).pk for _ in range(12)]
    client = browse(None)
    html = client.get("/@Ana").content.decode()
    assert "Porto" in html
    assert html.count("<article") == 10
    rest = client.get(f"/@ana?before={posts[2]}", headers={"HX-Request": "true"}).content.decode()
    assert rest.count("<article") == 2
    assert "<html" not in rest


@pytest.mark.parametrize("address", ["/@nobody", "/@a%00b", "/@" + "x" * 500, "/@%F0%9F%8D%B2", "/nothing"])
def test_an_unknown_name_is_a_kind_404(cast, browse, address):
    page = browse(None).get(address)
    assert page.status_code == 404
    assert "See today" in page.content.decode()


def test_a_suspended_cook_is_not_found(cast, browse):
    PostFactory(author=cast.ana)
    Account.objects.filter(pk=cast.ana.pk).update(is_active=False)
    assert browse(None).get("/@ana").status_code == 404


@pytest.mark.parametrize("before", ["0", "-1", "x", "9" * 40, "%00", "١٢"])
def test_a_damaged_place_on_a_profile_is_no_error(cast, browse, before):
    assert browse(None).get(f"/@ana?before={before}").status_code == 200


def test_cooks_are_found_by_name_city_and_cuisine(cast, browse):
    AccountFactory(username="mei", display_name="Mei Ling", cook=True, city="Braga", cuisine="Cantonese")
    client = browse(cast.sam)
    for words in ("mei", "ling braga", "CANTONESE", "@mei"):
        html = client.get("/cooks/", {"q": words}).content.decode()
        assert "/@mei" in html
        assert "/@ana" not in html
    assert "No cook goes by" in client.get("/cooks/", {"q": "<xyz>"}).content.decode()
    assert "<xyz>" not in client.get("/cooks/", {"q": "<xyz>"}).content.decode()


def test_the_list_of_cooks_goes_on_to_the_end(cast, browse):
    names = {"ana", "maria"} | {AccountFactory(cook=True).username for _ in range(28)}
    client, after, seen = browse(None), "", []
    for _ in range(3):
        page = client.get("/cooks/", {"after": after}).context["page"]
        seen += [line.account.username for line in page.cooks]
        after = page.after
        if not after:
            break
    assert len(seen) == len(names)
    assert set(seen) == names


def test_lists_cost_the_same_however_long(cast, browse, django_assert_max_num_queries):
    AccountFactory.create_batch(20, cook=True)
    PostFactory.create_batch(9, author=cast.ana)
    client = browse(cast.carla)
    FollowFactory.create_batch(9, follower=cast.carla)
    for address, queries in (("/cooks/", 5), ("/@ana", 8), ("/@carla", 6)):
        with django_assert_max_num_queries(queries):
            assert client.get(address).status_code == 200


def test_only_a_web_address_is_offered_for_orders(cast, browse):
    Account.objects.filter(pk=cast.ana.pk).update(order_url="javascript:alert(1)")
    assert "javascript:" not in browse(None).get("/@ana").content.decode()
    Account.objects.filter(pk=cast.ana.pk).update(order_url="https://example.org/ana")
    assert 'href="https://example.org/ana"' in browse(None).get("/@ana").content.decode()


def test_ordering_is_the_one_thing_to_do_once_one_follows(cast, browse):
    Account.objects.filter(pk=cast.ana.pk).update(order_url="https://example.org/ana")
    quiet = 'class="button small quiet" href="https://example.org/ana"'
    assert quiet in browse(cast.sam).get("/@ana").content.decode()
    assert quiet not in browse(cast.carla).get("/@ana").content.decode()


@pytest.mark.parametrize(
    "next_page", ["lunch", "@@@", "sign-up", "a b", "🍜", "//evil.example", "https://evil.example"]
)
def test_a_next_that_is_no_address_of_ours_leads_home(cast, browse, next_page):
    response = browse(cast.carla).get("/sign-in", {"next": next_page})
    assert (response.status_code, response["Location"]) == (302, "/")
    response = browse(None).post("/sign-in", {"username": "carla", "password": PASSWORD, "next": next_page})
    assert (response.status_code, response["Location"]) == (302, "/")
    response = browse(cast.carla).post("/@maria/unfollow", {"next": next_page})
    assert (response.status_code, response["Location"]) == (302, "/@maria")
