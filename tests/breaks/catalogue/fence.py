"""The fence, and how deep sources are merged."""

from tests.breaks.kinds import Break, a_break

COMMANDS = "feeds/lists/commands.py"
PUSH = "feeds/lists/lua/push.lua"

BREAKS: list[Break] = [
    a_break(
        "no-fence",
        "a list without a fence counts as complete",
        COMMANDS,
        "    if floor is None or members is None:\n        return StoredList(None, [], False)\n",
        "    if members is None:\n        return StoredList(None, [], False)\n    floor = floor or b'0'\n",
    ),
    a_break(
        "floor-is-lowest",
        "the floor is inferred from the lowest member",
        COMMANDS,
        "    return StoredList(_number(floor), ids, cut=len(members) == limit)",
        "    lowest = ids[-1] - 1 if ids and _number(floor) else _number(floor)\n"
        "    return StoredList(lowest, ids, cut=len(members) == limit)",
    ),
    a_break(
        "merge-ignores-floors",
        "the merge goes below the floors of its sources",
        "feeds/merge.py",
        "    floor = max([above, *(source.floor for source in sources)])",
        "    floor = above",
    ),
    a_break(
        "cut-is-complete",
        "a source that was cut short by its LIMIT counts as complete to its fence",
        "feeds/sources.py",
        "    floor = max(stored.floor, stored.ids[-1] - 1) if stored.cut and stored.ids else stored.floor",
        "    floor = stored.floor",
    ),
    a_break(
        "feed-read-apart",
        "fence and ids of the feed are read by two commands",
        COMMANDS,
        "        _stored_list(feed_floor, feed, limit),\n",
        "        _stored_list(\n"
        "            feed_floor,\n"
        '            execute_one(keys, ("ZREVRANGEBYSCORE", keys.feed(viewer_id), f"({min(below, MAX_ID)}",'
        ' "-inf", "LIMIT", 0, limit)),\n'
        "            limit,\n"
        "        ),\n",
    ),
    a_break(
        "timeline-read-apart",
        "fence and ids of a pulled author's timeline are read by two commands",
        COMMANDS,
        '    replies = execute_one(keys, (".read_lists", names, limit))\n',
        "    replies = [\n"
        "        (\n"
        '            execute_one(keys, ("ZSCORE", name, "floor")),\n'
        '            execute_one(keys, ("ZREVRANGEBYSCORE", name, MAX_ID, "-inf", "LIMIT", 0, limit)),\n'
        "        )\n"
        "        for name in names\n"
        "    ]\n",
    ),
    a_break(
        "trim-leaves-fence",
        "a trim leaves the fence below what it has cut off",
        PUSH,
        "string.format('%.0f', math.max(fence, lowest - 1))",
        "fence",
    ),
    a_break(
        "trim-makes-fence",
        "a trim puts a fence into a list that is being built",
        PUSH,
        "    if not fence then return redis.call('DEL', key) end\n",
        "    fence = fence or 0\n",
    ),
    a_break(
        "trim-cuts-a-build",
        "a trim cuts a list that is being built, whose builder puts its fence below what was cut",
        PUSH,
        "    if not fence then return redis.call('DEL', key) end\n",
        "    if not fence then return redis.call('ZREMRANGEBYRANK', key, 0, -length - 1) end\n",
    ),
]
