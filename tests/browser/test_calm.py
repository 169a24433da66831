"""Nothing jumps on Today's menus while they appear and are read."""

from collections.abc import Callable

from playwright.sync_api import Page, Route

from tests.browser.paint import WATCH
from tests.factories import Cast, DishFactory, PhotoFactory, PostFactory

MOST_SHIFT = 0.02


def test_the_feed_does_not_shift_under_slow_photos(cast: Cast, open_browser: Callable[..., Page]) -> None:
    for n in range(9):
        dishes = [DishFactory(tags=["vegan"])] * (n % 3 + 1)
        PostFactory(author=cast.ana, photos=[PhotoFactory()] if n % 2 else [], dishes=dishes)
        PostFactory(author=cast.maria, photos=[PhotoFactory()], dishes=dishes)
    page = open_browser(cast.carla)

    def late(route: Route) -> None:
        page.wait_for_timeout(150)
        route.continue_()

    page.route("**/demo/*.svg*", late)
    page.add_init_script(WATCH)
    page.goto("/")
    for _ in range(10):
        page.mouse.wheel(0, 400)
        page.wait_for_timeout(60)
    shifted = page.evaluate("window.shifted")
    page.unroute_all(behavior="ignoreErrors")  # photos that are still to come
    assert shifted < MOST_SHIFT
