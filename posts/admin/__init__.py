"""Menus and what was reported of them, for staff."""

from posts.admin import menus, reports  # noqa: F401  they register themselves
