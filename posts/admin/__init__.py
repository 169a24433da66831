"""Menus and what was reported of them, for staff."""

from posts.admin import dossier, menus, reports  # noqa: F401  they register themselves
