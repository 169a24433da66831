"""The product's settings for a server process of tests: static files by their plain names, which no test collects,
and the quick hash that passwords of the cast have."""

from courtyard.settings import *  # noqa: F403
from courtyard.settings import STORAGES

STORAGES = STORAGES | {"staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}}
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
