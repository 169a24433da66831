"""Courtyard's settings with the benchmark's addresses, and tokens that outlive a run."""

from datetime import timedelta

from courtyard.settings import *  # noqa: F403
from courtyard.settings import SIMPLE_JWT

ROOT_URLCONF = "benchmarks.urls"
SIMPLE_JWT = SIMPLE_JWT | {"ACCESS_TOKEN_LIFETIME": timedelta(days=1)}
