"""Catalogues as values. GNU gettext's tools write them; nothing here needs those."""

import ast
import gettext
import re
from dataclasses import dataclass
from pathlib import Path

CONTEXT_END = "\x04"  # between the context and the message, as in .mo files
KEYWORD = re.compile(r'(msgctxt|msgid|msgid_plural|msgstr|msgstr\[\d+\]) (".*")')


@dataclass(frozen=True, slots=True)
class Message:
    """`key`: the message, with its context before it if it has one. `plural`: empty where there is none."""

    key: str
    plural: str = ""


@dataclass(frozen=True, slots=True)
class Entry:
    message: Message
    translations: tuple[str, ...]  # for a message with a plural one for each form
    fuzzy: bool


def read_po(path: Path) -> list[Entry]:
    """All entries but the header and what is commented out."""
    blocks = re.split(r"\n\s*\n", path.read_text())
    return [entry for block in blocks if (entry := _entry(block.splitlines())) and entry.message.key]


def _entry(lines: list[str]) -> Entry | None:
    parts: dict[str, str] = {}
    name, flags = "", ""
    for line in lines:
        if line.startswith("#"):
            flags += line if line.startswith("#,") else ""
        elif found := KEYWORD.fullmatch(line):
            name = found[1]
            parts[name] = ast.literal_eval(found[2])
        else:
            parts[name] += ast.literal_eval(line)
    if "msgid" not in parts:
        return None
    key = parts["msgctxt"] + CONTEXT_END + parts["msgid"] if "msgctxt" in parts else parts["msgid"]
    translations = tuple(words for part, words in parts.items() if part.startswith("msgstr"))
    return Entry(Message(key, parts.get("msgid_plural", "")), translations, "fuzzy" in flags)


def plain(entries: list[Entry]) -> dict[str | tuple[str, int], str]:
    """As `read_mo` gives them: a message with a plural once for each form."""
    found: dict[str | tuple[str, int], str] = {}
    for entry in entries:
        if entry.message.plural:
            found |= {(entry.message.key, form): words for form, words in enumerate(entry.translations)}
        else:
            found[entry.message.key] = entry.translations[0]
    return found


def read_mo(path: Path) -> dict[str | tuple[str, int], str]:
    with path.open("rb") as file:
        catalogue: dict[str | tuple[str, int], str] = gettext.GNUTranslations(file)._catalog  # type: ignore[attr-defined]
    return {key: words for key, words in catalogue.items() if key}  # the header has no key


PLACEHOLDER = re.compile(r"%\(\w+\)[sd]|%%|<[^>]+>|https?://|@")


def placeholders(words: str) -> list[str]:
    """What has to be in a translation as well: names of values, markup, signs that code or the eye looks for."""
    return sorted(PLACEHOLDER.findall(words))
