"""JSON: what one account does to another, and undoes. Repeats answer like the first time."""

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from social import services
from social.api.answers import PRIVATE, done, signed_in
from social.api.fields import ExactNumberField
from social.services.mutes import LONGEST_MUTE


class Follows(APIView):
    """PUT and DELETE /follows/{id}. A private account is asked: 202."""

    def put(self, request: Request, account_id: int) -> Response:
        state = services.follow_account(follower=signed_in(request), followee_id=account_id)
        if state is services.FollowState.REQUESTED:
            return Response({"status": state.value}, status=202, headers=PRIVATE)
        return done()

    def delete(self, request: Request, account_id: int) -> Response:
        services.unfollow_account(follower=signed_in(request), followee_id=account_id)
        return done()


class FollowRequest(APIView):
    """PUT (accept) and DELETE (reject) /follow-requests/{id}, where `id` is the requesting account."""

    def put(self, request: Request, account_id: int) -> Response:
        services.accept_request(followee=signed_in(request), follower_id=account_id)
        return done()

    def delete(self, request: Request, account_id: int) -> Response:
        services.reject_request(followee=signed_in(request), follower_id=account_id)
        return done()


class RemovedFollower(APIView):
    """DELETE /followers/{id}."""

    def delete(self, request: Request, account_id: int) -> Response:
        services.remove_follower(followee=signed_in(request), follower_id=account_id)
        return done()


class Blocks(APIView):
    """PUT and DELETE /blocks/{id}."""

    def put(self, request: Request, account_id: int) -> Response:
        services.block_account(blocker=signed_in(request), blocked_id=account_id)
        return done()

    def delete(self, request: Request, account_id: int) -> Response:
        services.unblock_account(blocker=signed_in(request), blocked_id=account_id)
        return done()


class MuteSerializer(serializers.Serializer):
    expires_in = ExactNumberField(max_value=LONGEST_MUTE, required=False, allow_null=True, default=None)


class Mutes(APIView):
    """PUT and DELETE /mutes/{id}. PUT takes `{"expires_in": seconds}`; without it the mute has no end."""

    def put(self, request: Request, account_id: int) -> Response:
        fields = MuteSerializer(data=request.data)
        fields.is_valid(raise_exception=True)
        services.mute_account(muter=signed_in(request), muted_id=account_id, **fields.validated_data)
        return done()

    def delete(self, request: Request, account_id: int) -> Response:
        services.unmute_account(muter=signed_in(request), muted_id=account_id)
        return done()
