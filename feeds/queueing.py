"""Handing a fan-out to the workers. Publishing never depends on it: what is not queued, the relay queues."""

import logging

from celery import current_app
from kombu.exceptions import OperationalError

logger = logging.getLogger(__name__)

FAN_OUT = "feeds.fan_out"


def enqueue_fan_out(post_id: int) -> bool:
    """Ask a worker to fan a post out; False when the broker is away."""
    try:
        current_app.send_task(FAN_OUT, args=[post_id], retry=False)
        return True
    except (OperationalError, OSError) as error:
        logger.warning("Post %s is left to the relay: the broker is away (%s)", post_id, error)
        return False
