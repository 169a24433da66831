"""POST /media, media_ids of menus, avatar_media_id of PATCH /me, and the files themselves."""

from collections.abc import Callable
from io import BytesIO
from typing import Any

import pytest
from django.conf import settings as django_settings
from django.test import Client
from PIL import Image
from rest_framework.test import APIClient

from posts.media import uploading
from posts.media.processing import process_photo
from posts.media.pruning import delete_leftovers
from posts.media.uploading import store_upload
from posts.models import Leftover, Photo, Post
from posts.services import MOST_PUBLISH_TRIES
from social.models import Account
from tests.api.test_feed import problem
from tests.api.test_idempotency import same
from tests.factories import Cast, PhotoFactory, PostFactory, make_photo, picture, uploaded
from tests.feeds.helpers import in_threads, raw_sql
from tests.posts.test_late_commit import slow_saves

Api = Callable[[Account | None], APIClient]
MEDIA, POSTS, ME = "/api/v1/media", "/api/v1/posts", "/api/v1/me"
ALT = "A bowl of soup"


@pytest.fixture
def ana(cast: Cast, api: Api) -> APIClient:
    return api(cast.ana)


def upload(client: APIClient, content: bytes | None = None, alt: str | None = ALT, **headers: str) -> Any:
    fields = {"file": uploaded(content)} | ({} if alt is None else {"alt": alt})
    return client.post(MEDIA, fields, format="multipart", **headers)


def publish(client: APIClient, media_ids: Any, **more: Any) -> Any:
    return client.post(POSTS, {"text": "Soup", "media_ids": media_ids} | more, format="json")


def shown(client: APIClient) -> list[dict[str, Any]]:
    """The photos of the newest menu in the feed."""
    photos: list[dict[str, Any]] = client.get("/api/v1/feed").json()["posts"][0]["photos"]
    return photos


class TestUploading:
    def test_it_answers_with_a_photo_in_processing(self, cast: Cast, ana: APIClient) -> None:
        response = upload(ana, picture(2000, 1500))
        assert response.status_code == 201
        assert response["Cache-Control"] == "private, no-store"
        photo = Photo.objects.get()
        body = response.json()
        assert body.pop("placeholder").startswith("data:image/webp;base64,")
        assert body == {
            "media_id": photo.pk,
            "url": "",
            "srcset": "",
            "alt": ALT,
            "width": 1600,
            "height": 1200,
            "state": "processing",
        }
        assert (photo.owner, photo.post) == (cast.ana, None)

    def test_customers_may_upload_too(self, cast: Cast, api: Api) -> None:
        assert upload(api(cast.carla)).status_code == 201

    @pytest.mark.parametrize(
        ("content", "alt", "field"),
        [
            (b"", ALT, "file"),
            (b"soup", ALT, "file"),
            (b"<svg xmlns='http://www.w3.org/2000/svg'/>", ALT, "file"),
            (picture()[:500], ALT, "file"),
            (picture(200, 10), ALT, "file"),
            (None, None, "alt"),
            (None, "", "alt"),
            (None, " \u200b ", "alt"),
            (None, "x" * 301, "alt"),
            (None, "a\x00b", "alt"),
        ],
    )
    def test_what_is_refused(self, ana: APIClient, content: Any, alt: Any, field: str) -> None:
        answer = problem(upload(ana, content, alt), 400, "invalid")
        assert list(answer["errors"]) == [field]
        assert not Photo.objects.exists()
        assert not Leftover.objects.exists()

    def test_many_at_once_leave_threads_to_readers(self, ana: APIClient) -> None:
        with uploading._arriving, uploading._arriving:  # one is looked at, one waits
            refused = upload(ana)
            problem(refused, 503, "unavailable")
            assert refused["Retry-After"]
            assert ana.get("/api/v1/feed").status_code == 200
        assert upload(ana).status_code == 201

    def test_without_a_file(self, ana: APIClient) -> None:
        for body in ({"alt": ALT}, {"alt": ALT, "file": "soup.jpg"}):
            answer = problem(ana.post(MEDIA, body, format="multipart"), 400, "invalid")
            assert list(answer["errors"]) == ["file"]

    def test_its_name_and_what_it_says_it_is_do_not_matter(self, ana: APIClient) -> None:
        file = uploaded(name="../../etc/passwd.exe")
        file.content_type = "text/html"
        assert ana.post(MEDIA, {"file": file, "alt": ALT}, format="multipart").status_code == 201
        assert not any(word in Photo.objects.get().upload for word in ("passwd", "exe", ".."))

    def test_too_many_bytes(self, ana: APIClient, settings: Any) -> None:
        settings.MEDIA_MAX_BYTES = len(picture())
        assert upload(ana, picture()).status_code == 201
        problem(upload(ana, picture() + b"x"), 413, "too_large")
        problem(upload(ana, picture() + bytes(100_000)), 413, "too_large")
        assert Photo.objects.count() == 1

    def test_too_many_pixels(self, ana: APIClient, settings: Any) -> None:
        settings.MEDIA_MAX_PIXELS = 64 * 48 - 1
        answer = problem(upload(ana, picture(64, 48)), 400, "invalid")
        assert "too many pixels" in answer["errors"]["file"][0]

    @pytest.mark.parametrize(
        "content_type", ["application/json", "application/x-www-form-urlencoded", "image/jpeg"]
    )
    def test_only_a_form(self, ana: APIClient, content_type: str) -> None:
        problem(ana.post(MEDIA, b"{}", content_type=content_type), 415, "unsupported_media_type")

    @pytest.mark.parametrize(
        "body", [b"", b"--b", b"--b\r\n\r\n", b"soup", b"--b\r\nContent-Disposition: form-data; name=\r\n"]
    )
    def test_a_form_that_is_none(self, ana: APIClient, body: bytes) -> None:
        for content_type in ("multipart/form-data; boundary=b", "multipart/form-data"):
            problem(ana.post(MEDIA, body, content_type=content_type), 400, "invalid")

    def test_a_menu_is_no_form(self, ana: APIClient) -> None:
        problem(ana.post(POSTS, {"text": "Soup"}, format="multipart"), 415, "unsupported_media_type")

    def test_signed_out(self, stores: None, api: Api) -> None:
        problem(upload(api(None)), 401, "not_authenticated")

    def test_a_large_file_is_on_disk_while_it_arrives(
        self, ana: APIClient, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        kinds: list[str] = []

        def noting(file: Any) -> Any:
            kinds.append(type(file).__name__)
            return store_upload(file)

        monkeypatch.setattr("posts.api.media.store_upload", noting)
        noise = Image.effect_noise((1500, 1000), 90).convert("RGB")
        made = BytesIO()
        noise.save(made, "JPEG", quality=97)
        assert len(made.getvalue()) > django_settings.FILE_UPLOAD_MAX_MEMORY_SIZE
        assert upload(ana, made.getvalue()).status_code == 201
        assert upload(ana).status_code == 201
        assert kinds == ["TemporaryUploadedFile", "InMemoryUploadedFile"]


class TestRepeating:
    def test_one_photo_and_the_same_answer(self, ana: APIClient) -> None:
        first = upload(ana, HTTP_IDEMPOTENCY_KEY="one")
        process_photo(first.json()["media_id"])
        same(first, upload(ana, HTTP_IDEMPOTENCY_KEY="one"))
        assert Photo.objects.count() == 1
        assert Leftover.objects.filter(due_at__isnull=False).count() == 1  # the original, which is processed

    @pytest.mark.parametrize(("content", "alt"), [(picture(65, 48), ALT), (None, "A plate")])
    def test_another_file_or_field_is_refused(self, ana: APIClient, content: Any, alt: str) -> None:
        upload(ana, HTTP_IDEMPOTENCY_KEY="one")
        problem(upload(ana, content, alt, HTTP_IDEMPOTENCY_KEY="one"), 422, "idempotency_mismatch")
        assert Photo.objects.count() == 1

    def test_a_key_of_a_menu_is_none_of_a_photo(self, ana: APIClient) -> None:
        ana.post(POSTS, {"text": "Soup"}, format="json", HTTP_IDEMPOTENCY_KEY="one")
        problem(upload(ana, HTTP_IDEMPOTENCY_KEY="one"), 422, "idempotency_mismatch")
        upload(ana, HTTP_IDEMPOTENCY_KEY="two")
        answer = ana.post(POSTS, {"text": "Soup"}, format="json", HTTP_IDEMPOTENCY_KEY="two")
        problem(answer, 422, "idempotency_mismatch")

    def test_a_refused_one_leaves_the_key_free(self, ana: APIClient) -> None:
        problem(upload(ana, b"soup", HTTP_IDEMPOTENCY_KEY="one"), 400, "invalid")
        problem(upload(ana, alt="", HTTP_IDEMPOTENCY_KEY="one"), 400, "invalid")
        assert upload(ana, HTTP_IDEMPOTENCY_KEY="one").status_code == 201

    def test_several_at_once_make_one_photo(
        self, cast: Cast, api: Api, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(uploading, "ADMISSION_SECONDS", 30)  # that too many are refused is another test's
        answers = in_threads([lambda: upload(api(cast.ana), HTTP_IDEMPOTENCY_KEY="one")] * 6)
        assert Photo.objects.count() == 1
        assert {answer.status_code for answer in answers} <= {
            201,
            409,
            503,
        }  # 503: too many looked at already
        assert len({answer.content for answer in answers if answer.status_code == 201}) == 1


class TestOnMenus:
    def test_a_ready_photo_has_its_sizes(self, cast: Cast, ana: APIClient, api: Api) -> None:
        media_id = upload(ana, picture(1200, 900)).json()["media_id"]
        process_photo(media_id)
        body = publish(ana, [media_id]).json()
        [photo] = body["photos"]
        assert (photo["media_id"], photo["state"], photo["alt"]) == (media_id, "ready", ALT)
        assert (photo["width"], photo["height"]) == (1200, 900)
        addresses = [part.split() for part in photo["srcset"].split(", ")]
        assert [width for _, width in addresses] == ["480w", "960w", "1200w"]
        assert photo["url"] == addresses[-1][0]
        for address, width in addresses:
            file = Client().get(address)
            assert Image.open(BytesIO(b"".join(file.streaming_content))).width == int(width[:-1])  # type: ignore[attr-defined]
        assert shown(api(cast.carla)) == [photo]

    def test_one_in_processing_gets_ready_on_its_menu(self, cast: Cast, ana: APIClient, api: Api) -> None:
        media_id = upload(ana).json()["media_id"]
        post_id = publish(ana, [media_id]).json()["id"]
        carla = api(cast.carla)
        assert [photo["state"] for photo in shown(carla)] == ["processing"]
        assert process_photo(media_id)
        assert [photo["state"] for photo in shown(carla)] == ["ready"]
        [photo] = ana.get(f"{POSTS}/{post_id}").json()["photos"]
        assert shown(carla) == [photo]
        assert ana.get(f"{POSTS}/{post_id}").json()["edited_at"] is None

    def test_they_keep_their_order(self, cast: Cast, ana: APIClient) -> None:
        ids = [make_photo(cast.ana).pk for _ in range(3)]
        order = [ids[2], ids[0], ids[1]]
        assert [photo["media_id"] for photo in publish(ana, order).json()["photos"]] == order

    def test_ten_and_no_more(self, cast: Cast, ana: APIClient) -> None:
        ids = [make_photo(cast.ana, ready=False).pk for _ in range(11)]
        answer = problem(publish(ana, ids), 400, "invalid")
        assert list(answer["errors"]) == ["media_ids"]
        assert len(publish(ana, ids[:10]).json()["photos"]) == 10

    def test_of_somebody_else_is_as_if_it_were_not_there(self, cast: Cast, ana: APIClient) -> None:
        theirs, gone = make_photo(cast.maria).pk, 2**40
        answers = [problem(publish(ana, [media_id]), 400, "invalid") for media_id in (theirs, gone)]
        told = [
            answer["errors"]["media_ids"][0].replace(str(i), "N")
            for answer, i in zip(answers, (theirs, gone), strict=True)
        ]
        assert told[0] == told[1]
        assert not Post.objects.exists()

    @pytest.mark.parametrize("media_ids", [[0], [-1], [2**63], ["x"], [True], [None], "1", None, {}])
    def test_an_id_that_none_can_have(self, ana: APIClient, media_ids: Any) -> None:
        answer = problem(publish(ana, media_ids), 400, "invalid")
        assert list(answer["errors"]) == ["media_ids"]

    def test_each_is_used_once(self, cast: Cast, ana: APIClient) -> None:
        media_id = make_photo(cast.ana).pk
        problem(publish(ana, [media_id, media_id]), 400, "invalid")
        assert publish(ana, [media_id]).status_code == 201
        problem(publish(ana, [media_id]), 400, "invalid")
        assert Post.objects.count() == 1

    def test_of_two_menus_at_once_one_gets_it(self, cast: Cast, api: Api) -> None:
        media_ids = [make_photo(cast.ana).pk for _ in range(2)]
        calls = [
            lambda order=order: publish(api(cast.ana), order) for order in (media_ids, media_ids[::-1])
        ] * 3  # type: ignore[misc]
        statuses = sorted(answer.status_code for answer in in_threads(calls))
        assert statuses == [201, 400, 400, 400, 400, 400]
        assert Post.objects.get().photos.count() == 2

    def test_a_menu_that_is_refused_uses_none(self, cast: Cast, ana: APIClient) -> None:
        media_id = make_photo(cast.ana).pk
        problem(publish(ana, [media_id], text=""), 400, "invalid")
        assert publish(ana, [media_id]).status_code == 201


class TestEditing:
    @pytest.fixture
    def ids(self, cast: Cast) -> list[int]:
        return [make_photo(cast.ana).pk for _ in range(4)]

    @pytest.fixture
    def post(self, ana: APIClient, ids: list[int]) -> str:
        return f"{POSTS}/{publish(ana, ids[:3]).json()['id']}"

    def edit(self, client: APIClient, post: str, media_ids: Any) -> list[int]:
        body = client.patch(post, {"media_ids": media_ids}, format="json").json()
        assert body["photos"] == client.get(post).json()["photos"]
        return [photo["media_id"] for photo in body["photos"]]

    def test_the_list_is_replaced(
        self, cast: Cast, ana: APIClient, api: Api, ids: list[int], post: str
    ) -> None:
        carla = api(cast.carla)
        shown(carla)
        assert self.edit(ana, post, [ids[3], ids[1]]) == [ids[3], ids[1]]
        assert [photo["media_id"] for photo in shown(carla)] == [ids[3], ids[1]]
        assert set(Photo.objects.values_list("pk", flat=True)) == {ids[1], ids[3]}
        assert ana.get(post).json()["edited_at"] is not None

    def test_what_is_not_sent_stays(self, ana: APIClient, ids: list[int], post: str) -> None:
        before = ana.get(post).json()
        after = ana.patch(post, {"text": "Stew"}, format="json").json()
        assert after["photos"] == before["photos"]
        assert ana.patch(post, {"media_ids": ids[:3]}, format="json").json() == after

    def test_all_may_go(self, ana: APIClient, post: str) -> None:
        assert self.edit(ana, post, []) == []

    def test_photos_by_address_may_stay_or_go(self, cast: Cast, ana: APIClient, ids: list[int]) -> None:
        menu = PostFactory(author=cast.ana, photos=PhotoFactory.build_batch(2))
        first, second = menu.photos.values_list("pk", flat=True)
        assert self.edit(ana, f"{POSTS}/{menu.pk}", [ids[0], second]) == [ids[0], second]
        assert not Photo.objects.filter(pk=first).exists()

    def test_a_wrong_one_changes_nothing(self, cast: Cast, ana: APIClient, ids: list[int], post: str) -> None:
        before = ana.get(post).json()
        for media_ids in ([ids[0], 2**40], [ids[0], ids[0]], [make_photo(cast.maria).pk], None, [0]):
            answer = problem(ana.patch(post, {"media_ids": media_ids}, format="json"), 400, "invalid")
            assert list(answer["errors"]) == ["media_ids"]
        assert ana.get(post).json() == before

    def test_no_photo_of_another_menu(self, cast: Cast, ana: APIClient, ids: list[int], post: str) -> None:
        other = publish(ana, [ids[3]]).json()["id"]
        problem(ana.patch(post, {"media_ids": [ids[3]]}, format="json"), 400, "invalid")
        assert Photo.objects.get(pk=ids[3]).post_id == other

    def test_two_edits_at_once_leave_one_of_the_two_lists(
        self, cast: Cast, api: Api, ids: list[int], post: str
    ) -> None:
        lists = [[ids[0], ids[3]], [ids[3], ids[2], ids[1]]]
        in_threads(
            [
                lambda media_ids=media_ids: self.edit_only(api(cast.ana), post, media_ids)
                for media_ids in lists
            ]
        )  # type: ignore[misc]
        left = list(Photo.objects.order_by("position").values_list("pk", flat=True))
        assert left in lists

    def edit_only(self, client: APIClient, post: str, media_ids: list[int]) -> None:
        assert client.patch(post, {"media_ids": media_ids}, format="json").status_code in (200, 400)


class TestOneThatFails:
    @pytest.fixture
    def failed(self, cast: Cast, ana: APIClient) -> tuple[str, int]:
        media_id = upload(ana).json()["media_id"]
        post = f"{POSTS}/{publish(ana, [media_id]).json()['id']}"
        Photo.objects.filter(pk=media_id).update(tries=9, retry_at="2020-01-01T00:00Z")
        assert process_photo(media_id)
        return post, media_id

    def test_only_its_cook_is_told(
        self, cast: Cast, ana: APIClient, api: Api, failed: tuple[str, int]
    ) -> None:
        post, media_id = failed
        [photo] = ana.get(post).json()["photos"]
        assert (photo["media_id"], photo["state"], photo["url"]) == (media_id, "failed", "")
        assert "Upload another" in photo["error"]
        for photos in (shown(ana), shown(api(cast.carla)), api(cast.carla).get(post).json()["photos"]):
            assert photos == []

    def test_an_edit_of_the_photos_removes_it(
        self, cast: Cast, ana: APIClient, failed: tuple[str, int]
    ) -> None:
        post, media_id = failed
        other = make_photo(cast.ana).pk
        body = ana.patch(post, {"media_ids": [other]}, format="json").json()
        assert [photo["media_id"] for photo in body["photos"]] == [other]
        assert not Photo.objects.filter(pk=media_id).exists()

    def test_it_is_on_no_other_menu(self, cast: Cast, ana: APIClient) -> None:
        photo = make_photo(cast.ana, ready=False)
        Photo.objects.filter(pk=photo.pk).update(state="failed", upload="")
        problem(publish(ana, [photo.pk]), 400, "invalid")


class TestAvatars:
    def wear(self, client: APIClient, media_id: Any) -> Any:
        return client.patch(ME, {"avatar_media_id": media_id}, format="json")

    def test_a_ready_photo_at_once(self, cast: Cast, ana: APIClient, api: Api) -> None:
        PostFactory(author=cast.ana)
        carla = api(cast.carla)
        carla.get("/api/v1/feed")
        address = self.wear(ana, make_photo(cast.ana).pk).json()["avatar_url"]
        made = Image.open(BytesIO(b"".join(Client().get(address).streaming_content)))  # type: ignore[attr-defined]
        assert made.width == made.height == 48
        author = carla.get("/api/v1/feed").json()["posts"][0]["author"]
        assert author["avatar_url"] == address == ana.get(ME).json()["avatar_url"]

    def test_one_in_processing_when_it_is_ready(self, cast: Cast, ana: APIClient) -> None:
        before = self.wear(ana, make_photo(cast.ana).pk).json()["avatar_url"]
        photo = make_photo(cast.ana, ready=False)
        assert self.wear(ana, photo.pk).json()["avatar_url"] == before
        for waiting in Photo.objects.filter(state="processing"):
            process_photo(waiting.pk)
        after = ana.get(ME).json()["avatar_url"]
        assert after not in (None, before)
        delete_leftovers()
        assert Client().get(after).status_code == 200
        assert Client().get(before).status_code == 404

    def test_the_last_one_chosen_stays_whichever_is_ready_first(self, cast: Cast, ana: APIClient) -> None:
        for _ in range(2):
            self.wear(ana, make_photo(cast.ana, ready=False).pk)
        first, second = Photo.objects.filter(as_avatar=True).order_by("pk")
        assert process_photo(second.pk)
        chosen = ana.get(ME).json()["avatar_url"]
        assert not process_photo(first.pk)
        assert ana.get(ME).json()["avatar_url"] == chosen is not None

    def test_null_removes_it(self, cast: Cast, ana: APIClient) -> None:
        self.wear(ana, make_photo(cast.ana).pk)
        assert self.wear(ana, None).json()["avatar_url"] is None
        assert self.wear(ana, None).status_code == 200
        assert not Photo.objects.filter(as_avatar=True).exists()

    def test_it_outlives_the_menu_that_shows_the_photo_too(self, cast: Cast, ana: APIClient) -> None:
        media_id = make_photo(cast.ana).pk
        address = self.wear(ana, media_id).json()["avatar_url"]
        post_id = publish(ana, [media_id]).json()["id"]
        assert self.wear(ana, media_id).status_code == 200
        address = ana.get(ME).json()["avatar_url"]
        ana.delete(f"{POSTS}/{post_id}")
        delete_leftovers()
        assert Client().get(address).status_code == 200

    @pytest.mark.parametrize("media_id", [0, -1, 2**40, 2**63, "x", True, [1], {}])
    def test_what_is_no_photo(self, ana: APIClient, media_id: Any) -> None:
        assert list(problem(self.wear(ana, media_id), 400, "invalid")["errors"]) == ["avatar_media_id"]

    def test_not_somebody_elses_nor_one_by_address(self, cast: Cast, ana: APIClient) -> None:
        menu = PostFactory(author=cast.ana, photos=[PhotoFactory()])
        for photo in (make_photo(cast.maria), menu.photos.get()):
            problem(self.wear(ana, photo.pk), 400, "invalid")
        assert ana.get(ME).json()["avatar_url"] is None

    def test_with_a_field_that_is_refused_nothing_changes(self, cast: Cast, ana: APIClient) -> None:
        body = {"avatar_media_id": make_photo(cast.ana).pk, "time_zone": "Moon"}
        problem(ana.patch(ME, body, format="json"), 400, "invalid")
        assert ana.get(ME).json()["avatar_url"] is None


class TestFiles:
    def test_they_may_be_kept_for_ever_and_are_what_they_say(self, cast: Cast, ana: APIClient) -> None:
        [photo] = publish(ana, [make_photo(cast.ana).pk]).json()["photos"]
        file = Client().get(photo["url"])
        assert file["Content-Type"] == "image/webp"
        assert file["Cache-Control"] == "public, max-age=31536000, immutable"
        assert file["X-Content-Type-Options"] == "nosniff"
        assert Client().head(photo["url"]).status_code == 200
        assert Client().post(photo["url"]).status_code == 405

    @pytest.mark.parametrize(
        "name",
        ["", "../uploads/x", "%2e%2e/uploads/x", "..%2fuploads%2fx", "aa", "aa/", "/etc/passwd", "aa/..", "aa/%00"]
    )  # fmt: skip
    def test_nothing_else_is_to_be_had(self, stores: None, name: str) -> None:
        assert Client().get(f"/media/{name}").status_code == 404

    def test_originals_are_behind_no_address(self, cast: Cast) -> None:
        photo = make_photo(cast.ana, ready=False)
        for address in (f"/media/{photo.upload}", f"/media/../uploads/{photo.upload}"):
            assert Client().get(address).status_code == 404

    def test_of_a_deleted_menu_they_go(self, cast: Cast, ana: APIClient) -> None:
        body = publish(ana, [make_photo(cast.ana).pk]).json()
        [photo] = body["photos"]
        ana.delete(f"{POSTS}/{body['id']}")
        assert delete_leftovers() == 3  # one size, the square, and the original of before
        assert Client().get(photo["url"]).status_code == 404
        assert not Leftover.objects.exists()


def test_a_menu_that_is_late_keeps_its_photos(cast: Cast, ana: APIClient) -> None:
    raw_sql("SELECT setval('post_id_clock', 1)")
    media_id = make_photo(cast.ana).pk
    with slow_saves(MOST_PUBLISH_TRIES - 1):
        assert [photo["media_id"] for photo in publish(ana, [media_id]).json()["photos"]] == [media_id]
