"""Photos between upload and end: what a worker does, what goes wrong, and that no file is forgotten or lost."""

import threading
from collections.abc import Callable, Iterator
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from django.core.files.storage import storages
from django.db import transaction
from django.utils import timezone

from courtyard.storages import photo_storages
from feeds.models import Outbox
from posts.media import processing
from posts.media.processing import MOST_TRIES, process_left, process_photo
from posts.media.pruning import delete_leftovers, prune_unused_photos
from posts.media.uploading import keep_upload, store_upload, upload_photo
from posts.models import Leftover, Photo, Post
from posts.rendering import post_dict
from posts.services import delete_post, edit_post, publish_post
from social.erasing import erase_marked_accounts
from social.errors import InvalidInput, Unavailable
from social.models import Account
from social.services import erase_account, update_account
from tests.conftest import Worker, use_folders, wait_for
from tests.factories import Cast, PostFactory, make_photo, picture, uploaded
from tests.feeds.helpers import Background, raw_sql, shown

LONG_AGO = "2020-01-01T00:00Z"


@pytest.fixture(autouse=True)
def folder(settings: Any, tmp_path: Path) -> Path:
    use_folders(settings, tmp_path)
    return tmp_path


def files(folder: Path, kind: str = "*") -> list[str]:
    return sorted(path.name for path in folder.glob(f"{kind}/**/*") if path.is_file())


def taken(photo: Photo) -> bool:
    """Whether a menu of ana's gets the photo."""
    try:
        publish_post(author=Account.objects.get(username="ana"), text="Soup", media_ids=[photo.pk])
    except InvalidInput:
        return False
    return True


def lie_around(photo: Photo) -> None:
    """A worker has begun with it long ago, and was not heard of any more."""
    Photo.objects.filter(pk=photo.pk).update(retry_at=LONG_AGO)


def no_file_is_forgotten(folder: Path) -> None:
    """Every file is named by a photo or is on the list, and every one that is named is there."""
    named = {
        row[0] for row in raw_sql("SELECT f.name FROM posts_photo, posts_files_of(upload, file, widths) f")
    }
    there = {str(path.relative_to(folder / kind)) for kind in ("media", "uploads")
             for path in (folder / kind).rglob("*") if path.is_file()}  # fmt: skip
    listed = set(Leftover.objects.values_list("name", flat=True))
    assert named <= there
    assert there - named <= listed
    assert not named & listed


class TestProcessing:
    def test_the_original_goes_and_the_sizes_stay(self, cast: Cast, folder: Path) -> None:
        photo = upload_photo(owner=cast.ana, file=uploaded(picture(1000, 500)), alt="Soup")
        assert len(files(folder, "uploads")) == 1
        assert process_photo(photo.pk)
        no_file_is_forgotten(folder)
        assert delete_leftovers() == 1
        assert files(folder, "uploads") == []
        assert len(files(folder, "media")) == 4
        no_file_is_forgotten(folder)

    def test_doing_it_twice_is_doing_it_once(self, cast: Cast, folder: Path) -> None:
        photo = make_photo(cast.ana)
        assert not process_photo(photo.pk)
        assert not process_photo(2**40)
        assert Photo.objects.get() == photo
        assert Photo.objects.get().file == photo.file

    def test_of_two_workers_at_once_one_prevails(
        self, cast: Cast, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        photo = make_photo(cast.ana, ready=False)
        original = processing._stored

        def overtaken(sizes: Any) -> str:
            file = original(sizes)
            monkeypatch.setattr(processing, "_stored", original)
            lie_around(photo)
            assert process_photo(photo.pk)
            return file

        monkeypatch.setattr(processing, "_stored", overtaken)
        assert not process_photo(photo.pk)
        no_file_is_forgotten(folder)
        Leftover.objects.update(due_at=LONG_AGO)
        delete_leftovers()
        assert len(files(folder)) == 2

    def test_while_one_works_another_leaves_it_alone(
        self, cast: Cast, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        photo = make_photo(cast.ana, ready=False)
        monkeypatch.setattr(processing, "make_sizes", lambda file: (_ for _ in ()).throw(SystemExit))
        with pytest.raises(SystemExit):
            process_photo(photo.pk)
        monkeypatch.undo()
        assert not process_photo(photo.pk)
        lie_around(photo)
        assert process_photo(photo.pk)

    def test_one_that_costs_its_workers_their_life_is_given_up(self, cast: Cast, folder: Path) -> None:
        post = PostFactory(author=cast.ana)
        photo = make_photo(cast.ana, ready=False)
        edit_post(actor=cast.ana, post_id=post.pk, media_ids=[photo.pk])
        for _ in range(MOST_TRIES):
            assert processing._claim(photo.pk)
            lie_around(photo)
        assert process_photo(photo.pk)
        assert Photo.objects.get().state == "failed"
        assert delete_leftovers() == 1
        assert files(folder) == []

    def test_one_that_cannot_be_read_is_given_up_at_once(self, cast: Cast, folder: Path) -> None:
        photo = make_photo(cast.ana, ready=False)
        (folder / "uploads" / photo.upload).write_bytes(b"overwritten")
        assert process_photo(photo.pk)
        assert Photo.objects.get().state == "failed"

    def test_one_whose_original_is_lost_is_given_up_in_the_end(self, cast: Cast, folder: Path) -> None:
        photo = make_photo(cast.ana, ready=False)
        (folder / "uploads" / photo.upload).unlink()
        for _ in range(MOST_TRIES):
            assert not process_photo(photo.pk)
            lie_around(photo)
        assert process_photo(photo.pk)
        assert Photo.objects.get().state == "failed"

    def test_a_photo_that_goes_meanwhile_leaves_no_file(
        self, cast: Cast, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        photo = make_photo(cast.ana, ready=False)
        original = processing._stored

        def pruned(sizes: Any) -> str:
            raw_sql("DELETE FROM posts_photo")
            return original(sizes)

        monkeypatch.setattr(processing, "_stored", pruned)
        assert not process_photo(photo.pk)
        no_file_is_forgotten(folder)
        Leftover.objects.update(due_at=LONG_AGO)
        assert delete_leftovers() == 3
        assert files(folder) == []

    def test_one_that_gets_ready_while_its_menu_is_published(
        self, cast: Cast, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The worker waits for the menu, and then tells its readers."""
        photo = make_photo(cast.ana, ready=False)
        shown(cast.carla)
        with transaction.atomic():
            post = publish_post(author=cast.ana, text="Soup", media_ids=[photo.pk])
            worker = Background(lambda: process_photo(photo.pk))
            wait_for(lambda: raw_sql("SELECT 1 FROM pg_locks WHERE NOT granted"))
        assert worker.result()
        assert Outbox.objects.filter(kind="edited", subject_id=post.pk).count() == 1
        assert Photo.objects.get().post_id == post.pk

    def test_trying_is_no_news(self, cast: Cast) -> None:
        photo = make_photo(cast.ana, ready=False)
        publish_post(author=cast.ana, text="Soup", media_ids=[photo.pk])
        before = Outbox.objects.count()
        assert processing._claim(photo.pk)
        assert Outbox.objects.count() == before


class TestTheSweep:
    def test_it_hands_over_what_is_due_and_nothing_else(
        self, cast: Cast, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        make_photo(cast.ana)
        make_photo(cast.ana, ready=False)
        left = make_photo(cast.ana, ready=False)
        lie_around(left)
        sent: list[int] = []
        monkeypatch.setattr(processing, "enqueue_processing", lambda i, **options: sent.append(i) or True)
        assert process_left() == 1
        assert sent == [left.pk]

    def test_without_a_broker_uploading_works(self, cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
        def away(*args: Any, **options: Any) -> None:
            raise OSError("away")

        monkeypatch.setattr("celery.app.base.Celery.send_task", away)
        assert make_photo(cast.ana, ready=False).state == "processing"


class TestStorageAway:
    @pytest.fixture
    def away(self, settings: Any, folder: Path) -> Callable[[], None]:
        """Folders that nothing can be written into."""

        def away() -> None:
            (folder / "file").touch()
            settings.STORAGES = settings.STORAGES | photo_storages(
                "", "/media/", folder / "file" / "media", folder / "file" / "uploads"
            )

        return away

    def test_uploading_says_so_and_saves_nothing(
        self, cast: Cast, folder: Path, away: Callable[[], None]
    ) -> None:
        away()
        with pytest.raises(Unavailable):
            upload_photo(owner=cast.ana, file=uploaded(), alt="Soup")
        assert not Photo.objects.exists()

    def test_a_worker_tries_again_for_as_long_as_it_takes(
        self, cast: Cast, settings: Any, folder: Path, away: Callable[[], None]
    ) -> None:
        photo = make_photo(cast.ana, ready=False)
        away()
        for _ in range(MOST_TRIES + 2):
            assert not process_photo(photo.pk)
            lie_around(photo)
        use_folders(settings, folder)
        assert process_photo(photo.pk)
        no_file_is_forgotten(folder)

    def test_files_that_cannot_be_deleted_hold_up_no_others(self, cast: Cast, folder: Path) -> None:
        for name in ("aa/first", "bb/second"):
            Leftover.objects.create(storage="default", name=name)
        (folder / "media" / "aa" / "first" / "full").mkdir(parents=True)  # not an empty folder
        assert delete_leftovers() == 1
        [left] = Leftover.objects.all()
        assert left.name == "aa/first"
        assert left.due_at > timezone.now()


class TestNoFileIsForgotten:
    def test_when_the_transaction_is_rolled_back(self, cast: Cast, folder: Path) -> None:
        upload = store_upload(uploaded())
        with transaction.atomic():
            keep_upload(upload, owner=cast.ana, alt="Soup")
            transaction.set_rollback(True)
        no_file_is_forgotten(folder)
        assert delete_leftovers() == 0  # it may still be kept
        assert files(folder)
        Leftover.objects.update(due_at=LONG_AGO)
        assert delete_leftovers() == 1
        assert files(folder) == []

    def test_one_that_was_deleted_because_it_took_so_long_is_not_kept(self, cast: Cast) -> None:
        upload = store_upload(uploaded())
        Leftover.objects.update(due_at=LONG_AGO)
        delete_leftovers()
        with pytest.raises(Unavailable), transaction.atomic():
            keep_upload(upload, owner=cast.ana, alt="Soup")
        assert not Photo.objects.exists()

    @pytest.mark.parametrize("ready", [True, False])
    def test_however_a_menu_goes(self, cast: Cast, folder: Path, ready: bool) -> None:
        def menu() -> Post:
            return publish_post(
                author=cast.ana, text="Soup", media_ids=[make_photo(cast.ana, ready=ready).pk]
            )

        edit_post(actor=cast.ana, post_id=menu().pk, media_ids=[])
        delete_post(actor=cast.ana, post_id=menu().pk)
        Post.objects.filter(pk=menu().pk).delete()
        raw_sql("DELETE FROM posts_photo WHERE post_id = %s", menu().pk)
        no_file_is_forgotten(folder)
        delete_leftovers()
        assert files(folder) == []
        assert not Leftover.objects.exists()

    def test_when_the_account_is_erased(self, cast: Cast, folder: Path) -> None:
        publish_post(author=cast.ana, text="Soup", media_ids=[make_photo(cast.ana).pk])
        make_photo(cast.ana, ready=False)
        update_account(cast.ana.pk, avatar_media_id=make_photo(cast.ana).pk)
        theirs = make_photo(cast.maria)
        erase_account(cast.ana.pk)
        assert erase_marked_accounts() == 1
        assert list(Photo.objects.all()) == [theirs]
        delete_leftovers()
        assert len(files(folder)) == 2
        no_file_is_forgotten(folder)

    def test_in_steps(self, cast: Cast, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("posts.media.pruning.FILES_AT_ONCE", 2)
        for _ in range(3):
            make_photo(cast.ana)
        raw_sql("DELETE FROM posts_photo")
        assert delete_leftovers(seconds=0) == 0
        assert delete_leftovers() == 9
        assert files(folder) == []


class TestUnused:
    def test_after_a_day_it_goes(self, cast: Cast, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("posts.media.pruning.PHOTOS_AT_ONCE", 2)
        unused = [make_photo(cast.ana, ready=n > 1) for n in range(5)]
        used = publish_post(author=cast.ana, text="Soup", media_ids=[make_photo(cast.ana).pk]).photos.get()
        update_account(cast.ana.pk, avatar_media_id=used.pk)
        Photo.objects.update(created_at=timezone.now() - timedelta(hours=23))
        assert prune_unused_photos() == 0
        Photo.objects.update(created_at=timezone.now() - timedelta(hours=25))
        assert prune_unused_photos() == len(unused)
        assert set(Photo.objects.filter(as_avatar=False)) == {used}
        delete_leftovers()
        assert len(files(folder)) == 3  # its size, its square, the avatar

    def test_a_menu_that_is_just_taking_it_keeps_it(self, cast: Cast, folder: Path) -> None:
        photo = make_photo(cast.ana)
        Photo.objects.update(created_at=LONG_AGO)
        with transaction.atomic():
            publish_post(author=cast.ana, text="Soup", media_ids=[photo.pk])
            assert Background(prune_unused_photos).result() == 0
        assert prune_unused_photos() == 0
        no_file_is_forgotten(folder)

    def test_what_is_just_being_pruned_no_menu_gets(self, cast: Cast) -> None:
        photo = make_photo(cast.ana)
        Photo.objects.update(created_at=LONG_AGO)
        with transaction.atomic():
            assert prune_unused_photos() == 1
            menu = Background(lambda: taken(photo))
            wait_for(lambda: raw_sql("SELECT 1 FROM pg_locks WHERE NOT granted"))
        assert menu.result() is False
        assert not Post.objects.exists()


class Bucket(BaseHTTPRequestHandler):
    """As much of S3 as storing, reading and deleting take."""

    protocol_version = "HTTP/1.1"  # else each PUT waits a second for "100 Continue"
    objects: dict[str, tuple[bytes, str]] = {}
    away = False

    def answer(self, status: int, body: bytes = b"", **headers: str) -> None:
        self.send_response(503 if self.away else status)
        for name, value in {"ETag": '"x"', **headers, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def do_PUT(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if "aws-chunked" in self.headers.get("Content-Encoding", ""):
            head, _, rest = body.partition(b"\r\n")
            body = rest[: int(head.split(b";")[0], 16)]
        if not self.away:
            self.objects[self.path.split("?")[0]] = body, self.headers.get("Cache-Control", "")
        self.answer(200)

    def do_GET(self) -> None:
        found = self.objects.get(self.path.split("?")[0])
        self.answer(200, found[0]) if found else self.answer(404)

    do_HEAD = do_GET

    def do_DELETE(self) -> None:
        if not self.away:
            self.objects.pop(self.path.split("?")[0], None)
        self.answer(204)

    def log_message(self, *args: Any) -> None:
        return


@pytest.fixture
def bucket(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[type[Bucket]]:
    """A bucket `menus` in this process; the client that speaks to it is the real one."""
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "cook")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "stew")
    kind = type("OwnBucket", (Bucket,), {"objects": {}})
    server = ThreadingHTTPServer(("127.0.0.1", 0), kind)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"s3://menus?endpoint=http://127.0.0.1:{server.server_port}&region=eu-1"
    settings.MEDIA_URL = "https://media.example.org/"
    settings.STORAGES = settings.STORAGES | photo_storages(url, settings.MEDIA_URL, Path(), Path())
    yield kind
    server.shutdown()
    server.server_close()


class TestInABucket:
    def test_photos_are_stored_shown_and_deleted_as_in_folders(
        self, cast: Cast, bucket: type[Bucket]
    ) -> None:
        photo = make_photo(cast.ana, ready=False)
        assert list(bucket.objects) == [f"/menus/uploads/{photo.upload}"]
        assert bucket.objects[f"/menus/uploads/{photo.upload}"][0] == picture()
        assert process_photo(photo.pk)
        delete_leftovers()
        names = sorted(bucket.objects)
        assert all(name.startswith("/menus/media/") for name in names)
        assert len(names) == 2
        assert {kept for _, kept in bucket.objects.values()} == {"public, max-age=31536000, immutable"}
        post = publish_post(author=cast.ana, text="Soup", media_ids=[photo.pk])
        [photo_shown] = post_dict(post)["photos"]
        assert photo_shown["url"].replace("https://media.example.org", "/menus/media") in names
        delete_post(actor=cast.ana, post_id=post.pk)
        delete_leftovers()
        assert bucket.objects == {}
        # And while it is away nothing is half done.
        photo = make_photo(cast.ana, ready=False)
        bucket.away = True
        with pytest.raises(Unavailable):
            upload_photo(owner=cast.ana, file=uploaded(), alt="Soup")
        assert not process_photo(photo.pk)
        assert Photo.objects.get().tries == 0
        bucket.away = False
        assert process_photo(photo.pk)
        assert storages["default"].exists(f"{Photo.objects.get().file}-square.webp")


@pytest.mark.worker
def test_a_worker_makes_photos_ready_and_the_next_one_what_a_killed_one_left(
    cast: Cast, start_worker: Callable[..., Worker], folder: Path
) -> None:
    worker = start_worker(MEDIA_RETRY_SECONDS="1", LOG_LEVEL="INFO")
    photo = upload_photo(owner=cast.ana, file=uploaded(), alt="Soup")
    publish_post(author=cast.ana, text="Soup", media_ids=[photo.pk])
    wait_for(lambda: Photo.objects.get().state == "ready", seconds=15)
    # The next is in a worker's hands when it is killed: the database lets it begin and not finish.
    with transaction.atomic():
        left = Background(
            lambda: upload_photo(owner=cast.ana, file=uploaded(picture(900, 600)), alt="Stew")
        ).result()
        wait_for(lambda: Background(lambda: _tries(left.pk)).result(), seconds=15)
        Photo.objects.select_for_update().get(pk=left.pk)
        worker.kill()
    lie_around(left)
    wait_for(lambda: process_left() == 1, seconds=10)  # once PostgreSQL has noticed that its client is dead
    start_worker(MEDIA_RETRY_SECONDS="1")
    wait_for(lambda: Photo.objects.get(pk=left.pk).state == "ready", seconds=20)


def _tries(photo_id: int) -> int:
    return Photo.objects.get(pk=photo_id).tries
