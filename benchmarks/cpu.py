"""Processor time of processes with all their children, from /proc."""

import os
from pathlib import Path

_TICK = os.sysconf("SC_CLK_TCK")


def cpu_seconds(pid: int) -> float:
    """User and system time of a process, of its living descendants, and of those it has waited for."""
    stats = _all_stats()
    parents = {child: parent for child, (parent, _) in stats.items()}
    return sum(ticks for child, (_, ticks) in stats.items() if _descends(child, pid, parents)) / _TICK


def _all_stats() -> dict[int, tuple[int, int]]:
    """pid -> (parent, ticks)."""
    stats = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit() and (stat := _stat(folder)) is not None:
            stats[int(folder.name)] = stat
    return stats


def _stat(folder: Path) -> tuple[int, int] | None:
    try:
        text = (folder / "stat").read_text()
    except OSError:
        return None  # ended a moment ago
    fields = text.rpartition(")")[2].split()  # the name before it may hold spaces
    return int(fields[1]), sum(map(int, fields[11:15]))


def _descends(child: int, ancestor: int, parents: dict[int, int]) -> bool:
    while child not in (ancestor, 0):
        child = parents.get(child, 0)
    return child == ancestor
