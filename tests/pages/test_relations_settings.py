"""Settings: the profile, privacy, lists with undo, deactivating and coming back, deleting."""

import re
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from django.core import signing

from social.models import Account, Block, Follow, FollowRequest, Mute
from social.pages.signing import REACTIVATION
from social.services import deactivate_account, erase_account, suspend_account
from tests.factories import PASSWORD, AccountFactory, PostFactory

PROFILE = {
    "display_name": "Ana dos Pães",
    "bio": "Bread.\nAnd soup.",
    "city": "Braga",
    "cuisine": "Minho",
    "order_url": "https://example.org/ana",
    "time_zone": "Europe/Lisbon",
    "is_cook": "on",
}
SIGN_IN = {"username": "ana", "password": PASSWORD}


def test_the_profile_is_saved_and_shown(cast, browse):
    client = browse(cast.ana)
    page = client.post("/settings/", PROFILE, follow=True)
    assert page.redirect_chain == [("/settings/", 302)]
    html = page.content.decode()
    assert "Saved." in html
    for value in ("Ana dos Pães", "And soup.", "Braga", "Minho", "https://example.org/ana"):
        assert value in html
    assert '<option value="Europe/Lisbon" selected>' in html
    ana = Account.objects.get(pk=cast.ana.pk)
    assert (ana.bio, ana.is_cook, ana.is_private) == ("Bread.\nAnd soup.", True, False)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("display_name", ""),
        ("display_name", "a\x00b"),
        ("bio", "x" * 501),
        ("order_url", "javascript:alert(1)"),
        ("order_url", "x\x00"),
        ("time_zone", "Mars/Olympus"),
    ],
)
def test_what_is_not_right_is_said_at_the_field_and_the_rest_is_kept(cast, browse, field, value):
    page = browse(cast.ana).post("/settings/", PROFILE | {field: value, "city": "Faro"})
    html = page.content.decode()
    assert page.status_code == 400
    assert f'id="id_{field}_error"' in html
    assert 'value="Faro"' in html
    assert Account.objects.get(pk=cast.ana.pk).city == "Porto"


def zones_offered(client):
    select = re.search(
        r'<select name="time_zone".*?</select>', client.get("/settings/").content.decode(), re.S
    )
    return set(re.findall(r'value="([^"]+)"', select[0]))


def test_zones_are_offered_by_place_and_an_odd_one_stays_while_it_is_mine(cast, browse):
    client = browse(cast.ana)
    offered = zones_offered(client)
    assert {"UTC", "Europe/Lisbon", "America/Argentina/Salta", "Arctic/Longyearbyen"} <= offered
    assert (
        not {"localtime", "W-SU", "US/Indiana-Starke", "Etc/GMT+3", "Etc/UTC", "EST", "Asia/Calcutta"}
        & offered
    )
    Account.objects.filter(pk=cast.ana.pk).update(time_zone="US/Indiana-Starke")
    client = browse(cast.ana)
    assert zones_offered(client) == offered | {"US/Indiana-Starke"}
    for zone, status in (
        ("US/Indiana-Starke", 302),
        ("W-SU", 400),
        ("Europe/Lisbon", 302),
        ("US/Indiana-Starke", 400),
    ):
        assert client.post("/settings/", PROFILE | {"time_zone": zone}).status_code == status


def test_going_private_and_public_again(cast, browse):
    client = browse(cast.ana)
    client.post("/settings/", PROFILE | {"is_private": "on"})
    assert Follow.objects.filter(followee=cast.ana).count() == 1
    browse(cast.sam).post("/@ana/follow")
    assert "1 person asks to follow you" in client.get("/settings/").content.decode()
    client.post("/settings/", PROFILE)
    assert Follow.objects.filter(followee=cast.ana).count() == 2
    assert not FollowRequest.objects.exists()


def test_whom_one_blocks_and_mutes_is_listed_with_an_undo(cast, browse):
    Block.objects.create(blocker=cast.ana, blocked=cast.sam)
    Mute.objects.create(muter=cast.ana, muted=cast.maria)
    client = browse(cast.ana)
    html = client.get("/settings/").content.decode()
    assert 'action="/@sam/unblock"' in html
    assert 'action="/@maria/unmute"' in html
    for address in ("/@sam/unblock", "/@maria/unmute"):
        page = client.post(address, {"next": "/settings/"}, follow=True)
        assert page.redirect_chain == [("/settings/", 302)]
    assert (Block.objects.count(), Mute.objects.count()) == (0, 0)


def test_a_mute_that_ends_says_when_in_ones_own_zone_and_exactly_on_hover(cast, browse):
    zone = ZoneInfo("Pacific/Auckland")
    end = (datetime.now(zone) + timedelta(days=1)).replace(hour=9, minute=42)
    Account.objects.filter(pk=cast.ana.pk).update(time_zone=zone.key)
    Mute.objects.create(muter=cast.ana, muted=cast.maria, expires_at=end)
    html = browse(cast.ana).get("/settings/").content.decode()
    assert ">until tomorrow, 9:42</time>" in html
    assert re.search(rf'title="\w+, {end.day} \w+ {end.year}, 9:42 \(NZ[DS]T\)"', html)


@pytest.mark.parametrize("name", ["blocked", "muted"])
def test_long_lists_go_on_and_refuse_a_damaged_place(cast, browse, name, monkeypatch):
    monkeypatch.setattr("social.pages.people.PEOPLE_ON_A_PAGE", 2)
    for guest in AccountFactory.create_batch(3):
        Block.objects.create(blocker=cast.ana, blocked=guest)
        Mute.objects.create(muter=cast.ana, muted=guest)
    client = browse(cast.ana)
    first = client.get("/settings/").context[name]
    second = client.get(f"/settings/?{name}={first.next_cursor}").context[name]
    assert [len(first.lines), len(second.lines), second.next_cursor] == [2, 1, None]
    damaged = client.get(f"/settings/?{name}=x")
    assert damaged.status_code == 400
    assert "<h1>This link is damaged</h1>" in damaged.content.decode()
    assert 'href="/settings/"' in damaged.content.decode()


def test_deactivating_hides_and_the_next_sign_in_offers_to_come_back(cast, browse):
    PostFactory(author=cast.ana, text="Soup.")
    client, carla = browse(cast.ana), browse(cast.carla)
    assert "Your account is deactivated" in client.post("/settings/deactivate", follow=True).content.decode()
    assert carla.get("/@ana").status_code == 404
    assert "Soup." not in carla.get("/").content.decode()

    page = client.post("/sign-in", SIGN_IN | {"next": "/cooks/"})
    assert page.status_code == 200
    assert "Reactivate" in page.content.decode()
    assert carla.get("/@ana").status_code == 404  # looking is not coming back
    token = page.context["token"]
    page = client.post("/reactivate", {"token": token, "next": "/cooks/"}, follow=True)
    assert page.redirect_chain == [("/cooks/", 302)]
    assert "Welcome back, Ana." in page.content.decode()
    assert carla.get("/@ana").status_code == 200
    assert "Soup." in carla.get("/").content.decode()


def test_only_the_right_password_offers_it(cast, browse):
    deactivate_account(cast.ana.pk)
    page = browse(None).post("/sign-in", SIGN_IN | {"password": "bread"})
    assert page.status_code == 400
    assert "Reactivate" not in page.content.decode()
    assert "do not belong together" in page.content.decode()


@pytest.mark.parametrize("token", ["", "x", "WzEsMV0:1", "\x00", "é"])
def test_coming_back_wants_the_password_of_just_now(cast, browse, token):
    deactivate_account(cast.ana.pk)
    assert browse(None).post("/reactivate", {"token": token}).headers["Location"] == "/sign-in"
    assert not Account.objects.get(pk=cast.ana.pk).is_active


def test_coming_back_is_not_for_who_was_suspended_or_signed_out_meanwhile(cast, browse):
    deactivate_account(cast.ana.pk)
    old = signing.dumps([cast.ana.pk, 1], salt=REACTIVATION)
    assert browse(None).post("/reactivate", {"token": old}).status_code == 403
    token = browse(None).post("/sign-in", SIGN_IN).context["token"]
    suspend_account(cast.ana.pk, by=cast.stef)
    assert browse(None).post("/reactivate", {"token": token}).status_code == 403
    assert not Account.objects.get(pk=cast.ana.pk).is_active
    assert browse(None).get("/reactivate").status_code == 405


def test_who_is_suspended_or_being_deleted_is_told_so(cast, browse):
    suspend_account(cast.ana.pk, by=cast.stef)
    page = browse(None).post("/sign-in", SIGN_IN)
    assert page.status_code == 400
    assert "Our staff have suspended this account." in page.content.decode()
    erase_account(cast.ana.pk)
    assert "is being deleted" in browse(None).post("/sign-in", SIGN_IN).content.decode()
    wrong = browse(None).post("/sign-in", SIGN_IN | {"password": "bread"}).content.decode()
    assert "do not belong together" in wrong


@pytest.mark.parametrize("password", ["", "bread"])
def test_deleting_wants_the_password(cast, browse, password):
    client = browse(cast.ana)
    page = client.post("/settings/delete", {"password": password})
    assert page.status_code == 400
    assert 'id="id_password_error"' in page.content.decode()
    assert 'value="Porto"' in page.content.decode()
    assert Account.objects.get(pk=cast.ana.pk).is_active


def test_deleting_says_goodbye_and_hides_at_once(cast, browse):
    client = browse(cast.ana)
    page = client.post("/settings/delete", {"password": PASSWORD}, follow=True)
    assert "Your account is deleted." in page.content.decode()
    assert "/sign-up" in page.content.decode()
    assert browse(cast.carla).get("/@ana").status_code == 404


@pytest.mark.parametrize("address", ["/settings/", "/requests/"])
def test_visitors_sign_in_first(cast, browse, address):
    assert browse(None).get(address).headers["Location"].startswith("/sign-in?next=")
    for way_out in ("deactivate", "delete"):
        assert browse(None).post(f"/settings/{way_out}").status_code == 302
        assert browse(cast.ana).get(f"/settings/{way_out}").status_code == 405


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ("nora.example", "https://nora.example"),
        (" nora.example/order?x=1 ", "https://nora.example/order?x=1"),
        ("http://nora.example", "http://nora.example"),
        ("", ""),
    ],
)
def test_an_order_link_is_taken_as_people_type_it(cast, browse, typed, kept):
    assert browse(cast.ana).post("/settings/", PROFILE | {"order_url": typed}).status_code == 302
    assert Account.objects.get(pk=cast.ana.pk).order_url == kept


@pytest.mark.parametrize(
    "typed", ["javascript:alert(1)", "javascript://nora.example/%0aalert(1)", "ring me", "ftp://a.example"]
)
def test_what_is_no_web_address_is_told_how_to_write_one(cast, browse, typed):
    page = browse(cast.ana).post("/settings/", PROFILE | {"order_url": typed})
    assert page.status_code == 400
    assert "Write it like https://example.com/order." in page.content.decode()


def test_who_becomes_a_cook_is_led_to_her_first_menu(cast, browse):
    page = browse(cast.sam).post("/settings/", PROFILE | {"is_cook": "on"}, follow=True)
    assert page.redirect_chain == [("/menus/new", 302)]
    assert "You can publish now: write your first menu." in page.content.decode()
    page = browse(cast.ana).post("/settings/", PROFILE | {"is_cook": "on"}, follow=True)
    assert page.redirect_chain == [("/settings/", 302)]


def test_cities_that_have_cooks_are_offered_while_one_types(cast, browse):
    for client, address in ((browse(None), "/sign-up"), (browse(cast.sam), "/settings/")):
        html = client.get(address).content.decode()
        assert '<option value="Porto"></option>' in html
        assert 'list="known-cities"' in html
