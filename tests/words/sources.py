"""Which messages templates and code mark for translation, and which words they show without.

Templates are compiled as Django does and Python is parsed, so that what counts is what runs.
"""

import ast
import re
from collections.abc import Iterable, Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.template import engines
from django.template.base import Lexer, Node, Token, TokenType
from django.templatetags.i18n import BlockTranslateNode, TranslateNode

from tests.words.catalogue import CONTEXT_END, Message

TEMPLATES = Path(settings.BASE_DIR) / "templates"
APPS = ("social", "posts", "feeds", "courtyard")
IN_ENGLISH = ("templates/admin/", "templates/api_docs.html")  # staff's pages and the API's are not translated

# --- Marked in templates ---------------------------------------------------------------------------------------


def template_files() -> list[Path]:
    files = [file for suffix in ("html", "txt") for file in TEMPLATES.rglob(f"*.{suffix}")]
    return sorted(file for file in files if not _name(file).startswith((*IN_ENGLISH, "templates/static/")))


def _name(file: Path) -> str:
    return str(file.relative_to(settings.BASE_DIR))


def messages_of_template(file: Path) -> Iterator[Message]:
    template = engines["django"].get_template(str(file.relative_to(TEMPLATES))).template
    for node in template.nodelist.get_nodes_by_type(Node):
        if isinstance(node, TranslateNode):
            literal = node.filter_expression.var.literal
            assert literal is not None, f"{_name(file)} translates what is no text: {node.filter_expression}"
            yield _message(literal.replace("%", "%%"), context=node.message_context)
        elif isinstance(node, BlockTranslateNode):
            plural = node.render_token_list(node.plural)[0] if node.plural else ""
            yield _message(node.render_token_list(node.singular)[0], plural, node.message_context)


def _message(words: str, plural: str = "", context: Any = None) -> Message:
    return Message(f"{context.var}{CONTEXT_END}{words}" if context else words, plural)


# --- Marked in code --------------------------------------------------------------------------------------------

MARKS = {"gettext": "m", "gettext_noop": "m", "ngettext": "mp", "pgettext": "cm", "npgettext": "cmp"}


def python_files() -> list[Path]:
    base = Path(settings.BASE_DIR)
    return sorted(
        file for app in APPS for file in (base / app).rglob("*.py") if "migrations" not in file.parts
    )


def messages_of_code(file: Path) -> Iterator[Message]:
    tree = ast.parse(file.read_text())
    marks = dict(_marks_in(tree))
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in marks:
            kinds = marks[node.func.id]
            given = dict(zip(kinds, node.args, strict=False))
            parts = {
                kind: argument.value for kind, argument in given.items() if isinstance(argument, ast.Constant)
            }
            assert len(parts) == len(kinds), f"{_name(file)}:{node.lineno} translates what is no text"
            key = f"{parts['c']}{CONTEXT_END}{parts['m']}" if "c" in parts else parts["m"]
            yield Message(key, parts.get("p", ""))


def _marks_in(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Local name -> what its arguments are: a context, the message, its plural."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module == "django.utils.translation":
            for name in node.names:
                if kinds := MARKS.get(name.name.removesuffix("_lazy")):
                    yield name.asname or name.name, kinds


def all_messages() -> set[Message]:
    found = {message for file in template_files() for message in messages_of_template(file)}
    return found | {message for file in python_files() for message in messages_of_code(file)}


# --- Shown without a mark --------------------------------------------------------------------------------------

SPOKEN = ("alt", "title", "placeholder", "aria-label", "aria-description", "label", "content")
NAMES = ("Courtyard",)  # the same in every language
LETTER = re.compile(r"[^\W\d_]")
LITERAL = re.compile(r"""[=:]\s*("[^"]*"|'[^']*')""")
WORDS = re.compile(r"[a-z] [a-z]")
SENTENCE = re.compile(r"[A-Z][a-z]|[a-z] [a-z]")
NOT_SHOWN = ("light dark",)  # of a colour scheme


class _Words(HTMLParser):
    """Collects what is seen or read out."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_data(self, data: str) -> None:
        self.found.append(data)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        spoken = [
            given.get(name) for name in SPOKEN if name != "content" or given.get("name") == "description"
        ]
        if tag == "input" and given.get("type") in ("submit", "button"):
            spoken.append(given.get("value"))
        spoken += [value for name, value in attrs if name.startswith("data-") and WORDS.search(value or "")]
        self.found += [words for words in spoken if words]

    handle_startendtag = handle_starttag


def unmarked_in_template(source: str) -> list[str]:
    """Words of a template that no translate tag holds: text, attributes, and literals handed to other templates."""
    tokens = list(_outside_marks(Lexer(source).tokenize()))
    text = "".join(token.contents for token in tokens if token.token_type == TokenType.TEXT)
    html = _Words()
    html.feed(text if "<" in text or '="' not in text else f"<i {text}>")  # some hold attributes alone
    html.close()
    code = [token.contents for token in tokens if token.token_type in (TokenType.BLOCK, TokenType.VAR)]
    literals = [literal[1:-1] for words in code for literal in LITERAL.findall(words)]
    handed = [literal for literal in literals if SENTENCE.search(literal) and literal not in NOT_SHOWN]
    return [words.strip() for words in html.found if _says_something(words)] + handed


def _outside_marks(tokens: Iterable[Token]) -> Iterator[Token]:
    inside = False
    for token in tokens:
        tag = token.contents.split(" ", 1)[0] if token.token_type == TokenType.BLOCK else ""
        if tag in ("blocktranslate", "blocktrans", "comment") or token.contents == "block page":  # classes
            inside = True
        elif tag in ("endblocktranslate", "endblocktrans", "endcomment", "endblock"):
            inside = False
        elif not inside and tag not in ("translate", "trans", "load"):
            yield token


def _says_something(words: str) -> bool:
    for name in NAMES:
        words = words.replace(name, "")
    return bool(LETTER.search(words))


# --- Words of code for people ----------------------------------------------------------------------------------

REFUSALS = {
    "Refusal", "InvalidInput", "NotFound", "Forbidden", "NotACook", "SelfTarget", "TooManyRequests", "Unavailable",
    "TooLarge", "BadPicture", "ValidationError",
}  # fmt: skip
MESSAGES = {"success", "error", "warning", "info"}
NAMED = {"label", "help_text"}
# Modules whose words only staff or programs read, and single ones among others.
FOR_OTHERS = ("admin", "api", "management", "loading", "schema", "staff")
NOT_ON_PAGES = (
    "A part of Courtyard is away for a moment. Try again shortly.",  # pages have one of their own for it
    "f'{account} is being erased.'",
    "f'{account} is {account.get_inactive_because_display()}, not suspended.'",
)


def unmarked_in_code(file: Path) -> list[str]:
    """Texts in places whose texts are shown: refusals, messages, labels of forms."""
    if set(file.parts) & set(FOR_OTHERS) or file.stem in FOR_OTHERS:
        return []
    tree = ast.parse(file.read_text())
    form = any(isinstance(node, ast.alias) and node.name == "forms" for node in ast.walk(tree))
    found = [words for node in ast.walk(tree) if isinstance(node, ast.Call) for words in _shown(node, form)]
    return [words for words in found if words not in NOT_ON_PAGES]


def _shown(call: ast.Call, form: bool) -> Iterator[str]:
    name = call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")
    of_messages = isinstance(call.func, ast.Attribute) and getattr(call.func.value, "id", "") == "messages"
    if name in REFUSALS:
        yield from _texts([*call.args, *(keyword.value for keyword in call.keywords)])
    elif name == "add_error" or (name in MESSAGES and of_messages):
        yield from _texts(call.args[1:])
    elif form:
        yield from _texts([keyword.value for keyword in call.keywords if keyword.arg in NAMED])


def _texts(values: Iterable[ast.AST]) -> Iterator[str]:
    """Plain texts in these values that are not handed to a function, and are more than a field's name."""
    for value in values:
        if isinstance(value, ast.Constant) and isinstance(value.value, str) and " " in value.value:
            yield value.value
        elif isinstance(value, ast.JoinedStr):
            yield ast.unparse(value)
        elif isinstance(value, ast.List | ast.Tuple):
            yield from _texts(value.elts)
        elif isinstance(value, ast.Dict):
            yield from _texts(value.values)
