"""Handing photos to the workers. What is not handed over, the sweep finds (processing.process_left)."""

import logging
from typing import Any

from celery import current_app
from kombu.exceptions import OperationalError

logger = logging.getLogger(__name__)

PROCESS = "posts.process_photo"


def enqueue_processing(photo_id: int, **options: Any) -> bool:
    """Ask a worker to process a photo; False when the broker is away."""
    try:
        current_app.send_task(PROCESS, args=[photo_id], retry=False, **options)
        return True
    except (OperationalError, OSError) as error:
        logger.warning("Photo %s is left to the sweep: the broker is away (%s)", photo_id, error)
        return False
