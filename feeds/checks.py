"""Settings that make no sense are refused at start, in words."""

from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, register

from feeds.ranking.candidates import sources
from feeds.ranking.rankers import current_ranker
from feeds.ranking.recording import SEEN_KEPT_DAYS

MOST_CANDIDATES = 1_000

# setting -> (least value, why)
LEAST: dict[str, tuple[float, str]] = {
    "FEED_LENGTH": (10, "a page must fit into a stored list"),
    "FEED_INACTIVE_AFTER": (2, "feeds would expire while they are read"),
    "FEED_OVERLAY_SECONDS": (1, "a finished change must outlive the reads that began before it"),
    "FEED_LOCAL_CACHE_SECONDS": (0, "an age cannot be negative"),
    "FEED_LOCAL_CACHE_ENTRIES": (1, "a cache holds at least one entry"),
    "FEED_BUILDS": (1, "nothing that is not stored could be read"),
    "FEED_BUILD_WAIT_SECONDS": (0, "a wait cannot be negative"),
    "FEED_RANK_CANDIDATES": (1, "there would be nothing to rank"),
    "FEED_RANK_WINDOW": (1, "there would be nothing to rank"),
    "FEED_SNAPSHOT_TTL": (1, "a ranked list would be gone before its second page"),
    "FANOUT_THRESHOLD": (1, "at 0 every author would be pulled, also those that nobody follows"),
    "FANOUT_BATCH_SIZE": (1, "a batch holds at least one follower"),
    "FANOUT_HANDOVER_SECONDS": (0.01, "a job must get somewhere before it hands over"),
    "OUTBOX_RELAY_SECONDS": (0.1, "the relay would race with the first delivery"),
    "OUTBOX_KEEP_SECONDS": (60, "done rows are needed by the overlay and by the counts"),
    "REDIS_TIMEOUT": (0.01, "the feed Redis would be taken for away at every read"),
    "CELERY_VISIBILITY_TIMEOUT": (2, "running tasks would be delivered twice"),
}


def _error(message: str, hint: str) -> Error:
    return Error(message, hint=hint, id="feeds.E001")


@register()
def check_settings(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    errors: list[CheckMessage] = [
        _error(f"{name} is {getattr(settings, name)}, the least is {least:g}.", why)
        for name, (least, why) in LEAST.items()
        if getattr(settings, name) < least
    ]
    if settings.FEED_OVERLAY_SECONDS <= settings.FEED_LOCAL_CACHE_SECONDS:
        errors.append(
            _error(
                "FEED_OVERLAY_SECONDS must be greater than FEED_LOCAL_CACHE_SECONDS.",
                "What process memory holds is corrected by the overlay, which has to list changes longer.",
            )
        )
    if settings.FEED_LOCAL_CACHE_SECONDS > 2:
        errors.append(
            _error(
                "FEED_LOCAL_CACHE_SECONDS must be at most 2.",
                "Crossing the threshold relies on no process using an older set of pulled authors.",
            )
        )
    if settings.CELERY_VISIBILITY_TIMEOUT <= settings.FANOUT_HANDOVER_SECONDS:
        errors.append(
            _error(
                "CELERY_VISIBILITY_TIMEOUT must be greater than FANOUT_HANDOVER_SECONDS.",
                "A task that still runs would be delivered a second time.",
            )
        )
    return errors + _ranking_errors()


def _ranking_errors() -> list[CheckMessage]:
    errors: list[CheckMessage] = []
    if settings.FEED_RANK_CANDIDATES > MOST_CANDIDATES:
        why = "All of them are looked up and ranked while somebody waits."
        errors.append(_error(f"FEED_RANK_CANDIDATES must be at most {MOST_CANDIDATES}.", why))
    if settings.FEED_RANK_WINDOW > SEEN_KEPT_DAYS * 86_400:
        why = "What was seen and how often is remembered for that long."
        errors.append(_error(f"FEED_RANK_WINDOW must be at most {SEEN_KEPT_DAYS * 86_400}.", why))
    for name, load in (("FEED_RANKER", current_ranker), ("FEED_RANK_SOURCES", sources)):
        try:
            load()
        except (ImportError, TypeError) as error:
            errors.append(_error(f"{name} names what cannot be used: {error}", "See docs/ranking.md."))
    if not settings.FEED_RANK_SOURCES:
        errors.append(_error("FEED_RANK_SOURCES names no source.", "There would be nothing to rank."))
    return errors
