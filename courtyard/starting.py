"""What a process does before anything else: it reads its settings."""

import os
import sys

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured


def read_settings() -> None:
    """Settings that make no sense end this process, in one line that names the one that is wrong."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "courtyard.settings")
    try:
        settings.INSTALLED_APPS  # noqa: B018  the first look reads them all
    except ImproperlyConfigured as error:
        sys.exit(f"courtyard: {error}")
