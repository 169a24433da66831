"""Fields of serializers. Exact: what has another type than it should is refused, not guessed at.

Each knows the JSON Schema of what it takes (`schema`), so that the document and the check are one thing.
"""

import re
from collections.abc import Collection
from typing import Any

from rest_framework import serializers

from social.text import STORABLE, VISIBLE, check_length, clean_text

MAX_NUMBER = 2**53 - 1  # the greatest that every JSON reader keeps exact


class ExactTextField(serializers.CharField):
    """Text as it was sent: nothing is trimmed, and a number is no text. `pattern` is a regular expression that
    Python and ECMAScript read alike; `hint` says in words what it wants."""

    def __init__(
        self, *, pattern: str = STORABLE, hint: str = "Has not the right form.", **kwargs: Any
    ) -> None:
        super().__init__(trim_whitespace=False, **kwargs)
        self.pattern, self.hint = pattern, hint

    def run_validation(self, data: Any = serializers.empty) -> Any:
        if data is not serializers.empty and data is not None and not isinstance(data, str):
            raise serializers.ValidationError("Must be text.")
        return super().run_validation(data)

    def to_internal_value(self, data: str) -> str:
        if not re.fullmatch(self.pattern, data):  # `match` would let `$` pass over a line's end
            raise serializers.ValidationError(self.hint)
        return data

    @property
    def schema(self) -> dict[str, Any]:
        shortest = self.min_length or (0 if self.allow_blank else 1)
        rules = {"minLength": shortest, "maxLength": self.max_length, "pattern": self.pattern}
        return {"type": "string"} | {name: value for name, value in rules.items() if value}


class OneOfField(ExactTextField):
    """One of a few words."""

    def __init__(self, *, choices: Collection[str], **kwargs: Any) -> None:
        super().__init__(max_length=max(map(len, choices)), **kwargs)
        self.choices = choices

    def to_internal_value(self, data: str) -> str:
        if data not in self.choices:
            raise serializers.ValidationError(self.hint)
        return data

    @property
    def schema(self) -> dict[str, Any]:
        return {"type": "string", "enum": sorted(self.choices)}


class CleanTextField(serializers.CharField):
    """Text that can be stored and read; see social.text. Its length is measured as it was sent."""

    def __init__(self, *, max_length: int, multiline: bool = False, **kwargs: Any) -> None:
        super().__init__(trim_whitespace=False, max_length=max_length, **kwargs)
        self.longest, self.multiline = max_length, multiline

    def run_validation(self, data: Any = serializers.empty) -> Any:
        if data is serializers.empty or data is None:
            return super().run_validation(data)
        try:
            if isinstance(data, str):
                check_length(data, self.longest)
            data = clean_text(
                data, max_length=self.longest, multiline=self.multiline, required=not self.allow_blank
            )
        except ValueError as error:
            raise serializers.ValidationError(str(error)) from None
        return super().run_validation(data)

    @property
    def schema(self) -> dict[str, Any]:
        pattern = STORABLE if self.allow_blank else VISIBLE
        return {"type": "string", "maxLength": self.longest, "pattern": pattern}


class ExactBooleanField(serializers.BooleanField):
    """True or false; neither 1 nor "yes"."""

    def to_internal_value(self, data: Any) -> bool:
        if not isinstance(data, bool):
            raise serializers.ValidationError("Must be true or false.")
        return data

    @property
    def schema(self) -> dict[str, Any]:
        return {"type": "boolean"}


class ExactNumberField(serializers.IntegerField):
    """A whole number from 1 to `max_value`; no text, and 5.0 is 5."""

    def __init__(self, *, max_value: int = MAX_NUMBER, **kwargs: Any) -> None:
        super().__init__(min_value=1, max_value=max_value, **kwargs)

    def to_internal_value(self, data: Any) -> int:
        whole = isinstance(data, int) or (isinstance(data, float) and data.is_integer())
        if not whole or isinstance(data, bool):
            raise serializers.ValidationError("Must be a whole number.")
        return int(data)

    @property
    def schema(self) -> dict[str, Any]:
        return {"type": "integer", "format": "int64", "minimum": self.min_value, "maximum": self.max_value}
