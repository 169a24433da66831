"""JSON: photos. The answer is JSON; what is sent is a form."""

from typing import Any

from django.http import HttpResponse
from rest_framework import serializers
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.views import APIView

from posts.api.repeats import call_of, created, first_answer
from posts.media.uploading import keep_upload, store_upload
from posts.models import ALT_LENGTH
from posts.rendering import photo_dict
from social.api import CleanTextField
from social.api.answers import signed_in


class MediaSerializer(serializers.Serializer):
    file = serializers.FileField(allow_empty_file=True, max_length=None)  # what it holds is looked at later
    alt = CleanTextField(max_length=ALT_LENGTH)

    def validate(self, fields: dict[str, Any]) -> dict[str, Any]:
        """A form may name a field twice; of two photos one would be lost."""
        twice = [name for name in ("file", "alt") if len(self.initial_data.getlist(name)) > 1]
        if twice:
            raise serializers.ValidationError({name: ["Was sent more than once."] for name in twice})
        return fields


class Media(APIView):
    """POST /media: upload a photo. It may be repeated with its Idempotency-Key."""

    parser_classes = [MultiPartParser]
    throttle_scope = "uploads"

    def post(self, request: Request) -> HttpResponse:
        call = call_of(request, "POST /media")
        if (answer := first_answer(call)) is not None:
            return answer
        fields = MediaSerializer(data=request.data)
        fields.is_valid(raise_exception=True)
        upload = store_upload(fields.validated_data["file"])

        def kept() -> dict[str, Any]:
            return photo_dict(keep_upload(upload, owner=signed_in(request), alt=fields.validated_data["alt"]))

        return created(call, kept)
