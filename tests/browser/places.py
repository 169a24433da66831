"""Every page and state that people see, by name: for pictures of them, and for what must hold on all."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from playwright.sync_api import Page


@dataclass(frozen=True, slots=True)
class Place:
    """`who` looks: nobody, a customer, a cook, somebody new who follows nobody, or staff. `path` may name {cook},
    {customer} (usernames), {menu} (an id, the cook's) and {account} (her own id). `does` leads from the page to the
    state."""

    name: str
    who: str
    path: str
    does: Callable[[Page], object] | None = None


@dataclass(frozen=True, slots=True)
class Names:
    """Who and what there is."""

    cook: str
    customer: str
    menu: int
    account: int = 0

    def path_to(self, place: Place) -> str:
        return place.path.format(cook=self.cook, customer=self.customer, menu=self.menu, account=self.account)


def send_as_it_is(page: Page) -> None:
    """Past the browser's own check, so that the server's words are seen."""
    page.evaluate("document.querySelectorAll('main form').forEach((form) => { form.noValidate = true; })")
    page.locator("main form button[type=submit]:visible").last.click()
    page.locator("[aria-invalid=true]:visible, .alert:visible").first.wait_for()


def open_reasons(page: Page) -> None:
    page.locator(".why summary").first.click()
    page.evaluate("scrollTo(0, 0)")


def turn_a_weight(page: Page) -> None:
    page.get_by_label("Openings weight").fill("3")
    page.locator("#moved", has_text="elsewhere").wait_for()
    page.evaluate("document.activeElement.blur()")


PLACES = (
    Place("landing", "nobody", "/"),
    Place("sign-up", "nobody", "/sign-up"),
    Place("sign-up-refused", "nobody", "/sign-up", send_as_it_is),
    Place("sign-in", "nobody", "/sign-in"),
    Place("sign-in-refused", "nobody", "/sign-in", send_as_it_is),
    Place("password", "nobody", "/password/"),
    Place("password-asked", "nobody", "/password/asked"),
    Place("cooks-for-visitors", "nobody", "/cooks/"),
    Place("menu-for-visitors", "nobody", "/menus/{menu}"),
    Place("not-found", "nobody", "/nowhere"),
    Place("today", "customer", "/"),
    Place("today-ranked", "customer", "/?order=ranked", open_reasons),
    Place("today-nobody-followed", "new", "/"),
    Place("welcome", "new", "/welcome/"),
    Place("damaged-link", "customer", "/?cursor=x"),
    Place("cooks", "customer", "/cooks/"),
    Place("cooks-none-found", "customer", "/cooks/?q=zzzz"),
    Place("profile", "customer", "/@{cook}"),
    Place("followers", "customer", "/@{cook}/followers"),
    Place("following", "customer", "/@{customer}/following"),
    Place("menu", "customer", "/menus/{menu}"),
    Place("menu-gone", "customer", "/menus/1"),
    Place("not-a-cook", "customer", "/menus/new"),
    Place("settings", "customer", "/settings/"),
    Place("own-profile", "cook", "/@{cook}"),
    Place("own-menu", "cook", "/menus/{menu}"),
    Place("new-menu", "cook", "/menus/new"),
    Place("new-menu-refused", "cook", "/menus/new", send_as_it_is),
    Place("edit-menu", "cook", "/menus/{menu}/edit"),
    Place("requests", "cook", "/requests/"),
)
# Admin's, which speaks English alone, and whose frame is Django's.
STAFF_PLACES = (
    Place("staff-threshold", "staff", "/admin/feeds/feedsettings/1/change/"),
    Place("staff-ranking", "staff", "/admin/feeds/rankingsettings/1/change/", turn_a_weight),
    Place("staff-operations", "staff", "/admin/feeds/operations/"),
    Place("staff-deliveries", "staff", "/admin/feeds/outbox/"),
    Place("staff-account", "staff", "/admin/feeds/accounts/{account}/"),
    Place("staff-reports", "staff", "/admin/posts/report/"),
)


def go(page: Page, place: Place, names: Names) -> None:
    page.goto(names.path_to(place))
    if place.does:
        place.does(page)


def shown_addresses(names: Names) -> Iterator[str]:
    """Without what is asked behind the question mark."""
    for place in PLACES:
        yield re.sub(r"\?.*", "", names.path_to(place))
