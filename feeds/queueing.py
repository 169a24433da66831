"""Handing work to the workers. Nothing depends on it: a fan-out that is not queued, the relay queues; a feed that is
not built, the next reader builds."""

import logging
import time
from typing import Any

from celery import current_app
from kombu.exceptions import OperationalError

from feeds.memory import LocalMemory

logger = logging.getLogger(__name__)

FAN_OUT = "feeds.fan_out"
BUILD = "feeds.build"
BUILD_EXPIRES_SECONDS = 10  # whoever still waits then has read again

_queued: LocalMemory[int, bool] = LocalMemory()  # viewers whose build this process has just queued


def enqueue_fan_out(post_id: int) -> bool:
    """Ask a worker to fan a post out; False when the broker is away."""
    if _send(FAN_OUT, post_id):
        return True
    logger.warning("Post %s is left to the relay: the broker is away", post_id)
    return False


def enqueue_build(viewer_id: int) -> None:
    """Ask a worker to build what a viewer's page lacked; once in a while for each viewer."""
    if _queued.get(viewer_id) is None:
        _queued.put(viewer_id, True, time.monotonic())
        _send(BUILD, viewer_id, expires=BUILD_EXPIRES_SECONDS)


def _send(task: str, subject_id: int, **options: Any) -> bool:
    try:
        current_app.send_task(task, args=[subject_id], retry=False, **options)
        return True
    except (OperationalError, OSError):
        return False
