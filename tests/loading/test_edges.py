import gzip
import io
import sys
from pathlib import Path

import pytest

from feeds.loading.edges import LONGEST_LINE, Edge, Findings, UnreadableGraph, read_edges


def read(path: Path | str) -> tuple[list[Edge], Findings]:
    findings = Findings()
    return list(read_edges(str(path), findings)), findings


@pytest.fixture
def graph(tmp_path: Path) -> Path:
    return tmp_path / "graph.txt"


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"7", "has 1 column"),
        (b"7 8", "has 1 column"),
        (b"7\t8\t9", "has 3 columns"),
        (b"7\t", "is not a whole number"),
        (b"\t7", "is not a whole number"),
        (b"ana\t7", "'ana' is not a whole number"),
        (b"-1\t7", "'-1' is not a whole number"),
        (b"1.0\t7", "'1.0' is not a whole number"),
        (b"1e3\t7", "'1e3' is not a whole number"),
        ("٣\t7".encode(), "is not a whole number"),
        (b"1\x00\t7", "is not a whole number"),
        (b"9223372036854775808\t7", "is not a whole number"),
        (b"9" * 5000 + b"\t7", "is longer than"),
        (b"7\t7", "'7' follows itself"),
        (b"\xff\xfe\t7", "is not UTF-8"),
        (b"# caf\xe9", "is not UTF-8"),
    ],
)
def test_a_bad_line_is_reported_by_number_and_reason(graph: Path, line: bytes, reason: str) -> None:
    graph.write_bytes(b"# one\n1\t2\n" + line + b"\n3\t4\n")
    edges, findings = read(graph)
    assert edges == [(1, 2), (3, 4)]
    assert findings.bad == 1
    assert findings.first_bad[0].startswith("line 3: ")
    assert reason in findings.first_bad[0]


@pytest.mark.parametrize(
    "text",
    [
        b"1\t2\n0\t9223372036854775807\n",
        b"1\t2\r\n0\t9223372036854775807",
        b"\xef\xbb\xbf1\t2\n\n  \n0\t9223372036854775807\n",
        "# Who follows whom, à la carte\n1\t2\n#\n0\t9223372036854775807\n".encode(),
    ],
)
def test_comments_blank_lines_and_any_line_ends_are_fine(graph: Path, text: bytes) -> None:
    graph.write_bytes(text)
    edges, findings = read(graph)
    assert edges == [(1, 2), (0, 2**63 - 1)]
    assert findings.bad == 0


def test_gzip_is_told_by_its_first_bytes(graph: Path) -> None:
    graph.write_bytes(gzip.compress(b"1\t2\n"))
    assert read(graph)[0] == [(1, 2)]


def test_standard_input_may_be_gzip_too(monkeypatch: pytest.MonkeyPatch) -> None:
    piped = io.BufferedReader(io.BytesIO(gzip.compress(b"1\t2\n")))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(piped))
    assert read("-")[0] == [(1, 2)]


def test_a_cut_gzip_says_so(graph: Path) -> None:
    graph.write_bytes(gzip.compress(b"".join(b"%d\t%d\n" % (n, n * n + 1) for n in range(1, 9999)))[:-20])
    with pytest.raises(UnreadableGraph, match="cut short"):
        read(graph)


def test_a_missing_file_and_a_folder_say_what_they_are(tmp_path: Path) -> None:
    with pytest.raises(UnreadableGraph, match="No such file"):
        read(tmp_path / "nowhere")
    with pytest.raises(UnreadableGraph, match="Is a directory"):
        read(tmp_path)


def test_an_over_long_line_is_counted_once(graph: Path) -> None:
    graph.write_bytes(b"#" + b"x" * LONGEST_LINE * 40 + b"\n1\t2\nx\n")
    edges, findings = read(graph)
    assert edges == [(1, 2)]
    assert [line.split(":")[0] for line in findings.first_bad] == ["line 1", "line 3"]


def test_ten_bad_lines_are_shown_and_the_rest_counted() -> None:
    findings = Findings(edges=1)
    for number in range(1, 1235):
        findings.refuse(number, "is odd")
    with pytest.raises(UnreadableGraph) as refused:
        findings.raise_if_unusable()
    assert "1,234 bad lines" in str(refused.value)
    assert str(refused.value).count("is odd") == 10
    assert "1,224 more" in str(refused.value)
