"""A closed-loop load over HTTP: some keep-alive connections, each with one request under way."""

import re
import select
import socket
import time
from collections.abc import Iterator
from itertools import cycle

from benchmarks.outcome import Sample

CONNECTIONS = 8
_LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)
_SIZE = 1 << 18


class LoadError(Exception):
    """The server answered something else than 200, or hung up."""


def request_bytes(path: str, token: str) -> bytes:
    lines = [f"GET {path} HTTP/1.1", "Host: localhost", f"Authorization: Bearer {token}", "", ""]
    return "\r\n".join(lines).encode()


class Connection:
    """One socket and the answer that is arriving on it."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=10)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.buffer = memoryview(bytearray(_SIZE))
        self.received = self.expected = 0

    def send(self, request: bytes) -> None:
        self.received = self.expected = 0
        self.socket.sendall(request)

    def receive(self) -> bool:
        """Take what has arrived; whether the answer is complete."""
        count = self.socket.recv_into(self.buffer[self.received :])
        if count == 0:
            raise LoadError("the server hung up")
        self.received += count
        if not self.expected:
            self.expected = self._length()
        return self.received == self.expected

    def _length(self) -> int:
        """The whole answer's length, once its head is there."""
        text = bytes(self.buffer[: min(self.received, 2048)])
        head, end, _ = text.partition(b"\r\n\r\n")
        if not end:
            return 0
        length = _LENGTH.search(head)
        if not head.startswith(b"HTTP/1.1 200") or length is None:
            raise LoadError(bytes(self.buffer[: self.received])[:500].decode(errors="replace"))
        return len(head) + 4 + int(length[1])

    def body(self) -> bytes:
        answer = bytes(self.buffer[: self.received])
        return answer.partition(b"\r\n\r\n")[2]


def fetch(port: int, request: bytes) -> bytes:
    """The body of one answer."""
    connection = Connection(port)
    with connection.socket:
        connection.send(request)
        while not connection.receive():
            pass
        return connection.body()


def requests_per_second(port: int, requests: list[bytes], seconds: float) -> Sample:
    """Ask in turn for `requests`, over and over, for `seconds`."""
    connections = [Connection(port) for _ in range(CONNECTIONS)]
    started = time.perf_counter()
    done = _drive(connections, cycle(requests), started + seconds)
    elapsed = time.perf_counter() - started
    for connection in connections:
        connection.socket.close()
    return Sample(done / elapsed, done)


def _drive(connections: list[Connection], requests: Iterator[bytes], until: float) -> int:
    """Answers received; requests still under way at the end are waited for, and counted."""
    poll = select.epoll()
    by_number = {connection.socket.fileno(): connection for connection in connections}
    for number, connection in by_number.items():
        poll.register(number, select.EPOLLIN)
        connection.send(next(requests))
    done, waiting = 0, len(connections)
    while waiting:
        for number, _ in poll.poll():
            connection = by_number[number]
            if connection.receive():
                done += 1
                if time.perf_counter() < until:
                    connection.send(next(requests))
                else:
                    waiting -= 1
    poll.close()
    return done
