"""Delivery: fan-out, the relay, the epoch and the server that keys are meant for."""

from tests.breaks.kinds import Break, a_break

FANOUT = "feeds/fanout.py"
READ_PAGE = "        page = read_followers(list(pushed), after, settings.FANOUT_BATCH_SIZE)\n"

BREAKS: list[Break] = [
    a_break(
        "done-before-replies",
        "a fan-out's row is marked done before its pushes are acknowledged",
        FANOUT,
        "        pushed = _decide(keys, changes)\n",
        "        pushed = _decide(keys, changes)\n        outbox.mark_done(ids)\n",
    ),
    a_break(
        "replies-unread",
        "a bad reply in the middle of a pipeline goes unnoticed",
        "feeds/lists/server.py",
        "        if isinstance(reply, Exception):\n",
        "        if False:\n",
    ),
    a_break(
        "checkpoint-first",
        "the checkpoint moves before the batch is acknowledged",
        FANOUT,
        READ_PAGE,
        READ_PAGE + "        outbox.save_checkpoint(row_ids, page.next_after or after)\n",
    ),
    a_break(
        "stale-followers",
        "a list of followers is kept between jobs",
        FANOUT,
        READ_PAGE,
        '        kept = globals().setdefault("_kept", {})\n'
        "        if (*pushed, after) not in kept:\n"
        "            kept[(*pushed, after)] = read_followers(list(pushed), after, settings.FANOUT_BATCH_SIZE)\n"
        "        page = kept[(*pushed, after)]\n",
    ),
    a_break(
        "relay-by-high-water",
        "the relay looks above the highest row that was delivered only",
        "feeds/outbox.py",
        "        \" AND created_at < clock_timestamp() - %s * interval '1 second'\"\n",
        "        \" AND created_at < clock_timestamp() - %s * interval '1 second' AND id > coalesce((\"\n"
        "        \"SELECT max(id) FROM feeds_outbox WHERE done_at IS NOT NULL OR claimed_by = 'queue'), 0)\"\n",
    ),
    a_break(
        "old-mark-stays",
        "the first writer of an epoch leaves readers their mark of the one before",
        "feeds/delivery.py",
        "        steps.insert(0, commands.drop_mark_command(keys))\n",
        "        pass\n",
    ),
    a_break(
        "epoch-unheard",
        "readers go on with the epoch they know",
        "feeds/opening.py",
        "        if overlay.mark is not None and overlay.mark.epoch != keys.epoch:\n",
        "        if False:\n",
    ),
    a_break(
        "any-run-id",
        "commands are sent to a server that their keys were not built for",
        "feeds/lists/server.py",
        "            if connection.run_id != keys.run_id:\n",
        "            if False:\n",
    ),
]
