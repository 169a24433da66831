"""What people may type: text that can be stored, shown and read."""

import re

from django.utils.translation import gettext as _

# Characters that leave nothing on the screen: controls, formats, blanks of all widths, fillers, the empty Braille
# cell, variation selectors, tags. Named one by one rather than by category: so JSON Schema can say it too, and a
# picture that is younger than our Python is seen.
INVISIBLE = (
    r"\u0000-\u0020\u007f-\u00a0\u00ad\u034f\u061c\u115f\u1160\u1680\u17b4\u17b5\u180b-\u180f\u2000-\u200f"
    r"\u2028-\u202f\u205f-\u206f\u2800\u3000\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"
    "\U00013430-\U00013440\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e007f\U000e0100-\U000e01ef"
)
STORABLE = r"^[^\u0000]*$"
VISIBLE = rf"^[^\u0000]*[^{INVISIBLE}][^\u0000]*$"
_VISIBLE = re.compile(f"[^{INVISIBLE}]")


def clean_text(value: str, *, max_length: int, multiline: bool = False, required: bool = False) -> str:
    """`value` trimmed and fit for PostgreSQL and a page. ValueError, in words for its author, if it is not.

    NUL and lone surrogates cannot be stored; text of only invisible characters says nothing. The limit
    counts characters; bytes are bounded by four times that.
    """
    if not isinstance(value, str):
        raise ValueError(_("Must be text."))
    if any(c == "\x00" or "\ud800" <= c <= "\udfff" for c in value):
        raise ValueError(_("Contains a character that cannot be kept (NUL or a broken emoji)."))
    value = value.replace("\r\n", "\n").replace("\r", "\n").strip()
    if not multiline:
        value = " ".join(value.split())
    check_length(value, max_length)
    if not _VISIBLE.search(value):
        if required:
            raise ValueError(_("Must not be empty."))
        return ""
    return value


def check_length(value: str, max_length: int) -> None:
    """ValueError, in words for its author, if `value` has more characters than that."""
    if len(value) > max_length:
        words = _("Is %(length)d characters long; at most %(most)d are allowed.")
        raise ValueError(words % {"length": len(value), "most": max_length})
