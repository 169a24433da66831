"""What holds on every page and state: nothing that axe knows of stands in anybody's way, by day and by night."""

from collections.abc import Callable

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.test import Client
from django.urls import resolve, reverse
from playwright.sync_api import Page

from feeds import urls_pages as feed_pages
from posts import urls_pages as menu_pages
from social import urls_pages as people_pages
from social.models import FollowRequest
from tests.browser.conftest import DESK, PHONE
from tests.browser.places import PLACES, Names, Place, go, shown_addresses
from tests.factories import AccountFactory, Cast, PhotoFactory, PostFactory

RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
# A link from a letter, a step between two pages, a file, a part of a page: tests of their own walk there.
WALKED_ELSEWHERE = {"new-password", "reactivate", "download-data", "menu-photos", "asking"}
axe = Axe()


def violations(page: Page, **options: object) -> list[str]:
    """Of the page as it is now: the rule, what it says, and where."""
    found = axe.run(page, options={"resultTypes": ["violations"]} | options).response["violations"]
    return [
        f"{rule['id']}: {rule['help']}: {[node['html'][:200] for node in rule['nodes']]}" for rule in found
    ]


@pytest.mark.parametrize("who", sorted({place.who for place in PLACES}))
def test_nothing_stands_in_anybodys_way(
    cast: Cast, open_browser: Callable[..., Page], names: Names, who: str
) -> None:
    people = {"nobody": None, "customer": cast.carla, "cook": cast.ana, "new": cast.sam}
    page = open_browser(people[who])
    wrong = {
        place.name: found for place in PLACES if place.who == who and (found := look_at(page, place, names))
    }
    assert not wrong


def look_at(page: Page, place: Place, names: Names) -> list[str]:
    """On a phone, and as the same page is laid out anew at a desk, both by day and by night."""
    page.set_viewport_size(PHONE)
    page.emulate_media(color_scheme="light", reduced_motion="reduce")
    go(page, place, names)
    found = violations(page, runOnly=RULES)
    page.emulate_media(color_scheme="dark")
    found += [f"in the dark {line}" for line in violations(page, runOnly=["color-contrast"])]
    page.set_viewport_size(DESK)
    found += [f"at a desk in the dark {line}" for line in violations(page, runOnly=RULES)]
    page.emulate_media(color_scheme="light")
    return found + [f"at a desk {line}" for line in violations(page, runOnly=["color-contrast"])]


@pytest.fixture
def names(cast: Cast) -> Names:
    """A cook with menus of every kind, and with who asks to follow her."""
    menu = PostFactory(author=cast.ana, photos=[PhotoFactory()])
    dish = {"name": "Rice", "price": "9.50", "currency": "EUR"}
    PostFactory(
        author=cast.ana, text="", dishes=[dish, dish | {"sold_out": True, "tags": ["vegan", "spicy"]}]
    )
    PostFactory(author=cast.maria, dishes=[dish] * 6)
    FollowRequest.objects.create(follower=AccountFactory(), followee=cast.ana)
    return Names(cook="ana", customer="carla", menu=menu.pk)


def test_every_page_has_a_place(cast: Cast, names: Names) -> None:
    shown = {resolve(address).url_name for address in shown_addresses(names) if address != "/nowhere"}
    patterns = [*feed_pages.urlpatterns, *menu_pages.urlpatterns, *people_pages.urlpatterns]
    words = {"username": "ana", "post_id": names.menu, "dish_id": 1}
    client = Client()
    client.force_login(cast.ana)
    missing = set()
    for pattern in patterns:
        if pattern.name not in shown | WALKED_ELSEWHERE:
            arguments = {name: words[name] for name in pattern.pattern.converters}
            if client.get(reverse(pattern.name, kwargs=arguments)).status_code != 405:
                missing.add(pattern.name)
    assert not missing
