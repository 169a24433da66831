"""A new password by e-mail: asked for, sent, followed once; and nothing is told about who has which e-mail."""

import re
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core import mail
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from social import new_passwords
from social.models import Account, PasswordMail
from social.new_passwords import send_password_mails
from social.services import deactivate_account, erase_account, sign_out_everywhere, suspend_account
from tests.conftest import Worker, wait_for
from tests.factories import PASSWORD, AccountFactory, Cast
from tests.feeds.test_found import broker_gone

Browse = Callable[[Account | None], Client]
NEW = "bread-and-butter-4"
ANAS = "ana@example.org"


@pytest.fixture(autouse=True)
def anas_mail(cast: Cast) -> None:
    Account.objects.filter(pk=cast.ana.pk).update(email=ANAS)


def ask(email: str = ANAS, client: Client | None = None) -> Any:
    return (client or Client()).post("/password/", {"email": email})


def link_in(text: str) -> str:
    """Without the host, as the test's client wants it."""
    (link,) = re.findall(r"http://testserver(/password/\S+)", text)
    return link


def link_for(email: str = ANAS) -> str:
    ask(email)
    assert send_password_mails() == 1
    return link_in(str(mail.outbox[-1].body))


def open_link(link: str, client: Client) -> Any:
    """The form behind it, or the page that says why there is none."""
    return client.get(link, follow=True)


def choose(link: str, password: str = NEW, client: Client | None = None) -> Any:
    client = client or Client()
    page = open_link(link, client)
    return client.post(page.request["PATH_INFO"], {"new_password": password})


def sign_in(password: str) -> bool:
    return Client().post("/sign-in", {"username": "ana", "password": password}).status_code == 302


class TestTheWholeWay:
    def test_from_the_sign_in_page_to_a_new_password(self, cast: Cast, browse: Browse) -> None:
        before = browse(cast.ana)
        assert 'href="/password/"' in Client().get("/sign-in").content.decode()
        page = Client().post("/password/", {"email": "ANA@Example.org"}, follow=True)
        assert "Look into your mail" in page.content.decode()
        assert mail.outbox == []  # nobody waits for the mail server
        assert send_password_mails() == 1
        (sent,) = mail.outbox
        assert (sent.to, sent.subject) == ([ANAS], "A new password for Courtyard")
        assert "@ana" in str(sent.body)
        assert "60 minutes" in str(sent.body)
        link = link_in(str(sent.body))
        client = Client()
        form = open_link(link, client)
        token = link.rsplit("/", 1)[1]
        assert token not in form.request["PATH_INFO"]  # nor in what the browser tells other sites
        assert 'autocomplete="new-password"' in form.content.decode()
        done = client.post(form.request["PATH_INFO"], {"new_password": NEW}, follow=True)
        assert done.redirect_chain == [("/sign-in", 302)]
        assert "Your password is changed" in done.content.decode()
        assert sign_in(NEW)
        assert not sign_in(PASSWORD)
        assert b"/sign-up" in before.get("/").content  # signed out everywhere
        assert not PasswordMail.objects.exists()

    def test_a_weak_password_is_refused_and_the_link_still_good(self, cast: Cast) -> None:
        link, client = link_for(), Client()
        for weak in ("short", "12345678", "", "x" * 129):
            page = choose(link, weak, client)
            assert page.status_code == 400
            assert 'id="id_new_password_error"' in page.content.decode()
        assert choose(link, NEW, client).status_code == 302
        assert sign_in(NEW)

    def test_it_opens_what_guessing_has_closed(self, cast: Cast, settings: Any) -> None:
        settings.RATE_LIMITS, settings.LIMIT_GUESSES = True, (2, 86400)
        for _ in range(3):
            sign_in("wrong")
        assert not sign_in(PASSWORD)
        choose(link_for())
        assert sign_in(NEW)


class TestLinks:
    def dead(self, link: str) -> None:
        page = open_link(link, Client())
        assert page.status_code == 400
        assert "If you have already chosen a new password, sign in with it." in page.content.decode()

    def test_work_once(self, cast: Cast) -> None:
        link = link_for()
        choose(link)
        self.dead(link)

    def test_a_newer_one_ends_none_but_its_use_does(self, cast: Cast) -> None:
        first, second = link_for(), link_for()
        assert choose(first).status_code == 302
        self.dead(second)

    def test_a_form_that_was_open_when_it_was_used_is_dead_too(self, cast: Cast) -> None:
        link, late = link_for(), Client()
        address = open_link(link, late).request["PATH_INFO"]
        choose(link)
        page = late.post(address, {"new_password": "another-one-77"})
        assert page.status_code == 400
        assert sign_in(NEW)

    def test_end_in_time(self, cast: Cast, settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        link = link_for()
        now = new_passwords.link_tokens._now()
        monkeypatch.setattr(new_passwords.link_tokens, "_now", lambda: now + timedelta(seconds=3590))
        assert open_link(link, Client()).status_code == 200
        monkeypatch.setattr(new_passwords.link_tokens, "_now", lambda: now + timedelta(seconds=3602))
        self.dead(link)

    @pytest.mark.parametrize(
        "change",
        [
            lambda cast: sign_out_everywhere(cast.ana.pk),
            lambda cast: suspend_account(cast.ana.pk, by=cast.stef),
            lambda cast: erase_account(cast.ana.pk),
            lambda cast: Account.objects.filter(pk=cast.ana.pk).update(email="else@example.org"),
            lambda cast: Client().post("/sign-in", {"username": "ana", "password": PASSWORD}),
            lambda cast: Account.objects.get(pk=cast.ana.pk).delete(),
        ],
        ids=["signed out everywhere", "suspended", "erased", "another e-mail", "signed in", "gone"],
    )
    def test_end_by_what_happens(self, cast: Cast, change: Callable[[Cast], object]) -> None:
        link = link_for()
        change(cast)
        self.dead(link)

    @pytest.mark.parametrize(
        "path",
        [
            "x/y",
            "MQ/choose",
            "MQ/abc-def",
            "OTk5OTk5OTk5OTk5OTk5OTk5OTk5OQ/a-b",
            "%00/%00",
            "%FF/a-b",
            "AA/-",
        ],
    )
    def test_nonsense_is_dead(self, cast: Cast, path: str) -> None:
        self.dead(f"/password/{path}")

    def test_of_another_account_do_not_fit(self, cast: Cast) -> None:
        Account.objects.filter(pk=cast.sam.pk).update(email="sam@example.org")
        link, other = link_for(), link_for("sam@example.org")
        token = link.rsplit("/", 1)[1]
        self.dead(f"{other.rsplit('/', 1)[0]}/{token}")


class TestWhoGetsOne:
    def test_nothing_tells_whether_anybody_has_it(self, cast: Cast) -> None:
        answers = []
        for email in (ANAS, "nobody@example.org"):
            with CaptureQueriesContext(connection) as queries:
                answer = ask(email)
            answers.append((answer.status_code, answer["Location"], len(queries)))
        assert answers[0] == answers[1]
        assert PasswordMail.objects.count() == 2
        assert send_password_mails() == 1
        assert not PasswordMail.objects.exists()

    def test_private_and_deactivated_ones_too(self, cast: Cast) -> None:
        Account.objects.filter(pk=cast.ana.pk).update(is_private=True)
        deactivate_account(cast.ana.pk)
        choose(link_for())
        page = Client().post("/sign-in", {"username": "ana", "password": NEW})
        assert "Reactivate" in page.content.decode()

    @pytest.mark.parametrize(
        "change",
        [
            lambda cast: suspend_account(cast.ana.pk, by=cast.stef),
            lambda cast: erase_account(cast.ana.pk),
            lambda cast: Account.objects.filter(pk=cast.ana.pk).update(password="!none"),
        ],
        ids=["suspended", "erased", "without a password"],
    )
    def test_none_for_who_could_not_use_it(self, cast: Cast, change: Callable[[Cast], object]) -> None:
        change(cast)
        assert ask().status_code == 302
        assert send_password_mails() == 0
        assert not PasswordMail.objects.exists()

    def test_each_account_of_an_e_mail_and_the_oldest_of_many(self, cast: Cast) -> None:
        for n in range(7):
            AccountFactory(username=f"double{n}", email=ANAS.upper())
        ask()
        assert send_password_mails() == 5
        names = {name for sent in mail.outbox for name in re.findall(r"@(\w+),", str(sent.body))}
        assert names == {"ana", "double0", "double1", "double2", "double3"}

    def test_a_name_puts_nothing_into_the_mail(self, cast: Cast) -> None:
        Account.objects.filter(pk=cast.ana.pk).update(display_name="Visit http://evil.example/ now")
        link_for()
        assert "evil" not in str(mail.outbox[-1].body)

    @pytest.mark.parametrize(
        "email", ["", "nobody", "a\x00@example.org", "a" * 250 + "@example.org", "a@b\n.c"]
    )
    def test_what_is_no_e_mail_is_said_at_the_field(self, cast: Cast, email: str) -> None:
        page = ask(email)
        assert page.status_code == 400
        assert 'id="id_email_error"' in page.content.decode()
        assert not PasswordMail.objects.exists()

    def test_the_lookup_has_an_index(self, cast: Cast) -> None:
        with connection.cursor() as cursor:
            cursor.execute("SET enable_seqscan = off")
            with CaptureQueriesContext(connection) as queries:
                new_passwords.accounts_by_email(ANAS)
            cursor.execute("EXPLAIN " + queries[0]["sql"].split("ORDER BY")[0])
            plan = "\n".join(row[0] for row in cursor.fetchall())
            cursor.execute("RESET enable_seqscan")
        assert "account_email" in plan


class TestLimits:
    def test_of_one_e_mail_whether_anybody_has_it(self, cast: Cast, settings: Any) -> None:
        settings.RATE_LIMITS, settings.LIMIT_PASSWORD_MAILS = True, (2, 86400)
        for email in (ANAS, "nobody@example.org"):
            assert [ask(email).status_code for _ in range(2)] == [302, 302]
            page = ask(email.upper())
            assert page.status_code == 429
            assert 1 <= int(page["Retry-After"]) <= 86400
            assert f'value="{email.upper()}"' in page.content.decode()
            assert "Try again in" in page.content.decode()
        assert PasswordMail.objects.count() == 4

    def test_of_one_address(self, cast: Cast, settings: Any) -> None:
        settings.RATE_LIMITS, settings.LIMIT_PASSWORD_MAILS_ADDRESS = True, (2, 86400)
        assert [ask(f"guest{n}@example.org").status_code for n in range(3)] == [302, 302, 429]


class TestSending:
    @pytest.fixture
    def no_server(self, settings: Any) -> None:
        settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
        settings.EMAIL_HOST, settings.EMAIL_PORT, settings.EMAIL_TIMEOUT = "127.0.0.1", 9, 0.5

    def later(self, seconds: float) -> None:
        PasswordMail.objects.update(due_at=timezone.now() - timedelta(seconds=1))

    def test_a_server_that_is_away_is_tried_again_later(
        self, cast: Cast, no_server: None, settings: Any
    ) -> None:
        ask()
        assert send_password_mails() == 0
        asked = PasswordMail.objects.get()
        assert asked.tries == 1
        assert asked.due_at > timezone.now() + timedelta(seconds=50)
        assert send_password_mails() == 0  # not due
        assert PasswordMail.objects.get().tries == 1
        settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
        self.later(60)
        assert send_password_mails() == 1

    def test_but_not_for_ever(self, cast: Cast, no_server: None) -> None:
        ask()
        for _ in range(new_passwords.MOST_TRIES[PasswordMail.Kind.NEW_PASSWORD] + 1):
            send_password_mails()
            self.later(600)
        assert not PasswordMail.objects.exists()

    def test_what_is_too_old_is_not_sent(self, cast: Cast) -> None:
        ask()
        PasswordMail.objects.update(created_at=timezone.now() - timedelta(seconds=3601))
        assert send_password_mails() == 0
        assert not PasswordMail.objects.exists()

    def test_a_failure_does_not_hold_up_the_next(self, cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
        ask("bad@example.org")
        ask()

        def read(email: str) -> list[Account]:
            if email.startswith("bad"):
                raise ValueError(email)
            return [cast.ana]

        monkeypatch.setattr(new_passwords, "accounts_by_email", read)
        assert [send_password_mails() for _ in range(2)] == [0, 1]

    def test_a_broker_that_is_away_changes_nothing(
        self, cast: Cast, caplog: pytest.LogCaptureFixture
    ) -> None:
        with broker_gone():
            assert ask().status_code == 302
        assert "the broker is away" in caplog.text
        assert send_password_mails() == 1

    @pytest.mark.worker
    def test_a_worker_sends_it(self, cast: Cast, start_worker: Callable[..., Worker], tmp_path: Path) -> None:
        start_worker(EMAIL_URL=f"filemail:///{tmp_path}/mail")
        ask()
        folder = tmp_path / "mail"
        wait_for(lambda: list(folder.glob("*.log")))
        wait_for(lambda: not PasswordMail.objects.exists())
        (file,) = folder.glob("*.log")
        assert "To: ana@example.org" in file.read_text()
        assert choose(link_in(file.read_text())).status_code == 302
        assert sign_in(NEW)
