"""A menu's own page in a browser: likes and sold-out dishes; with scripts and without."""

from playwright.sync_api import Page, expect

from posts.models import Post
from tests.factories import PostFactory


def like_button(page: Page, post: Post):
    return page.locator(f"#like-{post.pk}")


def test_a_like_counts_at_once_and_goes_again(cast, open_browser, scripts):
    post = PostFactory(author=cast.ana)
    page = open_browser(cast.carla, scripts=scripts)
    page.goto(f"/menus/{post.pk}")
    like_button(page, post).click()
    expect(like_button(page, post)).to_have_text("Liked the menu of Ana, press to take it back, 1 like")
    page.wait_for_timeout(800)  # the pause after a press
    like_button(page, post).click()
    expect(like_button(page, post)).to_have_text("Like the menu of Ana")


def test_a_double_click_likes_once_and_the_focus_stays(cast, open_browser):
    post = PostFactory(author=cast.ana)
    page = open_browser(cast.carla)
    page.goto(f"/menus/{post.pk}")
    like_button(page, post).dblclick()
    expect(like_button(page, post)).to_contain_text("Liked")
    page.wait_for_timeout(800)
    expect(like_button(page, post)).to_contain_text("Liked")
    expect(like_button(page, post)).to_be_focused()
    assert post.likes.count() == 1


def test_a_dish_is_sold_out_by_one_tap_and_there_is_more_by_another(cast, open_browser, scripts):
    post = PostFactory(author=cast.ana)
    first, _ = post.dishes.all()
    page = open_browser(cast.ana, scripts=scripts)
    page.goto(f"/menus/{post.pk}")
    page.get_by_role("button", name=f"Mark sold out {first.name}").click()
    expect(page.locator(f"#dish-{first.pk}.sold-out .tag.word")).to_have_text("Sold out")
    page.get_by_role("button", name=f"Put back {first.name}").click()
    expect(page.locator(f"#dish-{first.pk}.sold-out")).to_have_count(0)
    assert not post.dishes.filter(sold_out=True).exists()


def test_name_and_price_of_a_dish_keep_their_room_beside_its_button(cast, open_browser):
    """On a phone the button has a line of its own; on a desk all three are on one."""
    names = ("Broa", "Broa de milho com azeitonas e queijo da serra")
    tags = {"tags": ["vegan", "spicy"], "sold_out": True}
    post = PostFactory(author=cast.ana, dishes=[{"name": name, "price": 1042, **tags} for name in names])
    page = open_browser(cast.ana)
    page.goto(f"/menus/{post.pk}")
    parts = (".dish-name", ".price", ".selling .button")
    for dish in page.locator(".dish").all():
        name, price, button = (dish.locator(part).bounding_box() for part in parts)
        assert button["y"] >= max(name["y"] + name["height"], price["y"] + price["height"])
    page.set_viewport_size({"width": 1280, "height": 900})
    for dish in page.locator(".dish").all():
        boxes = [dish.locator(part).bounding_box() for part in parts]
        middles = [box["y"] + box["height"] / 2 for box in boxes]
        assert max(middles) - min(middles) <= 1.5
