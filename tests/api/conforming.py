"""Answers compared with the API's document."""

import re
from functools import cache
from typing import Any

from jsonschema import Draft202012Validator, FormatChecker

from courtyard.schema.document import get_document

Schema = dict[str, Any]
METHODS = ("get", "post", "put", "patch", "delete")


def operations() -> dict[tuple[str, str], Schema]:
    """By method and path."""
    paths = get_document()["paths"].items()
    return {(m.upper(), path): item[m] for path, item in paths for m in METHODS if m in item}


@cache
def strict_components() -> Schema:
    """The document's, where nothing that is not named may be in an object."""
    components: Schema = _closed(get_document()["components"])
    return components


def _closed(part: Any) -> Any:
    if isinstance(part, list):
        return [_closed(item) for item in part]
    if not isinstance(part, dict):
        return part
    closed = {name: _closed(value) for name, value in part.items()}
    if part.get("type") == "object" and "properties" in part:
        closed["additionalProperties"] = False
    return closed


def resolved(part: Schema) -> Schema:
    """What a `$ref` into the components stands for."""
    while "$ref" in part:
        _, _, kind, name = part["$ref"].split("/")
        part = get_document()["components"][kind][name]
    return part


def wrong_with(schema: Schema, value: Any, *, components: Schema | None = None) -> list[str]:
    """What is wrong with `value`, in words."""
    root = {**schema, "components": components or strict_components()}
    validator = Draft202012Validator(root, format_checker=FormatChecker())
    return [f"{error.json_path}: {error.message[:300]}" for error in validator.iter_errors(value)]


def operation_of(method: str, path: str) -> tuple[str, str]:
    """The documented call behind a real address."""
    for known_method, template in operations():
        if known_method == method and re.fullmatch(re.sub(r"\{[^}]+\}", "[0-9]+", template), path):
            return known_method, template
    raise AssertionError(f"{method} {path} is not in the document")


def check_answer(response: Any) -> tuple[str, str, int]:
    """An answer of the test client is as the document says; which operation and status it was."""
    method, template = operation_of(response.request["REQUEST_METHOD"], response.request["PATH_INFO"])
    documented = operations()[method, template]["responses"]
    status = response.status_code
    assert str(status) in documented, f"{method} {template} answers {status}: {response.content[:300]!r}"
    answer = resolved(documented[str(status)])
    for name, header in answer.get("headers", {}).items():
        assert name in response or not resolved(header).get("required"), f"{method} {template}: no {name}"
        if resolved(header)["schema"]["type"] == "string" and name in response:
            assert wrong_with(resolved(header)["schema"], response[name]) == [], f"{method} {template} {name}"
    if "content" not in answer:
        assert response.content == b"", f"{method} {template}: {response.content[:300]!r}"
        return method, template, status
    media = answer["content"][response["Content-Type"].split(";")[0]]
    if "json" in response["Content-Type"]:
        assert wrong_with(media["schema"], response.json()) == [], f"{method} {template} {status}"
    return method, template, status
