"""The web server's entry, as courtyard/wsgi.py but for the settings."""

import os

os.environ["DJANGO_SETTINGS_MODULE"] = "benchmarks.settings"

from courtyard.wsgi import application

__all__ = ["application"]
