"""Celery tasks: doors. Ids in, one call. Each may run twice, and two at once."""

import time
from typing import Any

from celery import shared_task

from feeds import counts, delivery, fanout, outbox, queueing, stats, threshold
from feeds.lists import ListsUnavailable
from feeds.proof.warm import warm_viewers
from feeds.ranking import recording


@shared_task(name=queueing.FAN_OUT, bind=True)
def fan_out(self: Any, post_id: int) -> int:
    """Push a post to its author's followers; the relay repeats what fails."""
    started = time.monotonic()
    try:
        taken = fanout.fan_out(post_id, self.request.id or "direct", queueing.enqueue_fan_out)
    except ListsUnavailable:
        return 0
    stats.count("fan_outs")
    stats.count("inserts", taken)
    stats.count("fan_out_seconds", time.monotonic() - started)
    stats.hand_over()
    return taken


@shared_task(name=queueing.BUILD)
def build(viewer_id: int) -> None:
    """Build what a degraded page of a viewer lacked."""
    warm_viewers([viewer_id])


@shared_task(name="feeds.relay")
def relay() -> int:
    """Deliver what was left behind."""
    try:
        return delivery.relay()
    except ListsUnavailable:
        return 0


@shared_task(name="feeds.recount")
def recount() -> int:
    """Recount likes and followers, and cross the threshold where the counts say so."""
    likes, followers = counts.recount_likes(), counts.recount_followers()
    if followers:
        threshold.reconcile()
    return likes + followers


@shared_task(name="feeds.reconcile")
def reconcile() -> tuple[int, int]:
    """Bring settings of this installation into force, and the intervals in line with threshold and counts."""
    threshold.apply_inactive_after()
    return threshold.reconcile()


@shared_task(name="feeds.bring_notes")
def bring_notes() -> int:
    """Remember what was seen and opened in the last seconds."""
    try:
        return recording.bring_notes()
    except ListsUnavailable:
        return 0


@shared_task(name="feeds.prune_outbox")
def prune_outbox() -> int:
    """Forget changes that were delivered a day ago, crossings of a season ago, and what was seen a week ago."""
    return outbox.prune_done() + threshold.prune_crossings() + recording.prune_recorded()
