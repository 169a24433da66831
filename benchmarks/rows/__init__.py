"""The rows, in the order of the table."""

from benchmarks.row import Row
from benchmarks.rows import delays, fan_out, in_process, over_http, ranking, stores

ROWS: tuple[Row, ...] = (
    *over_http.ROWS,
    *in_process.ROWS,
    *ranking.ROWS,
    *stores.ROWS,
    *fan_out.ROWS,
    *delays.ROWS,
)
