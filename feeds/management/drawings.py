"""Charts that commands write into files."""

from collections.abc import Sequence
from pathlib import Path

from django.core.management.base import CommandError

from feeds.drawing import Chart, draw_file

_WIDTH, _HEIGHT = 720, 320


def svg_path(name: str | None, option: str) -> Path | None:
    """Before the work: that there is a folder to write it into. CommandError."""
    if name is None:
        return None
    path = Path(name)
    if path.suffix != ".svg":
        raise CommandError(f"{option} writes SVG: name a file that ends in .svg, not {name!r}.")
    if not path.parent.is_dir():
        raise CommandError(f"{option}: there is no folder {path.parent}.")
    return path


def write_charts(path: Path, charts: Sequence[Chart]) -> None:
    """The charts below each other, in one file. CommandError."""
    inner = "\n".join(
        f'<svg y="{n * _HEIGHT}" width="{_WIDTH}" height="{_HEIGHT}">{_body(chart)}</svg>'
        for n, chart in enumerate(charts)
    )
    try:
        path.write_text(
            f'<?xml version="1.0" encoding="UTF-8"?>\n<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}"'
            f' height="{_HEIGHT * len(charts)}">\n{inner}\n</svg>\n'
        )
    except OSError as error:
        raise CommandError(f"{path} cannot be written: {error.strerror or error}.") from None


def _body(chart: Chart) -> str:
    return draw_file(chart).partition("?>")[2].strip()
