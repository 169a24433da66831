"""Discovering cooks: by words, city and cuisine, with how many there are of each."""

import pytest
from django.db import connection

from social.models import Account, Block
from tests.factories import AccountFactory


@pytest.fixture
def cooks(cast):
    """Beside ana and maria, who cook Portuguese in Porto: mei in Braga, and two in Porto."""
    AccountFactory(username="mei", cook=True, city="Braga", cuisine="Cantonese")
    AccountFactory(username="rui", cook=True, city="porto", cuisine="Minho")
    AccountFactory(username="lin", cook=True, city="Porto", cuisine="Cantonese")


def names_on(page):
    return [line.account.username for line in page.context["page"].cooks]


def choices_on(page, name):
    return [(choice.name, choice.count) for choice, _ in page.context[name]]


def test_cities_and_cuisines_are_counted_whatever_their_case(cooks, browse):
    page = browse(None).get("/cooks/")
    assert choices_on(page, "cities") == [("Braga", 1), ("Porto", 4)]
    assert choices_on(page, "cuisines") == [("Cantonese", 2), ("Minho", 1), ("Portuguese", 2)]
    assert '<option value="Porto">Porto (4)</option>' in page.content.decode()


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ({"city": "Porto"}, ["maria", "ana", "rui", "lin"]),
        ({"city": "PORTO", "cuisine": ""}, ["maria", "ana", "rui", "lin"]),
        ({"cuisine": "cantonese"}, ["mei", "lin"]),
        ({"city": "Porto", "cuisine": "Cantonese"}, ["lin"]),
        ({"city": "Porto", "q": "ana"}, ["ana"]),
        ({"city": "Faro"}, []),
    ],
)
def test_what_is_chosen_narrows_the_list(cooks, browse, asked, found):
    page = browse(None).get("/cooks/", asked)
    assert names_on(page) == found
    assert page.context["found"] == len(found)


def test_each_choice_counts_what_the_other_leaves(cooks, browse):
    page = browse(None).get("/cooks/", {"city": "Porto"})
    assert choices_on(page, "cuisines") == [("Cantonese", 1), ("Minho", 1), ("Portuguese", 2)]
    assert choices_on(page, "cities") == [("Braga", 1), ("Porto", 4)]
    assert '<option value="Porto" selected>Porto (4)</option>' in page.content.decode()


def test_a_choice_that_leaves_nobody_stays_chosen_and_shows_ways_on(cooks, browse):
    page = browse(None).get("/cooks/", {"city": "Braga", "cuisine": "Minho"})
    html = page.content.decode()
    assert "No <bdi>Minho</bdi> in <bdi>Braga</bdi> yet" in html
    assert '<option value="Minho" selected>Minho (0)</option>' in html
    for way, found in (("?cuisine=Minho", ["rui"]), ("?city=Braga", ["mei"])):
        assert f'href="{way}"' in html
        assert names_on(browse(None).get(f"/cooks/{way}")) == found


def test_what_is_chosen_is_kept_from_page_to_page(cast, browse):
    AccountFactory.create_batch(30, cook=True, city="Braga & Faro")
    client = browse(None)
    page = client.get("/cooks/", {"city": "Braga & Faro"})
    after = page.context["page"].after
    assert f'href="?city=Braga+%26+Faro&amp;after={after}"' in page.content.decode()
    assert len(names_on(client.get("/cooks/", {"city": "Braga & Faro", "after": after}))) == 6


def test_ones_own_city_is_one_press_away_where_somebody_cooks(cooks, browse, cast):
    assert "Only cooks in" not in browse(cast.sam).get("/cooks/").content.decode()
    Account.objects.filter(pk=cast.sam.pk).update(city="braga")
    html = browse(cast.sam).get("/cooks/").content.decode()
    assert 'href="?city=Braga"' in html
    assert "Only cooks in" not in browse(cast.sam).get("/cooks/?city=Braga").content.decode()


def test_whom_one_may_not_see_counts_nowhere(cooks, browse, cast):
    mei = Account.objects.get(username="mei")
    Block.objects.create(blocker=cast.sam, blocked=mei)
    Block.objects.create(blocker=mei, blocked=cast.carla)
    for viewer, cities in ((cast.sam, ["Porto"]), (cast.carla, ["Porto"]), (None, ["Braga", "Porto"])):
        page = browse(viewer).get("/cooks/")
        assert [name for name, _ in choices_on(page, "cities")] == cities
    Account.objects.filter(pk=mei.pk).update(is_active=False)
    assert "Braga" not in browse(None).get("/cooks/").content.decode()


def test_a_choice_by_htmx_brings_the_list_alone_and_says_how_many(cooks, browse):
    client = browse(None)
    html = client.get("/cooks/", {"city": "Porto"}, headers={"HX-Request": "true"}).content.decode()
    assert "<html" not in html
    assert 'hx-swap-oob="innerHTML:#said">4 cooks found.' in html
    back = {"HX-Request": "true", "HX-History-Restore-Request": "true"}
    assert "<html" in client.get("/cooks/", {"city": "Porto"}, headers=back).content.decode()


@pytest.mark.parametrize("value", ["\x00", " ", "x" * 5000, "<b>", "🍜", "%"])
def test_what_nobody_could_choose_is_no_error(cast, browse, value):
    for name in ("city", "cuisine", "q"):
        page = browse(None).get("/cooks/", {name: value})
        assert page.status_code == 200
        assert "<b>" not in page.content.decode()


@pytest.mark.parametrize("field", ["city", "cuisine"])
def test_the_cooks_of_a_city_are_read_by_its_index_in_their_order(cast, field):
    from social.discovery import _cooks

    cooks = _cooks(None, **{field: "Porto"}).order_by("-follower_count", "id")[:25]
    with connection.cursor() as cursor:
        cursor.execute("SET enable_seqscan = off; SET enable_bitmapscan = off")
        plan = cooks.explain()
        cursor.execute("RESET enable_seqscan; RESET enable_bitmapscan")
    assert f"account_cook_{field}" in plan
    assert "Sort" not in plan


def test_only_what_leads_to_somebody_is_offered_when_nobody_is_found(cooks, browse):
    client = browse(None)
    html = client.get("/cooks/", {"city": "Braga", "q": "lin"}).content.decode()
    assert "Look in all cities (1)" in html
    assert "Look without “lin” (1)" in html
    html = client.get("/cooks/", {"city": "Braga", "q": "zzzz"}).content.decode()
    assert "Look in all cities" not in html
    assert "Look without “zzzz” (1)" in html
    assert "Look without" not in client.get("/cooks/", {"q": "zzzz"}).content.decode()
