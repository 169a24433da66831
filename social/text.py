"""What people may type: text that can be stored, shown and read."""

import unicodedata

# Categories that leave nothing on the screen: controls, formats, separators, surrogates, unassigned.
_INVISIBLE = {"Cc", "Cf", "Cs", "Cn", "Zl", "Zp", "Zs", "Co"}
# Letters, marks and symbols that are blank all the same: fillers, the joiner of graphemes, the empty Braille cell.
_BLANK = "\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0"


def clean_text(value: str, *, max_length: int, multiline: bool = False, required: bool = False) -> str:
    """`value` trimmed and fit for PostgreSQL and a page. ValueError, in words for its author, if it is not.

    NUL and lone surrogates cannot be stored; text of only invisible characters says nothing. The limit
    counts characters; bytes are bounded by four times that.
    """
    if not isinstance(value, str):
        raise ValueError("Must be text.")
    if any(c == "\x00" or "\ud800" <= c <= "\udfff" for c in value):
        raise ValueError("Contains a character that cannot be kept (NUL or a broken emoji).")
    value = value.replace("\r\n", "\n").replace("\r", "\n").strip()
    if not multiline:
        value = " ".join(value.split())
    if len(value) > max_length:
        raise ValueError(f"Is {len(value)} characters long; at most {max_length} are allowed.")
    if all(c in _BLANK or unicodedata.category(c) in _INVISIBLE for c in value):
        if required:
            raise ValueError("Must not be empty.")
        return ""
    return value
