"""What people may type."""

import pytest

from social.text import clean_text


@pytest.mark.parametrize(
    ("given", "multiline", "kept"),
    [
        ("soup", False, "soup"),
        ("  soup  ", False, "soup"),
        ("soup\nand\tbread", False, "soup and bread"),
        ("soup\r\nbread\rstew", True, "soup\nbread\nstew"),
        ("", False, ""),
        ("\u200b", False, ""),
        ("\u202e\u2060\u00a0\ufeff\u2028", True, ""),
        ("🍲", False, "🍲"),
        ("👩‍🍳", False, "👩‍🍳"),
        ("شوربة", False, "شوربة"),
        ("x" * 10, False, "x" * 10),
        ("é" * 10, False, "é" * 10),
    ],
)
def test_what_is_kept(given: str, multiline: bool, kept: str) -> None:
    assert clean_text(given, max_length=20, multiline=multiline) == kept


@pytest.mark.parametrize("given", ["a\x00b", "\ud800", "a\udfffb", "x" * 11, None, 7, ["a"]])
def test_what_is_refused(given: object) -> None:
    with pytest.raises(ValueError):
        clean_text(given, max_length=10)  # type: ignore[arg-type]


@pytest.mark.parametrize("given", ["", " ", "\u200b", "\u00ad\u2060", "\u3164", "\u2800\u034f \u115f"])
def test_nothing_visible_is_refused_where_text_is_required(given: str) -> None:
    with pytest.raises(ValueError, match="Must not be empty"):
        clean_text(given, max_length=10, required=True)
