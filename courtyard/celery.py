"""The Celery application; its settings are Django's CELERY_*."""

import os

from celery import Celery
from django.conf import settings

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "courtyard.settings")

app = Celery("courtyard")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(lambda: [name for name in settings.INSTALLED_APPS if "." not in name])
