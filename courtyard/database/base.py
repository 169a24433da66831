"""The database backend that settings name (`ENGINE`).

With the server gone each request would wait for the pool's whole time-out, and twenty of them would hold all threads
of a process, warm feeds behind them. So the first one that waits in vain finds out why (feeds/outage.py); from then
on all others are refused at once, but for one thread now and then that looks whether the server is back.
"""

from typing import Any

import psycopg
from django.db.backends.postgresql import base

from feeds.outage import postgresql


class DatabaseWrapper(base.DatabaseWrapper):
    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        """A connection of the pool. psycopg.OperationalError, which Django wraps."""
        if self.pool is None:  # of a command that wants to hear the server's own words
            return super().get_new_connection(conn_params)
        if not postgresql.may_try():
            raise psycopg.OperationalError("PostgreSQL is away")
        try:
            return super().get_new_connection(conn_params)
        except psycopg.OperationalError:
            postgresql.look()
            raise
