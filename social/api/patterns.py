"""What text in requests looks like, as regular expressions that Python and ECMAScript read alike.

The models' rules say what may be stored. These take a part of that, in a form that JSON Schema can say too.
"""

USERNAME = r"^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,28}[A-Za-z0-9_])?$"
PASSWORD = r"^[^\u0000]*[^\u00000-9][^\u0000]*$"  # not of digits alone

_ATOM = r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"
_ASCII_LABEL = r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
EMAIL = rf"^(?:{_ATOM}(?:\.{_ATOM})*@(?:{_ASCII_LABEL}\.)+[A-Za-z]{{2,63}})?$"

_LETTER = r"[A-Za-z0-9\u00e0-\u024f]"
_LABEL = rf"{_LETTER}(?:[A-Za-z0-9\u00e0-\u024f-]{{0,61}}{_LETTER})?"
_TOP = r"(?:[A-Za-z]{2,63}|xn--[A-Za-z0-9]{1,55})"
_BLANKS = r"\u0000-\u0020\u007f-\u00a0\u1680\u2000-\u200f\u2028-\u202f\u205f\u3000\ufeff"
WEB_ADDRESS = (
    r"^(?:https?://(?=[^/?#]{1,253}(?:[/?#]|$))"  # as long as the name of a host may be
    rf"(?:{_LABEL}\.)+{_TOP}(?::[0-9]{{1,5}})?(?:[/?#][^{_BLANKS}]*)?)?$"
)
