"""Who is active, and how long a stored feed lives."""

from tests.breaks.kinds import Break, Edit, a_break

ACTIVITY = "feeds/activity.py"

BREAKS: list[Break] = [
    Break(
        "life-before-visit",
        "a feed's life is extended before the visit is committed",
        (
            Edit(
                ACTIVITY,
                "        last_seen = mark_seen(viewer_id)\n",
                "        last_seen = timezone.now()\n",
            ),
            Edit(
                ACTIVITY,
                "        execute_one(keys, command)\n",
                "        execute_one(keys, command)\n        mark_seen(viewer_id)\n",
            ),
        ),
    ),
    a_break(
        "life-from-now",
        "a feed that is built lives for the whole window from now, not from the committed visit",
        "feeds/builds.py",
        "    expires_at = last_seen + timedelta(seconds=inactive_after) if last_seen else None\n",
        "    expires_at = timezone.now() + timedelta(seconds=inactive_after)\n",
    ),
    a_break(
        "life-without-fence",
        "a list that nobody has built is kept alive",
        "feeds/lists/lua/prolong_list.lua",
        "if redis.pcall('ZSCORE', KEYS[1], 'floor') then",
        "if true then",
    ),
    a_break(
        "shortening-keeps-feeds",
        "when the window becomes shorter, the feeds that the longer one kept stay",
        "feeds/threshold.py",
        "            row.epoch += 1\n",
        "            pass\n",
    ),
]
