"""Pages in the reader's language: whose it is, where it is kept, how days, prices and refusals are written in it."""

import re
from collections.abc import Callable
from datetime import date, datetime
from decimal import Decimal
from html import unescape
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.conf import settings
from django.core import mail
from django.db import OperationalError
from django.test import Client
from django.utils import translation

from feeds import overlay
from feeds.lists import keys_at
from posts.services import publish_post
from posts.templatetags.menus import price
from social import times
from social.models import Account
from social.new_passwords import ask_for_new_password, send_password_mails
from tests.factories import PASSWORD, Cast, PostFactory
from tests.feeds.helpers import postgres_down, warm
from tests.words.catalogue import read_po

Browse = Callable[[Account | None], Client]
TODAY = "Cardápios de hoje"
BRAZIL = {"HTTP_ACCEPT_LANGUAGE": "pt-BR,pt;q=0.9,en;q=0.5"}
PORTUGUESE = '<html lang="pt-br"'


@pytest.fixture(scope="module")
def english() -> list[str]:
    entries = read_po(Path(settings.LOCALE_PATHS[0]) / "pt_BR" / "LC_MESSAGES" / "django.po")
    return [
        entry.message.key for entry in entries if " " in entry.message.key and "%" not in entry.message.key
    ]


def speaks(account: Account, language: str = "pt-br") -> Account:
    Account.objects.filter(pk=account.pk).update(language=language)
    account.language = language
    return account


def in_portuguese(response: Any) -> bool:
    """And says so to browsers, caches and screen readers."""
    html = response.content.decode()
    assert response["Content-Language"] == ("pt-br" if PORTUGUESE in html else "en")
    assert {"Accept-Language", "Cookie"} <= set(response["Vary"].split(", "))
    assert "no-store" in response["Cache-Control"]
    return PORTUGUESE in html


class TestWhose:
    @pytest.mark.parametrize(
        ("wanted", "portuguese"),
        [
            ("pt-BR", True),
            ("pt-PT,en;q=0.5", True),
            ("pt", True),
            ("en-GB,pt;q=0.5", False),
            ("de,pt-BR;q=0.3", True),
            ("de", False),
            ("", False),
            ("\x00;q=x,,,*", False),
        ],
    )
    def test_a_visitor_reads_what_the_browser_prefers_and_english_otherwise(
        self, stores: None, wanted: str, portuguese: bool
    ) -> None:
        page = Client().get("/", HTTP_ACCEPT_LANGUAGE=wanted)
        assert in_portuguese(page) is portuguese
        assert ("O que tem de almoço" in page.content.decode()) is portuguese
        assert settings.LANGUAGE_COOKIE_NAME not in page.cookies

    def test_the_account_s_language_counts_more_than_the_browser_s(self, cast: Cast, browse: Browse) -> None:
        assert in_portuguese(browse(speaks(cast.carla)).get("/cooks/", HTTP_ACCEPT_LANGUAGE="en"))
        assert not in_portuguese(browse(cast.sam).get("/cooks/", **BRAZIL))

    def test_today_s_menus_know_it_without_sql(
        self, cast: Cast, browse: Browse, settle: Callable[[], None], django_assert_num_queries: Any
    ) -> None:
        PostFactory(author=cast.ana)
        client = browse(speaks(cast.carla))
        settle()
        client.get("/")
        warm(cast.carla)
        overlay.build_overlay(keys_at(1))
        client.cookies.pop(settings.LANGUAGE_COOKIE_NAME)
        with django_assert_num_queries(0):
            page = client.get("/", HTTP_ACCEPT_LANGUAGE="en")
        assert in_portuguese(page)
        assert f'<h1 class="page-title">{TODAY}</h1>' in page.content.decode()
        assert 'class="day">Hoje' in page.content.decode()

    def test_another_language_is_in_force_in_the_very_next_read(
        self, cast: Cast, browse: Browse, api: Any, settle: Callable[[], None]
    ) -> None:
        client = browse(cast.carla)
        settle()
        assert not in_portuguese(client.get("/"))
        assert api(cast.carla).patch("/api/v1/me", {"language": "pt-br"}, format="json").status_code == 200
        assert in_portuguese(client.get("/"))

    def test_one_that_is_spoken_no_more_is_none(self, cast: Cast, browse: Browse) -> None:
        for language in ("tlh", "../../x", ""):
            assert in_portuguese(browse(speaks(cast.carla, language)).get("/cooks/", **BRAZIL))

    def test_the_api_speaks_english_to_everybody(self, cast: Cast, api: Any) -> None:
        client = api(speaks(cast.carla))
        client.cookies[settings.LANGUAGE_COOKIE_NAME] = "pt-br"
        missing = client.get("/api/v1/posts/1", **BRAZIL)
        assert missing.json()["detail"] == "This menu does not exist, or no longer."
        assert "Content-Language" not in missing.headers
        taken = {"username": "ana", "password": "password", "display_name": "Ana", "is_cook": False}
        errors = client.post("/api/v1/accounts", taken, format="json", **BRAZIL).json()["errors"]
        assert errors["username"] == ["This username is taken."]
        assert "This password is too common." in errors["password"]

    def test_nothing_of_it_is_left_for_the_next_request(self, cast: Cast, browse: Browse) -> None:
        browse(speaks(cast.carla)).get("/cooks/")
        assert translation.get_language() == "en"


class TestSwitch:
    def test_a_visitor_switches_and_comes_back_to_the_page(self, stores: None) -> None:
        client = Client()
        assert (
            'name="language" value="pt-br" lang="pt-br" aria-pressed="false"'
            in client.get("/").content.decode()
        )
        answer = client.post("/language", {"language": "pt-br", "next": "/cooks/?q=caldo"})
        assert (answer.status_code, answer["Location"]) == (302, "/cooks/?q=caldo")
        assert answer.cookies["language"]["httponly"]
        assert answer.cookies["language"]["samesite"] == "Lax"
        assert in_portuguese(client.get("/cooks/", HTTP_ACCEPT_LANGUAGE="en"))
        client.post("/language", {"language": "en"})
        assert not in_portuguese(client.get("/", **BRAZIL))

    def test_what_a_visitor_has_pressed_is_the_account_s_from_its_next_sign_in(self, cast: Cast) -> None:
        client = Client()
        client.post("/language", {"language": "pt-br"})
        page = client.post("/sign-in", {"username": "carla", "password": PASSWORD}, follow=True)
        assert in_portuguese(page)
        assert Account.objects.get(pk=cast.carla.pk).language == "pt-br"
        # A browser that prefers another language has chosen nothing, nor has one that was signed in before.
        client.post("/sign-out")
        Account.objects.filter(pk=cast.carla.pk).update(language="en")
        page = client.post("/sign-in", {"username": "carla", "password": PASSWORD}, follow=True, **BRAZIL)
        assert not in_portuguese(page)
        assert Account.objects.get(pk=cast.carla.pk).language == "en"

    def test_signed_in_it_is_the_account_s_and_stays_after_signing_out(
        self, cast: Cast, browse: Browse
    ) -> None:
        client = browse(cast.carla)
        client.post("/language", {"language": "pt-br"})
        assert Account.objects.get(pk=cast.carla.pk).language == "pt-br"
        assert in_portuguese(client.get("/"))
        assert "Você saiu." in client.post("/sign-out", follow=True).content.decode()
        assert in_portuguese(client.get("/sign-in"))

    @pytest.mark.parametrize("language", ["", "de", "PT-BR", "../x"])
    def test_a_language_that_is_not_spoken_changes_nothing(
        self, cast: Cast, browse: Browse, language: str
    ) -> None:
        client = browse(cast.carla)
        assert client.post("/language", {"language": language}).status_code == 400
        assert Account.objects.get(pk=cast.carla.pk).language == "en"

    def test_it_leads_to_no_other_site(self, stores: None) -> None:
        answer = Client().post("/language", {"language": "pt-br", "next": "https://elsewhere.example/"})
        assert answer["Location"] == "/"

    def test_the_settings_answer_in_the_new_language_at_once(self, cast: Cast, browse: Browse) -> None:
        form = {"display_name": "Carla", "time_zone": "UTC", "language": "pt-br"}
        page = browse(cast.carla).post("/settings/", form, follow=True)
        assert in_portuguese(page)
        assert "Salvo." in page.content.decode()

    def test_who_signs_up_on_a_portuguese_page_keeps_it(self, stores: None) -> None:
        form = {"display_name": "Bia", "username": "bia", "password": PASSWORD}
        Client().post("/sign-up", form, **BRAZIL)
        assert Account.objects.get(username="bia").language == "pt-br"

    def test_who_signs_in_reads_the_account_s_language_from_then_on(self, cast: Cast) -> None:
        speaks(cast.carla)
        client = Client()
        page = client.post("/sign-in", {"username": "carla", "password": PASSWORD}, follow=True)
        assert in_portuguese(page)
        assert client.cookies["language"].value == "pt-br"


class TestErrors:
    @pytest.mark.parametrize("address", ["/nothing", "/menus/1", "/@nobody"])
    def test_what_is_not_there(self, stores: None, address: str) -> None:
        assert in_portuguese(Client().get(address, **BRAZIL))

    def test_a_bug(self, stores: None, monkeypatch: pytest.MonkeyPatch) -> None:
        """Its page is drawn without the request."""

        def fail(*args: Any, **kwargs: Any) -> None:
            raise RuntimeError("soup on the floor")

        monkeypatch.setattr("feeds.pages.landing", fail)
        page = Client(raise_request_exception=False).get("/", **BRAZIL)
        assert page.status_code == 500
        assert in_portuguese(page)
        assert "Algo quebrou na nossa cozinha" in page.content.decode()

    def test_an_outage(self, stores: None, monkeypatch: pytest.MonkeyPatch) -> None:
        def fail(*args: Any, **kwargs: Any) -> None:
            raise OperationalError("away")

        monkeypatch.setattr("feeds.pages.landing", fail)
        page = Client().get("/", **BRAZIL)
        assert page.status_code == 503
        assert in_portuguese(page)

    def test_an_outage_keeps_to_the_account_s_language(self, cast: Cast, browse: Browse) -> None:
        """Whose it is cannot be looked up then; the cookie knows."""
        client = browse(speaks(cast.carla))
        client.get("/cooks/")
        with postgres_down():
            page = client.get("/cooks/", HTTP_ACCEPT_LANGUAGE="en")
        assert page.status_code == 503
        assert in_portuguese(page)

    def test_a_form_that_is_too_old(self, stores: None) -> None:
        page = Client(enforce_csrf_checks=True).post("/language", {"language": "en"}, **BRAZIL)
        assert page.status_code == 403
        assert in_portuguese(page)

    def test_what_services_and_django_refuse_is_said_in_it_too(self, cast: Cast, browse: Browse) -> None:
        client = browse(speaks(cast.ana))
        client.get("/cooks/")
        html = client.post("/menus/new", {"text": ""}).content.decode()
        assert "Escreva um texto ou adicione um prato." in html
        form = {"display_name": "", "username": "ana", "password": "123"}
        html = Client().post("/sign-up", form, **BRAZIL).content.decode()
        assert "Este campo é obrigatório." in html
        assert "Este nome de usuário já tem dono." in html
        assert "Esta senha é muito curta." in html
        own = client.post("/@ana/follow").content.decode()
        assert "Você não pode seguir a própria conta" in own


class TestWholePages:
    """Words that were taken from the catalogue too early, or by somebody else, would still be English."""

    @pytest.mark.parametrize(
        "page", ["/", "/cooks/", "/@ana", "/menus/{post}", "/sign-in", "/sign-up", "/password/"]
    )
    def test_for_visitors(self, cast: Cast, english: list[str], page: str) -> None:
        post = PostFactory(author=cast.ana)
        html = unescape(Client().get(page.format(post=post.pk), **BRAZIL).content.decode())
        assert [words for words in english if words in html] == []

    @pytest.mark.parametrize(
        "page",
        ["/", "/cooks/?q=nobody", "/@ana", "/@carla", "/menus/new", "/menus/{post}", "/menus/{post}/edit",
         "/settings/", "/requests/", "/welcome/", "/@ana/followers"],
    )  # fmt: skip
    def test_for_a_cook(self, cast: Cast, browse: Browse, english: list[str], page: str) -> None:
        post = PostFactory(author=cast.ana)
        html = unescape(browse(speaks(cast.ana)).get(page.format(post=post.pk)).content.decode())
        assert [words for words in english if words in html] == []

    @pytest.mark.parametrize("page", ["/settings/", "/settings/password", "/settings/email", "/menus/new"])
    def test_for_who_sends_nothing(self, cast: Cast, browse: Browse, english: list[str], page: str) -> None:
        answer = browse(speaks(cast.ana)).post(page, {})
        assert answer.status_code == 400
        html = unescape(answer.content.decode())
        assert [words for words in english if words in html] == []


def test_a_mail_is_in_the_language_of_its_account(cast: Cast) -> None:
    Account.objects.filter(pk=cast.carla.pk).update(email="carla@example.org")
    for language in ("pt-br", "en"):
        speaks(cast.carla, language)
        ask_for_new_password("carla@example.org", site="http://testserver/")
        assert send_password_mails() == 1
    portuguese, english = mail.outbox
    assert portuguese.subject == "Uma nova senha para o Courtyard"
    assert "Olá, @carla!" in portuguese.body
    assert "60 minutos" in portuguese.body
    assert english.subject == "A new password for Courtyard"
    assert "Hello @carla," in english.body


class TestWriting:
    @pytest.mark.parametrize(
        ("language", "day", "expected"),
        [
            ("pt-br", date(2026, 12, 1), "Hoje"),
            ("pt-br", date(2026, 11, 30), "Ontem"),
            ("pt-br", date(2026, 11, 28), "Sábado, 28 de novembro"),
            ("pt-br", date(2025, 3, 4), "Terça-feira, 4 de março de 2025"),
            ("en", date(2026, 11, 28), "Saturday, 28 November"),
            ("en", date(2025, 3, 4), "Tuesday, 4 March 2025"),
        ],
    )
    def test_days(self, language: str, day: date, expected: str) -> None:
        with translation.override(language):
            assert times.day_name(day, date(2026, 12, 1)) == expected

    def test_times(self) -> None:
        noon = datetime(2026, 12, 1, 9, 42, tzinfo=ZoneInfo("America/Sao_Paulo"))
        with translation.override("pt-br"):
            assert times.clock(noon) == "9:42"
            assert times.exact_time(noon) == "Terça-feira, 1 de dezembro de 2026, 9:42 (-03)"
            assert times.until(noon, date(2026, 11, 20)) == "até terça-feira, 1 de dezembro, 9:42"
            assert times.until(noon, date(2026, 11, 30)) == "até amanhã, 9:42"

    @pytest.mark.parametrize(
        ("language", "amount", "currency", "expected"),
        [
            ("pt-br", "9.50", "BRL", "R$\u00a09,50"),
            ("pt-br", "1234.50", "BRL", "R$\u00a01.234,50"),
            ("pt-br", "9.50", "USD", "US$\u00a09,50"),
            ("pt-br", "1200.00", "JPY", "¥\u00a01.200"),
            ("en", "9.50", "BRL", "R$9.50"),
            ("en", "9.50", "USD", "$9.50"),
            ("en", "1234.50", "CHF", "CHF\u00a01,234.50"),
        ],
    )
    def test_prices(self, language: str, amount: str, currency: str, expected: str) -> None:
        with translation.override(language):
            assert price({"price": amount, "currency": currency}) == expected

    def test_prices_in_the_form_of_a_menu_and_back(self, cast: Cast, browse: Browse) -> None:
        dishes = [{"name": "Moqueca", "price": "1038.90", "currency": "BRL"}]
        post = publish_post(author=cast.ana, text="", dishes=dishes)
        client = browse(speaks(cast.ana))
        html = client.get(f"/menus/{post.pk}/edit").content.decode()
        assert 'value="1038,90"' in html
        sent = dict(re.findall(r'<input[^>]* name="([\w-]+)"[^>]* value="([^"]*)"', html))
        sent |= {"currency": "BRL"}
        assert client.post(f"/menus/{post.pk}/edit", sent).status_code == 302
        assert post.dishes.get().price == Decimal("1038.90")

    def test_a_menu(self, cast: Cast, browse: Browse) -> None:
        dishes = [
            {
                "name": "Moqueca",
                "price": "38.90",
                "currency": "BRL",
                "tags": ["gluten_free"],
                "sold_out": True,
            }
        ]
        post = publish_post(author=cast.ana, text="Até as duas.", dishes=dishes)
        html = browse(speaks(cast.carla)).get(f"/menus/{post.pk}").content.decode()
        for words in ("R$\u00a038,90", "sem glúten", "Esgotado", "Cardápio de Ana", "Curtir"):
            assert words in html
        assert f'id="menu-{post.pk}"' in html  # ids are not grouped
