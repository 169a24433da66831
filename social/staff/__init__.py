"""What admin's pages have in common.

lists      tables of millions of rows
actions    what staff do to rows, from a list and from a row's own page
reasons    asking why
dossiers   what other apps say on the page of an account
"""

from social.staff.lists import (
    MOST_COUNTED,
    BoundedPaginator,
    LargeTableAdmin,
    ReadOnlyAdmin,
    say_done,
    typed_name,
)

__all__ = ["MOST_COUNTED", "BoundedPaginator", "LargeTableAdmin", "ReadOnlyAdmin", "say_done", "typed_name"]
