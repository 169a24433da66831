"""What the API's document says of a call. Each app has a table of its calls; courtyard.schema makes the document."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from rest_framework import serializers

from social.paging import DEFAULT_LIMIT, MAX_LIMIT

MAX_ID = 2**53 - 1  # the greatest number that every JSON reader keeps exact
MAX_CURSOR = 8192
CURSOR_PATTERN = "^[A-Za-z0-9_-]+$"
Schema = dict[str, Any]

ID: Schema = {"type": "integer", "format": "int64", "minimum": 1, "maximum": MAX_ID}
COUNT: Schema = {"type": "integer", "minimum": 0}
FLAG: Schema = {"type": "boolean"}
MOMENT: Schema = {
    "type": "string",
    "format": "date-time",
    "pattern": r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z$",
}
CURSOR: Schema = {"type": "string", "minLength": 1, "maxLength": MAX_CURSOR, "pattern": CURSOR_PATTERN}


def text(longest: int) -> Schema:
    return {"type": "string", "maxLength": longest}


NEXT = "Where the next page begins; null at the end and only there. The `Link` header has it too."


def or_null(schema: Schema) -> Schema:
    return schema | {"type": [schema["type"], "null"]}


class Shown(serializers.Field):
    """A member of an answer, by its JSON Schema. `always`: no answer is without it."""

    def __init__(self, schema: Schema, meaning: str = "", *, always: bool = True) -> None:
        super().__init__(read_only=always, required=None if always else False, help_text=meaning or None)
        self.schema = schema


@dataclass(frozen=True, slots=True)
class Parameter:
    """Of the address' query, or a header that a request may carry."""

    name: str
    schema: Schema
    meaning: str
    place: Literal["query", "header"] = "query"
    required: bool = False
    example: Any = None


@dataclass(frozen=True, slots=True)
class Answer:
    """`body`: a serializer or schema of what is answered, None: nothing. `example`: the body of one answer."""

    status: int
    body: type[serializers.Serializer] | Schema | None = None
    meaning: str = ""
    example: Any = None
    media_types: tuple[str, ...] = ("application/json",)


@dataclass(frozen=True, slots=True)
class Call:
    """`refusals`: stable codes of errors, beside those that follow from the rest (courtyard.schema.refusals).

    `takes`: a serializer of the body; `takes_more`: JSON Schema of what binds its members together.
    `limited`: it answers 429 to who does it too often. `stored`: it needs a part that may be away.
    """

    name: str
    tag: str
    summary: str
    meaning: str = ""
    answers: tuple[Answer, ...] = (Answer(204, meaning="Done, or done before."),)
    takes: type[serializers.Serializer] | None = None
    takes_more: Mapping[str, Any] = field(default_factory=dict)
    media_type: str = "application/json"
    body_optional: bool = False
    example: Any = None
    parameters: tuple[Parameter, ...] = ()
    refusals: tuple[str, ...] = ()
    signed_in: bool = True
    limited: bool = False
    stored: bool = True

    @property
    def is_page(self) -> bool:
        return LIMIT in self.parameters


LIMIT = Parameter(
    "limit",
    {"type": "integer", "minimum": 1, "maximum": MAX_LIMIT, "default": DEFAULT_LIMIT},
    "The most to answer with.",
)
PAGE = Parameter(
    "cursor", CURSOR, "The `next_cursor` of the page before this one. Without it: the first page."
)
PAGING = (LIMIT, PAGE)
