"""The Celery application; its settings are Django's CELERY_*."""

import sys
from typing import Any

from celery import Celery
from celery.signals import task_postrun, task_prerun
from django.conf import settings
from django.db import close_old_connections

from courtyard.starting import read_settings

read_settings()
app = Celery("courtyard", task_cls="courtyard.acknowledging:ForgivingTask")
app.config_from_object("django.conf:settings", namespace="CELERY")
# Celery would close the pool, and so connect to PostgreSQL anew, before and after each task.
app.conf.CELERY_DB_REUSE_MAX = sys.maxsize
app.autodiscover_tasks(lambda: [name for name in settings.INSTALLED_APPS if "." not in name])


@task_prerun.connect(weak=False)
@task_postrun.connect(weak=False)
def give_connections_back(**kwargs: Any) -> None:
    """Connections go back to the pool, and are looked at when they are taken again, as for a request."""
    close_old_connections()
