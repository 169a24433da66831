"""The language of an account: chosen by its owner, shown to nobody else."""

from collections.abc import Callable

import pytest
from django.test import Client
from rest_framework.test import APIClient

from social.models import Account
from tests.api.test_feed import problem
from tests.factories import Cast

Api = Callable[[Account | None], APIClient]
Browse = Callable[[Account | None], Client]
ME = "/api/v1/me"


def language_of(account: Account) -> str:
    return Account.objects.get(pk=account.pk).language


def test_by_the_api(cast: Cast, api: Api) -> None:
    client = api(cast.ana)
    assert client.get(ME).json()["language"] == "en"
    assert client.patch(ME, {"language": "pt-br"}, format="json").json()["language"] == "pt-br"
    assert client.patch(ME, {"city": "Faro"}, format="json").json()["language"] == "pt-br"
    assert "language" not in api(cast.carla).get(f"/api/v1/accounts/{cast.ana.pk}").json()


@pytest.mark.parametrize("language", ["pt", "PT-BR", "de", "", None, 5, ["en"]])
def test_one_that_is_not_spoken_is_refused(cast: Cast, api: Api, language: object) -> None:
    answer = problem(api(cast.ana).patch(ME, {"language": language}, format="json"), 400, "invalid")
    assert list(answer["errors"]) == ["language"]
    assert language_of(cast.ana) == "en"


def test_by_the_settings(cast: Cast, browse: Browse) -> None:
    client = browse(cast.ana)
    form = {"display_name": "Ana", "time_zone": "UTC", "is_cook": "on"}
    assert client.post("/settings/", form | {"language": "pt-br"}).status_code == 302
    assert (
        '<option value="pt-br" selected>Português (Brasil)</option>'
        in client.get("/settings/").content.decode()
    )
    assert client.post("/settings/", form).status_code == 302
    assert language_of(cast.ana) == "pt-br"
    assert client.post("/settings/", form | {"language": "de"}).status_code == 400
    assert language_of(cast.ana) == "pt-br"
