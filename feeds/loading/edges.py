"""Reading follow graphs: lines of `follower<TAB>followee`, gzip or plain, checked line by line."""

import gzip
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from io import BufferedReader
from pathlib import Path
from typing import cast

from feeds.loading.progress import byte_bar

Edge = tuple[int, int]

GREATEST_ID = 2**63 - 1
LONGEST_LINE = 4096  # bytes; room for a long comment
REPORTED_LINES = 10
_GZIP_MAGIC = b"\x1f\x8b"
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_LINES_A_STEP = 4096


class UnreadableGraph(Exception):
    """The file cannot be used; the message says why, in words for whoever gave it."""


@dataclass
class Findings:
    """What reading found out: edges taken, lines refused (the first few with their reasons)."""

    edges: int = 0
    bad: int = 0
    first_bad: list[str] = field(default_factory=list)

    def refuse(self, number: int, reason: str) -> None:
        self.bad += 1
        if len(self.first_bad) < REPORTED_LINES:
            self.first_bad.append(f"line {number}: {reason}")

    def raise_if_unusable(self) -> None:
        if self.bad:
            more = (
                f"\n  and {self.bad - len(self.first_bad):,} more" if self.bad > len(self.first_bad) else ""
            )
            lines = "\n  ".join(self.first_bad)
            raise UnreadableGraph(
                f"{self.bad:,} bad {'line' if self.bad == 1 else 'lines'}:\n  {lines}{more}"
            )
        if not self.edges:
            raise UnreadableGraph("it holds no follow.")


def read_edges(name: str, findings: Findings) -> Iterator[Edge]:
    """The edges of the file `name` (`-`: standard input); bad lines go to `findings`. UnreadableGraph."""
    try:
        with _open(name) as raw, byte_bar(what="Reading", total=_size(name)) as bar:
            for number, line in _numbered_lines(_plain(raw)):
                edge = _parse(number, line, findings)
                if edge:
                    findings.edges += 1
                    yield edge
                if number % _LINES_A_STEP == 0:
                    bar.update(_position(raw) - bar.n)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise UnreadableGraph(f"it is damaged, perhaps cut short ({error}).") from None
    except OSError as error:
        raise UnreadableGraph(f"it cannot be read: {error.strerror or error}.") from None


def _parse(number: int, line: bytes, findings: Findings) -> Edge | None:
    """The edge of a line; None for a comment, a blank line, or a bad one."""
    text = line.strip(b" \r\n")
    if not text.strip():
        return None
    columns = text.split(b"\t")
    if len(columns) == 2 and columns[0].isdigit() and columns[1].isdigit() and len(text) <= 40:
        edge = int(columns[0]), int(columns[1])
        if edge[0] != edge[1] and edge[0] <= GREATEST_ID and edge[1] <= GREATEST_ID:
            return edge
    reason = _what_is_wrong(line, columns)
    if reason:
        findings.refuse(number, reason)
    return None


def _what_is_wrong(line: bytes, columns: list[bytes]) -> str | None:
    """Why a line is no edge; None for a comment, which may be in any UTF-8."""
    if len(line) > LONGEST_LINE:
        return f"is longer than {LONGEST_LINE:,} bytes"
    try:
        text = line.decode().strip()
    except UnicodeDecodeError:
        return "is not UTF-8"
    if text.startswith("#"):
        return None
    if len(columns) != 2:
        return (
            f"has {len(columns)} {'column' if len(columns) == 1 else 'columns'}, not two with a tab between"
        )
    for column in columns:
        if not column.isdigit() or len(column) > 19 or int(column) > GREATEST_ID:
            return f"{_shown(column)} is not a whole number from 0 to 2^63 - 1"
    return f"{_shown(columns[0])} follows itself"


def _shown(column: bytes) -> str:
    text = column.decode()
    return ascii(text if len(text) <= 30 else text[:30] + "...")


def _numbered_lines(stream: BufferedReader) -> Iterator[tuple[int, bytes]]:
    """Lines from 1 on. Of an over-long line only the beginning is kept, so that memory stays bounded."""
    number, first = 0, True
    while line := stream.readline(LONGEST_LINE + 1):
        number += 1
        if len(line) > LONGEST_LINE and not line.endswith(b"\n"):
            _skip_line(stream)
        yield number, line.removeprefix(_BYTE_ORDER_MARK) if first else line
        first = False


def _skip_line(stream: BufferedReader) -> None:
    while rest := stream.readline(1 << 16):
        if rest.endswith(b"\n"):
            return


@contextmanager
def _open(name: str) -> Iterator[BufferedReader]:
    if name == "-":
        yield cast(BufferedReader, sys.stdin.buffer)
        return
    with Path(name).open("rb") as raw:
        yield raw


def _plain(raw: BufferedReader) -> BufferedReader:
    """The stream, unpacked when its first bytes say gzip, whatever its name."""
    if raw.peek(2)[:2] != _GZIP_MAGIC:
        return raw
    return BufferedReader(gzip.GzipFile(fileobj=raw), 1 << 16)


def _size(name: str) -> int | None:
    return None if name == "-" else Path(name).stat().st_size


def _position(raw: BufferedReader) -> int:
    try:
        return raw.tell()
    except OSError:  # a pipe has no position
        return 0
