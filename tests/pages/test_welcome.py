"""The first page of a new account: cooks to follow, several by one press."""

import re

import pytest

from social.discovery import suggest_cooks
from social.models import Account, Block, Follow, FollowRequest
from tests.factories import AccountFactory

NEW = {"display_name": "Rita", "username": "rita", "password": "salt and lemon", "city": "Braga"}


def offered_on(page):
    return [line.account.username for name in ("near", "others") for line in page.context[name]]


def html_after(client, **fields):
    page = client.post("/welcome/", fields, follow=True)
    assert page.redirect_chain == [("/", 302)]
    return page.content.decode()


def test_signing_up_leads_to_cooks_of_ones_own_city_first(cast, browse):
    AccountFactory(username="mei", cook=True, city="braga", cuisine="Cantonese")
    client = browse(None)
    page = client.post("/sign-up", NEW, follow=True)
    assert page.redirect_chain == [("/welcome/", 302)]
    assert "Welcome, Rita." in page.content.decode()
    assert "Around you, in <bdi>Braga</bdi>" in page.content.decode()
    assert offered_on(page) == ["mei", "maria", "ana"]
    assert [line.account.username for line in page.context["near"]] == ["mei"]


def test_who_came_for_somebody_goes_on_to_her(cast, browse):
    assert browse(None).post("/sign-up", NEW | {"next": "/@ana"}).headers["Location"] == "/@ana"


def test_several_are_followed_by_one_press(cast, browse):
    client = browse(cast.sam)
    assert len(re.findall('type="checkbox"', client.get("/welcome/").content.decode())) == 2
    html = html_after(client, follow=[cast.ana.pk, cast.maria.pk, cast.ana.pk])
    assert "You follow 2 cooks now." in html
    assert set(Follow.objects.filter(follower=cast.sam).values_list("followee__username", flat=True)) == {
        "ana",
        "maria",
    }


def test_one_that_is_refused_stops_no_other_and_is_told(cast, browse):
    Block.objects.create(blocker=cast.sam, blocked=cast.ana)
    Account.objects.filter(pk=cast.maria.pk).update(is_private=True)
    mei = AccountFactory(username="mei", cook=True)
    html = html_after(browse(cast.sam), follow=[cast.ana.pk, 10**17, cast.sam.pk, cast.maria.pk, mei.pk])
    assert "You follow 1 cook now." in html
    assert "1 cook is private and is asked first." in html
    assert "3 cooks could not be followed" in html
    assert Follow.objects.filter(follower=cast.sam).count() == 1
    assert FollowRequest.objects.filter(follower=cast.sam).count() == 1


@pytest.mark.parametrize("chosen", [[], ["x"], ["-1"], ["9" * 30], ["\x00"], ["١"]])
def test_nothing_chosen_and_nonsense_lead_on_in_silence(cast, browse, chosen):
    html = html_after(browse(cast.sam), follow=chosen)
    assert 'class="message' not in html
    assert not Follow.objects.filter(follower=cast.sam).exists()


def test_whom_one_follows_already_is_not_offered_again(cast, browse):
    html = browse(cast.carla).get("/welcome/").content.decode()
    assert html.count("You follow<") == 2
    assert 'type="checkbox"' not in html


def test_with_nobody_to_offer_it_leads_on(cast, browse):
    Account.objects.filter(is_cook=True).update(is_active=False)
    assert browse(cast.sam).get("/welcome/").headers["Location"] == "/"


def test_a_cook_is_not_offered_herself_and_the_list_is_full_nevertheless(cast):
    AccountFactory.create_batch(4, cook=True, city="Braga")
    names = [line.account.username for line in suggest_cooks(cast.ana.pk, city="Porto", limit=4)]
    assert len(names) == 4
    assert names[0] == "maria"
    assert "ana" not in names


def test_it_costs_the_same_however_many_cooks(cast, browse, django_assert_max_num_queries):
    AccountFactory.create_batch(30, cook=True)
    client = browse(cast.ana)
    with django_assert_max_num_queries(4):
        assert client.get("/welcome/").status_code == 200


def test_a_city_without_cooks_is_said(cast, browse):
    Account.objects.filter(pk=cast.sam.pk).update(city="Faro")
    assert "Nobody cooks in <bdi>Faro</bdi> yet." in browse(cast.sam).get("/welcome/").content.decode()
    Account.objects.filter(pk=cast.sam.pk).update(city="porto")
    assert "Nobody cooks in" not in browse(cast.sam).get("/welcome/").content.decode()
