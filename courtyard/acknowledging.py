"""A task that was done while the broker was away.

A worker takes no more tasks than it has processes, and kombu gives a task's place free only when the broker has heard
that it is done. When the broker is away at that moment the place would be taken for ever; with its last place a
worker would neither ask for another task nor notice that the connection is gone. So the place is given back here. The
broker, which has not heard, delivers the task once more after the visibility timeout; all of ours may run twice.
"""

from celery import Task
from celery.worker.request import Request
from kombu.transport.virtual import QoS


class ForgivingRequest(Request):
    def acknowledge(self) -> None:
        super().acknowledge()
        self._give_place_back()

    def reject(self, requeue: bool = False) -> None:
        super().reject(requeue=requeue)
        self._give_place_back()

    def _give_place_back(self) -> None:
        message = self.message
        if not message.acknowledged:  # the broker was away, which is in the log
            QoS.ack(message.channel.qos, message.delivery_tag)


class ForgivingTask(Task):
    Request = ForgivingRequest
