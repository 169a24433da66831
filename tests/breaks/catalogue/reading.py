"""Reads: pages, cursors, waiting readers, turns."""

from tests.breaks.kinds import Break, Edit, a_break

READER = "feeds/reader.py"
CURSOR = "feeds/cursor.py"

BREAKS: list[Break] = [
    a_break(
        "end-of-the-page",
        "the null cursor is taken from the filtered page: one that did not fill is the last",
        READER,
        "            filling.reach(merged.floor)\n",
        "            filling.ended = True\n",
    ),
    a_break(
        "filter-after-limit",
        "what is hidden is dropped from a page that was limited already",
        READER,
        "        ids = merged.ids\n        while",
        "        ids = merged.ids[: filling.missing]\n        while",
    ),
    a_break(
        "since-without-recent",
        "the refresh cursor carries the newest id alone",
        CURSOR,
        "    above = max(recent_above(newest), complete_above)\n",
        "    above, visible = newest, ()\n",
    ),
    a_break(
        "late-commits",
        "a post may commit long after its id was drawn",
        "posts/commit_in_time.sql",
        "    IF now_is - drawn_at > 5000 AND",
        "    IF now_is - drawn_at > 50000000 AND",
    ),
    a_break(
        "degraded-cursor",
        "the cursor of a degraded page passes ids that are not known to be complete",
        READER,
        "        filling.position = complete_to\n",
        "",
    ),
    Break(
        "others-result",
        "a reader who waited takes what the other read, which may be older than it",
        (
            Edit(
                READER,
                "from dataclasses import dataclass\n",
                "from dataclasses import dataclass, replace\n",
            ),
            Edit(READER, "LIST_ROUNDS = 4\n", "LIST_ROUNDS = 4\n_ENDED = {}\n"),
            Edit(
                READER,
                "        sources = gathering.sources()\n",
                "        sources = gathering.sources()\n"
                "        if self._building:\n"
                "            _ENDED[self.viewer_id] = StoredList(sources[0].floor, list(sources[0].ids), False)\n",
            ),
            Edit(
                READER,
                "                opened = self._open_now(below, window, top)\n        return opened\n",
                "                others = replace(opened.stored, feed=_ENDED[self.viewer_id])\n"
                "                opened = replace(opened, stored=others)\n        return opened\n",
            ),
        ),
    ),
    a_break(
        "endless-turns",
        "every read may ask PostgreSQL at once",
        "feeds/access.py",
        "lambda: self._taken < settings.FEED_BUILDS",
        "lambda: True",
    ),
]
