"""Others who read while a change is being made, so that builds, pushes and deletions of the same keys meet.

What they see is not compared: before or after the change, both are right. They must be answered.
"""

import random
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from tests.stateful.client import LOST, Answer, Client, TimedOut

ANSWERS = {200, 401, LOST}


@contextmanager
def crowd(ports: Sequence[int], tokens: Sequence[str], dice: random.Random) -> Iterator[None]:
    """One reader on each port, over and over, for the time of a `with`. AssertionError for another answer."""
    over, strange = threading.Event(), list[Answer]()

    def read(port: int, seed: int) -> None:
        client, own = Client(port), random.Random(seed)
        while not over.is_set():
            try:
                answer = client.call(
                    "GET", f"/api/v1/feed?limit={own.choice((2, 20))}", token=own.choice(tokens)
                )
            except TimedOut as error:
                answer = Answer(504, str(error))
            if answer.status not in ANSWERS:
                strange.append(answer)
                break
            over.wait(0.01 if answer.status == LOST else 0.001)
        client.close()

    readers = [
        threading.Thread(target=read, args=(port, dice.getrandbits(32)), daemon=True) for port in ports
    ]
    for reader in readers:
        reader.start()
    try:
        yield
    finally:
        over.set()
        for reader in readers:
            reader.join()
    assert not strange, f"a reader beside it was answered {strange[0]}"
