"""JSON: reports of menus."""

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from posts.models import REASON_LENGTH
from posts.reporting import report_post
from social.api import CleanTextField
from social.api.answers import done, signed_in


class ReportSerializer(serializers.Serializer):
    reason = CleanTextField(max_length=REASON_LENGTH, multiline=True)


class Reports(APIView):
    """POST /posts/{id}/report: tell staff what is wrong with a menu."""

    def post(self, request: Request, post_id: int) -> Response:
        fields = ReportSerializer(data=request.data)
        fields.is_valid(raise_exception=True)
        report_post(account=signed_in(request), post_id=post_id, **fields.validated_data)
        return done()
