"""Accounts and what lies between them, for staff."""

from social.admin import accounts, groups, pairs  # noqa: F401  they register themselves
