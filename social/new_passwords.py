"""Mails about how one gets in: a link to a new password, asked for by a row and sent by a worker; and word of another
e-mail to the one of before.

The row is written whether anybody has that e-mail or not, so that neither the answer nor the time it takes tells
anything. It also waits out a broker or a mail server that is away. A worker that dies between sending and forgetting
sends twice.
"""

import logging
import time
from datetime import timedelta

from celery import current_app
from django.conf import settings
from django.contrib.auth.tokens import PasswordResetTokenGenerator
from django.core.mail import EmailMessage, get_connection
from django.db import transaction
from django.db.models import Q
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode
from django.utils.translation import gettext as _
from kombu.exceptions import OperationalError

from social.models import Account, PasswordMail
from social.selectors import accounts_by_email

logger = logging.getLogger(__name__)

TASK = "social.send_password_mails"
RUN_SECONDS = 15.0  # a run takes no further request after that
Kind = PasswordMail.Kind
# A link would not be waited for any longer; word of another e-mail is tried for some eight hours.
MOST_TRIES = {Kind.NEW_PASSWORD: 5, Kind.EMAIL_CHANGED: 30}
WAIT_SECONDS = 60  # after the first try that failed; after the second twice that, and so on


class LinkTokens(PasswordResetTokenGenerator):
    """Of links that end by their use, a sign-in on a page, another e-mail, signing out everywhere, or in time
    (PASSWORD_RESET_TIMEOUT)."""

    def _make_hash_value(self, user: Account, timestamp: int) -> str:
        return f"{super()._make_hash_value(user, timestamp)}{user.auth_version}"


link_tokens = LinkTokens()


def ask_for_new_password(email: str, *, site: str) -> None:
    """Whoever has `email` will get a link to `site` (`https://example.org/`); nobody, if nobody has."""
    with transaction.atomic():
        PasswordMail.objects.create(email=email, site=site)
        transaction.on_commit(_enqueue)


def tell_address_of_before(account: Account, email: str) -> None:
    """In the transaction in which the account gets another e-mail: `email`, the one it had, will be told."""
    PasswordMail.objects.create(kind=Kind.EMAIL_CHANGED, email=email, account=account)
    transaction.on_commit(_enqueue)


def _enqueue() -> None:
    """Ask a worker to send. Without a broker the next beat does."""
    try:
        current_app.send_task(TASK, retry=False)
    except (OperationalError, OSError) as error:
        logger.warning("Mails are left to the next beat: the broker is away (%s)", error)


def send_password_mails(*, seconds: float = RUN_SECONDS) -> int:
    """Send what is due, for about so long; how many mails. The first failure ends the run: it may be the server."""
    deadline, sent = time.monotonic() + seconds, 0
    _forget_what_is_too_old()
    while time.monotonic() < deadline and (asked := _claim()) is not None:
        try:
            sent += _send(asked)
        except Exception as error:  # the server, the network, or an address that it does not take
            logger.warning("A mail is tried again later: %s", error)
            break
        asked.delete()
    return sent


def _forget_what_is_too_old() -> None:
    """A link that is sent so late would not be waited for."""
    oldest = timezone.now() - timedelta(seconds=settings.PASSWORD_RESET_TIMEOUT)
    PasswordMail.objects.filter(kind=Kind.NEW_PASSWORD, created_at__lt=oldest).delete()
    for kind, most in MOST_TRIES.items():
        PasswordMail.objects.filter(kind=kind, tries__gte=most, due_at__lt=timezone.now()).delete()


def _claim() -> PasswordMail | None:
    """One that is due, not due again for a while: nobody else takes it, and if we die somebody does."""
    with transaction.atomic():
        left = Q()
        for kind, most in MOST_TRIES.items():
            left |= Q(kind=kind, tries__lt=most)
        due = PasswordMail.objects.filter(left, due_at__lte=timezone.now())
        asked = due.select_for_update(skip_locked=True).order_by("due_at").first()
        if asked is not None:
            asked.tries += 1
            asked.due_at = timezone.now() + timedelta(seconds=WAIT_SECONDS * asked.tries)
            asked.save(update_fields=["tries", "due_at"])
    return asked


def _send(asked: PasswordMail) -> int:
    if asked.kind == Kind.EMAIL_CHANGED:
        mails = [_word_of_change(asked.account, asked.email)] if asked.account else []
    else:
        mails = [_mail_to(account, asked.site) for account in accounts_by_email(asked.email)]
    return (get_connection().send_messages(mails) or 0) if mails else 0


def _mail_to(account: Account, site: str) -> EmailMessage:
    """In the account's language, to the address that it has, which may be written otherwise than what was typed."""
    uid = urlsafe_base64_encode(force_bytes(account.pk))
    address = reverse("new-password", args=[uid, link_tokens.make_token(account)])
    context = {
        "account": account,
        "link": site.rstrip("/") + address,
        "minutes": settings.PASSWORD_RESET_TIMEOUT // 60,
    }
    with translation.override(account.language):
        body = render_to_string("mail/new_password.txt", context)
        return EmailMessage(_("A new password for Courtyard"), body, to=[account.email])


def _word_of_change(account: Account, email: str) -> EmailMessage:
    """Names no new address: whoever reads the old one's mail may be a stranger by now."""
    with translation.override(account.language):
        body = render_to_string("mail/email_changed.txt", {"account": account})
        return EmailMessage(_("Your e-mail at Courtyard has changed"), body, to=[email])
