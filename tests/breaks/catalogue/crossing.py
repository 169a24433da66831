"""Crossing the threshold."""

from tests.breaks.kinds import Break, a_break

THRESHOLD = "feeds/threshold.py"

BREAKS: list[Break] = [
    a_break(
        "close-without-lock",
        "an interval is closed without the exclusive lock",
        THRESHOLD,
        "AND until_id IS NULL FOR UPDATE",
        "AND until_id IS NULL",
    ),
    a_break(
        "decide-without-lock",
        "a fan-out decides without the share lock",
        THRESHOLD,
        "ORDER BY author_id FOR SHARE",
        "ORDER BY author_id",
    ),
    a_break(
        "close-below-newest",
        "an interval closes below a post of the author's whose id runs ahead of the clock",
        THRESHOLD,
        "(SELECT max(id) + 1 FROM posts_post",
        "(SELECT min(id) FROM posts_post",
    ),
    a_break(
        "skip-at-once",
        "fan-out skips an author's posts as soon as her interval is open",
        THRESHOLD,
        "    return not interval.settled\n",
        "    return False\n",
    ),
    a_break(
        "leave-out-at-once",
        "builds leave an author out as soon as her interval is open",
        "feeds/builds.py",
        " AND i.until_id IS NULL\n"
        "          AND i.opened_at < clock_timestamp() - %(grace)s * interval '1 second')",
        " AND i.until_id IS NULL)",
    ),
    a_break(
        "since-stays",
        "an interval that is opened again keeps where it began the first time",
        THRESHOLD,
        '" SET since_id = excluded.since_id, until_id = NULL,',
        '" SET until_id = NULL,',
    ),
    a_break(
        "closed-is-forgotten",
        "readers do not merge the timelines of closed intervals",
        "feeds/sources.py",
        "if (until[a] or MAX_ID) > least]",
        "if until[a] is None]",
    ),
    a_break(
        "old-intervals",
        "a process never reads the set of pulled authors again",
        "feeds/pulled.py",
        "        if time.monotonic() - self._read_at >= settings.FEED_LOCAL_CACHE_SECONDS:\n",
        '        if self._read_at == float("-inf"):\n',
    ),
    a_break(
        "unbounded-crossing",
        "a crossing waits for its lock as long as it takes",
        THRESHOLD,
        "    cursor.execute(f\"SET LOCAL statement_timeout = '{CROSSING_SECONDS}s'\")\n",
        '    cursor.execute("SELECT 1")\n',
    ),
]
