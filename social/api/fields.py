"""Fields of serializers."""

from typing import Any

from rest_framework import serializers

from social.text import clean_text


class CleanTextField(serializers.CharField):
    """Text that can be stored and read; see social.text."""

    def __init__(self, *, max_length: int, multiline: bool = False, **kwargs: Any) -> None:
        # The limit here is for numbers, which become text; text is measured when it is clean.
        super().__init__(trim_whitespace=False, max_length=max_length, **kwargs)
        self.longest, self.multiline = max_length, multiline

    def run_validation(self, data: Any = serializers.empty) -> Any:
        if not isinstance(data, str):
            return super().run_validation(data)
        try:
            data = clean_text(
                data, max_length=self.longest, multiline=self.multiline, required=not self.allow_blank
            )
        except ValueError as error:
            raise serializers.ValidationError(str(error)) from None
        return super().run_validation(data)
