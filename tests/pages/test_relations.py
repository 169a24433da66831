"""What one does to others on pages: asking, accepting, muting, blocking, removing; and what the pages show then."""

from urllib.parse import quote

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from social.lists import blocked_accounts
from social.models import Account, Block, Follow, FollowRequest, Mute
from tests.factories import AccountFactory, FollowFactory, PostFactory


@pytest.fixture
def private_ana(cast):
    PostFactory(author=cast.ana, text="Soup behind a curtain.")
    Account.objects.filter(pk=cast.ana.pk).update(is_private=True)
    return cast.ana


def html_of(client, address):
    page = client.get(address)
    assert page.status_code == 200, address
    return page.content.decode()


def press(client, address, **fields):
    """Press a button without JavaScript; the page one comes to."""
    page = client.post(address, fields, follow=True)
    assert page.status_code == 200, address
    return page.content.decode()


def test_a_private_table_is_closed_to_strangers_and_open_to_followers(cast, browse, private_ana):
    for visitor in (browse(None), browse(cast.sam)):
        html = html_of(visitor, "/@ana")
        assert "This table is private" in html
        assert "Ask to follow" in html
        assert "Soup behind a curtain." not in html
    assert "Soup behind a curtain." in html_of(browse(cast.carla), "/@ana")
    assert "Soup behind a curtain." in html_of(browse(cast.ana), "/@ana")


def test_asking_waiting_and_being_accepted(cast, browse, private_ana):
    sam, ana = browse(cast.sam), browse(cast.ana)
    html = press(sam, "/@ana/follow")
    assert "You have asked to follow" in html
    assert "Cancel request" in html
    assert "1 person asks to follow you" in html_of(ana, "/@ana")
    assert "Sam" in html_of(ana, "/requests/")
    html = press(ana, "/@sam/accept", next="/requests/")
    assert "Sam follows you now." in html
    assert "Nobody is asking" in html
    assert "Soup behind a curtain." in html_of(sam, "/@ana")


def test_taking_a_request_back_or_rejecting_it(cast, browse, private_ana):
    sam, ana = browse(cast.sam), browse(cast.ana)
    press(sam, "/@ana/follow")
    assert "Ask to follow" in press(sam, "/@ana/unfollow")
    press(sam, "/@ana/follow")
    assert "The request of Sam is gone." in press(ana, "/@sam/reject", next="/requests/")
    assert "Ask to follow" in html_of(sam, "/@ana")
    assert not FollowRequest.objects.exists()
    assert ana.post("/@sam/accept").status_code == 404


def test_by_htmx_the_button_says_what_one_may_do_next(cast, browse, private_ana):
    sam = browse(cast.sam)
    for change, button, words in (
        ("follow", "Cancel request", "You have asked to follow <bdi>Ana</bdi>."),
        ("unfollow", "Ask to follow", "You no longer ask to follow <bdi>Ana</bdi>."),
    ):
        html = sam.post(f"/@ana/{change}", headers={"HX-Request": "true"}).content.decode()
        assert button in html
        assert words in html
        assert "<html" not in html


@pytest.mark.parametrize(("expires_in", "ends"), [("", False), ("86400", True)])
def test_muting_empties_today_and_not_her_page(cast, browse, expires_in, ends):
    PostFactory(author=cast.ana, text="Soup.")
    carla = browse(cast.carla)
    assert "Soup." in html_of(carla, "/")
    html = press(carla, "/@ana/mute", expires_in=expires_in)
    assert "You will not see menus of Ana in Today." in html
    assert "Soup." in html
    assert "Unmute" in html
    assert "Soup." not in html_of(carla, "/")
    assert (Mute.objects.get().expires_at is not None) == ends
    press(carla, "/@ana/unmute")
    assert "Soup." in html_of(carla, "/")


@pytest.mark.parametrize("expires_in", ["-1", "x", "0", "9" * 20, "١", "1.5"])
def test_muting_for_a_time_that_is_none_is_refused(cast, browse, expires_in):
    assert browse(cast.carla).post("/@ana/mute", {"expires_in": expires_in}).status_code == 400
    assert not Mute.objects.exists()


def test_blocking_closes_both_tables_and_unblocking_opens_them(cast, browse):
    PostFactory(author=cast.ana, text="Soup.")
    carla, ana = browse(cast.carla), browse(cast.ana)
    html = press(carla, "/@ana/block")
    assert html.count("You block") == html.count("Neither of you sees") == 1
    assert "Soup." not in html
    assert "Soup." not in html_of(carla, "/")
    assert 'action="/@ana/follow"' not in html
    assert ana.get("/@carla").status_code == 404
    assert carla.post("/@ana/follow").status_code == 403
    html = press(carla, "/@ana/unblock")
    assert "Soup." in html
    assert 'action="/@ana/follow"' in html
    assert ana.get("/@carla").status_code == 200


@pytest.mark.parametrize("change", ["mute", "unmute", "block", "unblock", "accept", "reject", "remove"])
def test_each_button_wants_a_press_by_somebody_signed_in_on_somebody_else(cast, browse, change):
    assert browse(cast.sam).get(f"/@ana/{change}").status_code == 405
    address = browse(None).post(f"/@ana/{change}", {"next": "/@ana"}).headers["Location"]
    assert address == f"/sign-in?next={quote('/@ana', safe='')}"
    assert browse(cast.sam).post(f"/@sam/{change}").status_code == 400
    assert browse(cast.sam).post(f"/@nobody/{change}").status_code == 404
    assert browse(cast.sam).post(f"/@a%00b/{change}").status_code == 404


def test_an_account_looks_at_its_followers_and_removes_one(cast, browse):
    ana = browse(cast.ana)
    assert 'href="/@ana/followers"' in html_of(ana, "/@ana")
    assert 'action="/@carla/remove"' in html_of(ana, "/@ana/followers")
    html = press(ana, "/@carla/remove", next="/@ana/followers")
    assert "Carla no longer follows you." in html
    assert "Nobody yet." in html
    assert not Follow.objects.filter(followee=cast.ana).exists()


def test_a_profile_says_who_follows_back_and_offers_to_end_it(cast, browse):
    ana = browse(cast.ana)
    html = html_of(ana, "/@carla")
    assert "Follows you" in html
    assert "Remove as a follower" in html
    html = press(ana, "/@carla/remove")
    assert "Carla no longer follows you." in html
    assert "Follows you" not in html
    assert "Remove as a follower" not in html


def test_others_look_at_them_and_remove_nobody(cast, browse):
    sam = browse(cast.sam)
    html = html_of(sam, "/@ana/followers")
    assert 'href="/@carla"' in html
    assert "/remove" not in html
    assert 'href="/@maria"' in html_of(sam, "/@carla/following")
    assert browse(None).get("/@ana/followers").status_code == 302


def test_the_lists_of_a_private_account_are_for_its_followers(cast, browse, private_ana):
    for address in ("/@ana/followers", "/@ana/following"):
        assert browse(cast.sam).get(address).status_code == 404
        assert browse(cast.carla).get(address).status_code == 200
        assert browse(cast.ana).get(address).status_code == 200
    assert 'href="/@ana/followers"' not in html_of(browse(cast.sam), "/@ana")


@pytest.mark.parametrize("address", ["/@ana/followers", "/@carla/following", "/requests/"])
def test_lists_go_on_to_the_end_and_refuse_a_damaged_place(cast, browse, address, monkeypatch):
    monkeypatch.setattr("social.pages.people.PEOPLE_ON_A_PAGE", 2)
    for guest in AccountFactory.create_batch(3):
        FollowFactory(follower=guest, followee=cast.ana)
        FollowFactory(follower=cast.carla, followee=guest)
        FollowRequest.objects.create(follower=guest, followee=cast.sam)
    client, seen, cursor = browse(cast.sam), [], ""
    for _ in range(5):
        page = client.get(address + cursor).context["page"]
        seen += [account.username for account in page.accounts]
        if page.next_cursor is None:
            break
        cursor = f"?cursor={page.next_cursor}"
    assert (
        len(seen)
        == len(set(seen))
        == {"/@ana/followers": 4, "/@carla/following": 5, "/requests/": 3}[address]
    )
    assert client.get(f"{address}?cursor=x").status_code == 400


def test_pages_cost_the_same_however_many_people(cast, browse, private_ana):
    """Also the profile with its note of how many ask."""
    addresses = ["/@ana/followers", "/@ana/following", "/requests/", "/settings/", "/@ana", "/cooks/"]
    counts = []
    for _ in range(2):
        for guest in AccountFactory.create_batch(15, cook=True):
            FollowFactory(follower=guest, followee=cast.ana)
            FollowFactory(follower=cast.ana, followee=guest)
            FollowRequest.objects.create(follower=AccountFactory(), followee=cast.ana)
            Block.objects.create(blocker=cast.ana, blocked=AccountFactory())
            Mute.objects.create(muter=cast.ana, muted=guest)
        client = browse(cast.ana)
        html_of(client, "/settings/")  # what pages keep for a while is there
        counts.append([])
        for address in addresses:
            with CaptureQueriesContext(connection) as queries:
                html_of(client, address)
            counts[-1].append(len(queries))
    assert counts[0] == counts[1]
    assert max(counts[0]) <= 12  # of her own page, with how far her menus have come


def test_whom_one_blocks_is_not_offered_among_the_cooks(cast, browse):
    Block.objects.create(blocker=cast.sam, blocked=cast.ana)
    assert "/@ana" not in html_of(browse(cast.sam), "/cooks/")
    assert "/@ana" in html_of(browse(cast.carla), "/cooks/")
    assert [account.username for account in blocked_accounts(cast.sam.pk).accounts] == ["ana"]


def test_muting_from_a_card_offers_the_way_back_in_place(cast, browse):
    client = browse(cast.carla)
    answer = client.post("/@ana/mute", {"expires_in": "86400", "next": "/"}, headers={"HX-Request": "true"})
    note = answer.content.decode()
    assert (answer.status_code, "<html" in note) == (200, False)
    assert "is muted for a day" in note
    assert 'hx-post="/@ana/unmute"' in note
    answer = client.post("/@ana/unmute", {"next": "/"}, headers={"HX-Request": "true"})
    assert (answer.status_code, answer.content) == (200, b"")
    assert not Mute.objects.exists()


def test_a_mute_is_taken_back_by_the_words_that_tell_of_it(cast, browse):
    client = browse(cast.carla)
    html = client.post("/@ana/mute", {"expires_in": "", "next": "/"}, follow=True).content.decode()
    assert "You will not see menus of Ana in Today." in html
    assert 'action="/@ana/unmute"' in html
    html = client.post("/@ana/unmute", {"next": "/"}, follow=True).content.decode()
    assert "Menus of Ana are back in Today." in html
    assert 'action="/@ana/unmute"' not in html


def test_how_many_ask_is_told_on_every_page_of_a_private_account(cast, browse, private_ana):
    FollowRequest.objects.create(follower=cast.sam, followee=cast.ana)
    for address in ("/cooks/", "/settings/", "/@ana", "/requests/asking"):
        assert ", 1 person asks to follow you" in html_of(browse(cast.ana), address), address
    assert "asks to follow you" not in html_of(browse(cast.carla), "/cooks/")
    # Today's menus ask no table for it: the page of a cook has it fetched.
    today = html_of(browse(cast.ana), "/")
    assert 'hx-get="/requests/asking"' in today
    assert "asks to follow you" not in today
    assert 'hx-get="/requests/asking"' not in html_of(browse(cast.carla), "/")
    assert html_of(browse(None), "/requests/asking").strip() == ""


def test_the_page_of_a_muted_cook_says_so(cast, browse):
    client = browse(cast.carla)
    assert "You have muted" not in html_of(client, "/@ana")
    Mute.objects.create(muter=cast.carla, muted=cast.ana)
    html = html_of(client, "/@ana")
    assert "You have muted <bdi>Ana</bdi>" in html
    assert html.count('action="/@ana/unmute"') == 1
    assert 'action="/@ana/mute"' not in html
