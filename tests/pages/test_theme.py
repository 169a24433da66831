"""Light or dark by choice: a cookie, right in the first paint, also for visitors."""

import pytest


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("person", [None, "carla"])
def test_a_choice_is_in_the_first_paint_of_every_page_and_lasts_a_year(cast, browse, theme, person):
    client = browse(getattr(cast, person) if person else None)
    page = client.post("/theme", {"theme": theme, "next": "/cooks/?q=ana"})
    assert page.headers["Location"] == "/cooks/?q=ana"
    assert page.cookies["theme"]["max-age"] == 365 * 86400
    assert page.cookies["theme"]["httponly"]
    for address in ("/", "/cooks/", "/@ana", "/nothing", "/menus/1"):
        html = client.get(address).content.decode()
        assert f' data-theme="{theme}">' in html
        assert f'<meta name="color-scheme" content="{theme}">' in html
        assert f'value="{theme}" aria-pressed="true"' in html


def test_without_a_choice_the_device_decides_and_one_can_go_back_to_that(cast, browse):
    client = browse(None)
    client.post("/theme", {"theme": "dark"})
    assert client.post("/theme", {"theme": "device"}).headers["Location"] == "/"
    html = client.get("/cooks/").content.decode()
    assert "data-theme" not in html
    assert 'content="light dark"' in html
    assert 'value="device" aria-pressed="true"' in html


@pytest.mark.parametrize("theme", ["", "pink", "dark;", '"><script>'])
def test_what_is_no_choice_is_refused_and_a_strange_cookie_is_none(cast, browse, theme):
    client = browse(None)
    page = client.post("/theme", {"theme": theme})
    assert page.status_code == 400
    assert "theme" not in page.cookies
    client.cookies["theme"] = theme
    assert "data-theme" not in client.get("/cooks/").content.decode()


def test_it_leads_back_to_where_it_was_pressed(cast, browse):
    client = browse(cast.carla)
    assert 'name="next" value="/cooks/?q=a#foot"' in client.get("/cooks/?q=a").content.decode()
    html = client.get("/settings/").content.decode()
    for place in ("foot", "colours"):
        assert f'name="next" value="/settings/#{place}"' in html
        assert f'id="{place}"' in html
    form = {"theme": "dark", "next": "/settings/#colours"}
    assert client.post("/theme", form).headers["Location"] == "/settings/#colours"


def test_a_page_that_answered_a_form_leads_to_no_address_that_only_takes_forms(cast, browse):
    html = browse(cast.carla).post("/settings/password", {}).content.decode()
    assert 'name="next" value="/settings/password"' not in html
