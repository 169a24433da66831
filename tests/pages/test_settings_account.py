"""Settings that need more than the profile's form: the picture, the e-mail, all one's data as a file."""

import json
from datetime import timedelta

import pytest
from django.utils import timezone

from feeds.ranking.notes import note_opened, note_seen
from feeds.ranking.recording import bring_notes
from posts.media.processing import process_photo
from posts.models import Like, Photo
from posts.services import hide_post
from social.exporting import people_to_export
from social.models import Account, Block, FollowRequest, Mute, PasswordMail
from social.new_passwords import send_password_mails
from social.services import change_email
from tests.factories import (
    PASSWORD,
    AccountFactory,
    DishFactory,
    FollowFactory,
    PhotoFactory,
    PostFactory,
    uploaded,
)
from tests.factories import picture as picture_file


def html_after(client, address, status=200, **fields):
    page = client.post(address, fields, follow=True)
    assert page.status_code == status
    return page.content.decode()


def avatar_of(account):
    return Account.objects.get(pk=account.pk).avatar_url


def test_what_is_wrong_is_said_on_top_with_the_way_to_its_field(cast, browse):
    client = browse(cast.ana)
    for address, fields, way in (
        (
            "/settings/",
            {"display_name": ""},
            '<a href="#id_display_name">Your name</a>: This field is required.',
        ),
        (
            "/settings/email",
            {"email_password": "bread"},
            '<a href="#id_email_password">Your password</a>: This',
        ),
        ("/settings/picture", {}, '<a href="#id_picture">Choose a picture</a>: Choose a picture first.'),
        (
            "/settings/password",
            {"old_password": ""},
            '<a href="#id_old_password">Current password</a>:',
        ),
        ("/settings/delete", {}, '<a href="#id_password">Your password</a>: This field is required.'),
    ):
        html = html_after(client, address, 400, **fields)
        assert way in html
        assert html.count('role="alert"') == 1
    assert 'role="alert"' not in client.get("/settings/").content.decode()


# --- The picture -----------------------------------------------------------------------------------------------


def test_a_picture_is_worn_as_soon_as_it_is_processed(cast, browse):
    client = browse(cast.ana)
    html = html_after(client, "/settings/picture", picture=uploaded())
    assert "Your picture has arrived" in html
    assert avatar_of(cast.ana) == ""
    photo = Photo.objects.get()
    assert (photo.owner, photo.as_avatar) == (cast.ana, True)
    assert process_photo(photo.pk)
    address = avatar_of(cast.ana)
    assert address.endswith("-square.webp")
    assert f'src="{address}"' in client.get("/settings/").content.decode()
    assert f'src="{address}"' in browse(None).get("/@ana").content.decode()


def test_another_one_takes_its_place_and_it_can_be_taken_off(cast, browse):
    client, seen = browse(cast.ana), set()
    for _ in range(2):
        html_after(client, "/settings/picture", picture=uploaded())
        process_photo(Photo.objects.latest("pk").pk)
        seen.add(avatar_of(cast.ana))
        assert Photo.objects.count() == 1
    assert len(seen) == 2
    assert "Your picture is removed." in html_after(client, "/settings/picture/remove")
    assert (avatar_of(cast.ana), Photo.objects.count()) == ("", 0)
    assert "Remove the picture" not in client.get("/settings/").content.decode()


@pytest.mark.parametrize(
    ("content", "words"),
    [(b"soup", "Must be a photo"), (b"", "Must be a photo"), (picture_file()[:500], "damaged")],
)
def test_what_is_no_picture_is_refused_where_it_was_chosen_and_the_old_one_stays(
    cast, browse, content, words
):
    Account.objects.filter(pk=cast.ana.pk).update(avatar_url="/static/demo/soup.svg")
    html = html_after(browse(cast.ana), "/settings/picture", 400, picture=uploaded(content))
    assert words in html
    assert "Your current picture stays." in html
    assert 'id="id_picture_error"' in html
    assert avatar_of(cast.ana) == "/static/demo/soup.svg"
    assert not Photo.objects.exists()


def test_a_picture_that_is_too_large_or_missing_is_told(cast, browse, settings):
    settings.MEDIA_MAX_BYTES = 1000
    large = uploaded(picture_file(600, 400))
    assert "too large" in html_after(browse(cast.ana), "/settings/picture", 400, picture=large)
    assert "Choose a picture first." in html_after(browse(cast.ana), "/settings/picture", 400)


# --- The e-mail ------------------------------------------------------------------------------------------------


def test_the_email_is_changed_by_who_knows_the_password(cast, browse):
    client = browse(cast.ana)
    html = html_after(client, "/settings/email", email="ana@example.org", email_password=PASSWORD)
    assert "Your e-mail is changed." in html
    assert "<bdi>ana@example.org</bdi>" in html
    assert Account.objects.get(pk=cast.ana.pk).email == "ana@example.org"
    assert "ana@example.org" not in browse(cast.carla).get("/@ana").content.decode()
    assert "Your e-mail is removed." in html_after(
        client, "/settings/email", email="", email_password=PASSWORD
    )
    assert Account.objects.get(pk=cast.ana.pk).email == ""


def test_the_address_of_before_is_told_in_the_accounts_language(cast, browse, mailoutbox):
    Account.objects.filter(pk=cast.ana.pk).update(email="old@example.org", language="pt-br")
    client = browse(Account.objects.get(pk=cast.ana.pk))
    client.post("/settings/email", {"email": "new@example.org", "email_password": PASSWORD})
    assert (send_password_mails(), send_password_mails()) == (1, 0)
    (mail,) = mailoutbox
    assert mail.to == ["old@example.org"]
    assert "@ana" in mail.body
    assert "new@example.org" not in mail.body
    assert "Se não foi você" in mail.body
    # The same address in other letters, and a refused change, are no news.
    client.post("/settings/email", {"email": "New@example.org", "email_password": PASSWORD})
    client.post("/settings/email", {"email": "third@example.org", "email_password": "bread"})
    assert send_password_mails() == 0


def test_word_of_another_email_waits_out_a_mail_server_that_is_away(cast, monkeypatch, mailoutbox):
    change_email(cast.ana.pk, email="old@example.org")
    change_email(cast.ana.pk, email="new@example.org")
    PasswordMail.objects.update(created_at=timezone.now() - timedelta(hours=7), tries=20)
    assert send_password_mails() == 1
    assert [mail.to for mail in mailoutbox] == [["old@example.org"]]


@pytest.mark.parametrize(
    ("email", "password", "field"),
    [
        ("ana@example.org", "bread", "email_password"),
        ("ana@example.org", "", "email_password"),
        ("ana at home", PASSWORD, "email"),
        ("a" * 300 + "@example.org", PASSWORD, "email"),
        ("ana\x00@example.org", PASSWORD, "email"),
    ],
)
def test_otherwise_it_stays_and_the_field_says_why(cast, browse, email, password, field):
    Account.objects.filter(pk=cast.ana.pk).update(email="old@example.org")
    html = html_after(browse(cast.ana), "/settings/email", 400, email=email, email_password=password)
    assert f'id="id_{field}_error"' in html
    assert "bread" not in html
    assert Account.objects.get(pk=cast.ana.pk).email == "old@example.org"


def test_wrong_passwords_for_it_are_guesses_like_any_other(cast, browse, settings):
    settings.RATE_LIMITS, settings.LIMIT_GUESSES = True, (2, 900)
    client = browse(cast.ana)
    statuses = [
        client.post("/settings/email", {"email": "a@example.org", "email_password": "bread"}).status_code
        for _ in range(3)
    ]
    assert statuses == [400, 400, 429]


# --- All one's data --------------------------------------------------------------------------------------------


def data_of(client):
    page = client.get("/settings/data")
    assert page.status_code == 200
    assert page["Content-Type"] == "application/json"
    assert page["Content-Disposition"] == 'attachment; filename="courtyard-ana.json"'
    return json.loads(b"".join(page.streaming_content))


def test_the_file_holds_the_profile_menus_and_everybody_between(cast, browse):
    Account.objects.filter(pk=cast.ana.pk).update(email="ana@example.org", bio='Bread\n"and" soup.')
    dishes = [DishFactory(name="Caldo", price="6.50")]
    own = PostFactory(
        author=cast.ana, text="Soup.", dishes=dishes, photos=[PhotoFactory(url="/static/demo/soup.svg")]
    )
    others = PostFactory(author=cast.maria)
    FollowFactory(follower=cast.ana, followee=cast.maria)
    FollowRequest.objects.create(follower=cast.sam, followee=cast.ana)
    FollowRequest.objects.create(follower=cast.ana, followee=cast.stef)
    Mute.objects.create(muter=cast.ana, muted=cast.maria)
    Block.objects.create(blocker=cast.ana, blocked=AccountFactory(username="rude"))
    Like.objects.create(account=cast.ana, post=others)
    note_seen(cast.ana.pk, [others.pk])
    note_opened(cast.ana.pk, others.pk)
    bring_notes()
    told = data_of(browse(cast.ana))
    assert (told["account"]["username"], told["account"]["email"]) == ("ana", "ana@example.org")
    [menu] = told["menus"]
    assert (menu["id"], menu["text"]) == (own.pk, "Soup.")
    assert [(dish["name"], dish["price"]) for dish in menu["dishes"]] == [("Caldo", "6.50")]
    assert menu["photos"] == [{"url": "http://testserver/static/demo/soup.svg", "alt": "A bowl of soup"}]
    names = {name: [entry["username"] for entry in told[name]] for name, _ in people_to_export(0)}
    assert names == {
        "following": ["maria"],
        "followers": ["carla"],
        "requests_sent": ["stef"],
        "requests_received": ["sam"],
        "blocks": ["rude"],
        "mutes": ["maria"],
    }
    assert told["mutes"][0]["until"] is None
    address = f"http://testserver/menus/{others.pk}"
    assert [like["menu"] for like in told["likes"]] == [address]
    assert [(row["menu"], row["author"], bool(row["at"])) for row in told["opened"]] == [
        (address, "maria", True)
    ]
    assert [row["menus"] for row in told["seen"]] == [[address]]


def test_of_others_it_tells_what_her_pages_show_too(cast, browse):
    Block.objects.create(blocker=cast.sam, blocked=cast.ana)
    Mute.objects.create(muter=cast.ana, muted=cast.sam)
    post = PostFactory(author=cast.maria)
    Like.objects.create(account=cast.ana, post=post)
    hide_post(post_id=post.pk)
    Account.objects.filter(pk=cast.carla.pk).update(is_active=False)
    told = data_of(browse(cast.ana))
    assert (told["mutes"], told["likes"], told["followers"]) == ([], [], [])


def test_long_lists_are_whole_and_read_in_chunks(cast, browse, monkeypatch, django_assert_max_num_queries):
    monkeypatch.setattr("social.exporting.CHUNK", 4)
    guests = [FollowFactory(followee=cast.ana).follower.username for _ in range(8)]
    posts = [PostFactory(author=cast.ana, dishes=[]).pk for _ in range(4)]
    client = browse(cast.ana)
    with django_assert_max_num_queries(20):
        told = data_of(client)
    assert [entry["username"] for entry in told["followers"]] == [*reversed(guests), "carla"]
    assert [menu["id"] for menu in told["menus"]] == posts[::-1]


def test_it_is_for_its_owner_alone(cast, browse):
    assert browse(None).get("/settings/data").headers["Location"] == "/sign-in?next=%2Fsettings%2Fdata"
    assert browse(cast.ana).post("/settings/data").status_code == 405
    for address in ("/settings/picture", "/settings/picture/remove", "/settings/email"):
        assert browse(None).post(address).headers["Location"] == "/sign-in"
        assert browse(cast.ana).get(address).status_code == 405
