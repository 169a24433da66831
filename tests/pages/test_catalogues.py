"""Every word of the pages is in every language: marked, translated, compiled. CONTRIBUTING.md says how."""

import re
from pathlib import Path

import pytest
from django.conf import settings
from django.utils.translation import to_locale

from tests.words.catalogue import Message, placeholders, plain, read_mo, read_po
from tests.words.sources import (
    TEMPLATES,
    all_messages,
    python_files,
    template_files,
    unmarked_in_code,
    unmarked_in_template,
)

LANGUAGES = [code for code, _ in settings.LANGUAGES if code != settings.LANGUAGE_CODE]
EXTRACT = "bin/translations brings the catalogues up to date"


def catalogue(language: str, kind: str) -> Path:
    return Path(settings.LOCALE_PATHS[0]) / to_locale(language) / "LC_MESSAGES" / f"django.{kind}"


@pytest.fixture(scope="module")
def marked() -> set[Message]:
    return all_messages()


@pytest.mark.parametrize("language", LANGUAGES)
class TestCatalogues:
    def test_each_message_is_translated_once_and_none_is_left_over(
        self, marked: set[Message], language: str
    ) -> None:
        there = [entry.message for entry in read_po(catalogue(language, "po"))]
        assert len({message.key for message in there}) == len(there)
        assert not marked - set(there), EXTRACT
        assert not set(there) - marked, EXTRACT

    def test_none_is_empty_or_fuzzy(self, language: str) -> None:
        entries = read_po(catalogue(language, "po"))
        assert len(entries) > 300
        assert [entry.message.key for entry in entries if entry.fuzzy or not all(entry.translations)] == []

    def test_each_has_the_forms_and_placeholders_of_the_message(self, language: str) -> None:
        for entry in read_po(catalogue(language, "po")):
            words, plural = entry.message.key.rpartition("\x04")[2], entry.message.plural
            *few, last = entry.translations
            assert bool(few) == bool(plural), words
            assert placeholders(last) == placeholders(plural or words), words
            for translation in few:
                assert placeholders(translation) in (placeholders(words), placeholders(plural)), words
            for translation in entry.translations:
                assert (translation[0].isspace(), translation[-1].isspace()) == (False, False), words

    def test_the_compiled_one_says_the_same(self, language: str) -> None:
        assert read_mo(catalogue(language, "mo")) == plain(read_po(catalogue(language, "po"))), EXTRACT


@pytest.mark.parametrize("file", template_files(), ids=lambda file: str(file.relative_to(TEMPLATES)))
def test_templates_show_no_word_that_is_not_marked(file: Path) -> None:
    assert unmarked_in_template(file.read_text()) == []


def test_code_says_no_word_that_is_not_marked() -> None:
    assert {file.name: words for file in python_files() if (words := unmarked_in_code(file))} == {}


def test_scripts_and_style_sheets_have_no_words_of_their_own() -> None:
    """Scripts read theirs from the page."""
    for file in (TEMPLATES / "static").rglob("*.js"):
        assert re.findall(r"""["'`][A-Z][a-z]+ [a-z][^"'`]*["'`]""", file.read_text()) == [], file.name
    for file in (TEMPLATES / "static").rglob("*.css"):
        assert re.findall(r"""content:\s*["'][^"']*[A-Za-z]""", file.read_text()) == [], file.name


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("<p>Soup</p>", ["Soup"]),
        ("{% if a %}Soup{% endif %} · Courtyard", ["Soup · Courtyard"]),
        ('<img alt="A bowl">', ["A bowl"]),
        ('<button aria-label="Close">×</button>', ["Close"]),
        ('<input type="submit" value="Send">', ["Send"]),
        ('{% include "a.html" with title="Who follows" %}', ["Who follows"]),
        ('{{ name|default:"Nobody yet" }}', ["Nobody yet"]),
        ('{% translate "Soup" %} {% blocktranslate %}of {{ n }}{% endblocktranslate %} 12 · ×', []),
        ("<p class='soup' data-name=\"Soup\">{{ soup }}</p>{# Soup #}", []),
    ],
)
def test_words_without_a_mark_are_found(source: str, words: list[str]) -> None:
    assert unmarked_in_template(source) == words


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ('raise NotFound("No soup here.")', ["No soup here."]),
        ('raise NotFound(_("No soup here."))', []),
        ('InvalidInput(WORDS, errors={"text": ["No soup here."]})', ["No soup here."]),
        ('messages.success(request, "No soup here.")', ["No soup here."]),
        ('form.add_error("soup", f"No {soup}.")', ["f'No {soup}.'"]),
        ('from django import forms\nforms.CharField(label="My soup")', ["My soup"]),
    ],
)
def test_texts_of_code_without_a_mark_are_found(tmp_path: Path, source: str, words: list[str]) -> None:
    (tmp_path / "soup.py").write_text(source)
    assert unmarked_in_code(tmp_path / "soup.py") == words
