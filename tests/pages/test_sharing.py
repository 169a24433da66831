"""What other programs show of a link to a menu or a cook, and the page of a menu that is gone."""

import re

import pytest

from posts.services import delete_post, hide_post
from social.models import Account, Block
from tests.factories import AccountFactory, DishFactory, PhotoFactory, PostFactory


def tags_on(page):
    """The tags that other programs read: name -> content."""
    pairs = re.findall(r'<meta (?:property|name)="((?:og|twitter):[^"]+)" content="([^"]*)">', page)
    assert len(pairs) == len(dict(pairs))
    return dict(pairs)


def html_of(client, address, status=200):
    page = client.get(address)
    assert page.status_code == status
    return page.content.decode()


def test_a_menu_says_what_there_is_for_how_much_with_a_whole_address_of_its_photo(cast, browse):
    dishes = [DishFactory(name='Soup "verde"', price="6.50"), DishFactory(name="Bread", price="2.00")]
    photo = PhotoFactory(url="/static/demo/soup.svg", alt="A <bowl>")
    post = PostFactory(author=cast.ana, text="From\ntwelve.", dishes=dishes, photos=[photo])
    html = html_of(browse(None), f"/menus/{post.pk}?utm=x")
    assert tags_on(html) == {
        "og:site_name": "Courtyard",
        "og:type": "article",
        "og:url": f"http://testserver/menus/{post.pk}",
        "og:title": "Menu of Ana",
        "og:description": "Soup &quot;verde&quot; €6.50, Bread €2.00 – From twelve.",
        "og:image": "http://testserver/static/demo/soup.svg",
        "og:image:alt": "A &lt;bowl&gt;",
        "og:image:width": "1200",
        "og:image:height": "900",
        "twitter:card": "summary_large_image",
        "twitter:image:alt": "A &lt;bowl&gt;",
    }
    assert f'<link rel="canonical" href="http://testserver/menus/{post.pk}">' in html
    assert "noindex" not in html


def test_what_is_sold_out_has_no_price_there(cast, browse):
    post = PostFactory(author=cast.ana, text="", dishes=[DishFactory(name="Soup", sold_out=True)])
    assert tags_on(html_of(browse(None), f"/menus/{post.pk}"))["og:description"] == "Soup (sold out)"


def test_without_a_photo_the_cooks_picture_stands_for_the_menu(cast, browse):
    post = PostFactory(author=cast.ana)
    assert tags_on(html_of(browse(None), f"/menus/{post.pk}"))["twitter:card"] == "summary"
    Account.objects.filter(pk=cast.ana.pk).update(avatar_url="https://cdn.example/ana.webp")
    tags = tags_on(html_of(browse(None), f"/menus/{post.pk}"))
    assert (tags["og:image"], tags["og:image:alt"]) == ("https://cdn.example/ana.webp", "Ana")


def test_a_long_menu_is_cut(cast, browse):
    dishes = [DishFactory(name="Caldo verde com chouriço") for _ in range(50)]
    post = PostFactory(author=cast.ana, text="x" * 2000, dishes=dishes)
    assert len(tags_on(html_of(browse(None), f"/menus/{post.pk}"))["og:description"]) == 240


def test_a_profile_tells_who_she_is_under_one_address(cast, browse):
    Account.objects.filter(pk=cast.ana.pk).update(bio="Bread,\nand soup.")
    html = html_of(browse(None), "/@Ana?before=5")
    assert tags_on(html) == {
        "og:site_name": "Courtyard",
        "og:type": "profile",
        "og:url": "http://testserver/@ana",
        "og:title": "Ana",
        "og:description": "Bread, and soup.",
        "twitter:card": "summary",
    }
    assert '<link rel="canonical" href="http://testserver/@ana">' in html
    assert tags_on(html_of(browse(None), "/@maria"))["og:description"] == "Portuguese, Porto"


def test_of_a_private_account_nothing_is_told(cast, browse):
    post = PostFactory(author=cast.ana, text="Behind a curtain.")
    Account.objects.filter(pk=cast.ana.pk).update(is_private=True, bio="Hers alone.")
    for client, address in ((browse(None), "/@ana"), (browse(cast.carla), f"/menus/{post.pk}")):
        html = html_of(client, address)
        assert tags_on(html) == {}
        assert '<meta name="robots" content="noindex">' in html
        assert "canonical" not in html
    assert "Behind a curtain." not in html_of(browse(None), f"/menus/{post.pk}", 404)


def test_a_menu_out_of_sight_leads_to_its_cook_and_to_others_nearby(cast, browse):
    AccountFactory(username="mei", cook=True, city="Braga")
    post = PostFactory(author=cast.ana)
    hide_post(post_id=post.pk)
    html = html_of(browse(cast.sam), f"/menus/{post.pk}", 404)
    assert "Other menus of <bdi>Ana</bdi>" in html
    assert html.index('href="/@maria"') < html.index('href="/@mei"')
    assert 'action="/@maria/follow"' in html


def test_cooks_are_offered_whom_one_does_not_follow_yet(cast, browse):
    AccountFactory(username="mei", cook=True, city="Braga")
    html = html_of(browse(cast.carla), "/menus/12345", 404)
    assert 'href="/@mei"' in html
    assert 'href="/@ana"' not in html


@pytest.mark.parametrize("why", ["deleted", "private", "blocking", "suspended", "never there"])
def test_otherwise_it_does_not_tell_whose_it_was(cast, browse, why):
    post = PostFactory(author=cast.ana)
    if why == "deleted":
        delete_post(actor=cast.ana, post_id=post.pk)
    elif why == "private":
        Account.objects.filter(pk=cast.ana.pk).update(is_private=True)
    elif why == "blocking":
        Block.objects.create(blocker=cast.ana, blocked=cast.sam)
    elif why == "suspended":
        Account.objects.filter(pk=cast.ana.pk).update(is_active=False)
    address = "/menus/12345" if why == "never there" else f"/menus/{post.pk}"
    html = html_of(browse(cast.sam), address, 404)
    assert "Other menus of" not in html
    assert 'href="/@maria"' in html


@pytest.mark.parametrize("number", ["0", "9" * 17, "9" * 60])
def test_an_id_that_no_menu_can_have_is_gone_too(cast, browse, number):
    assert "This menu is gone" in html_of(browse(None), f"/menus/{number}", 404)
