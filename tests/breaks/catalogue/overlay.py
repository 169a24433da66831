"""The overlay, and what process memory must not be used for."""

from tests.breaks.kinds import Break, a_break

OVERLAY = "feeds/overlay.py"
OPENING = "feeds/opening.py"

BREAKS: list[Break] = [
    a_break(
        "no-overlay",
        "posts of the overlay are not merged",
        "feeds/sources.py",
        "        ids = [post for post, author in published"
        " if author in self.relations or author == self.viewer_id]\n",
        "        ids: list[int] = []\n",
    ),
    a_break(
        "mark-for-ever",
        "the overlay's mark never lapses",
        OVERLAY,
        "        return self.mark is not None and now_us < self.mark.valid_until_us",
        "        return self.mark is not None",
    ),
    a_break(
        "mark-from-storing",
        "a mark is valid for a second from when it is put, however slow its builder was",
        OVERLAY,
        "        valid_until = placed_us + int(MARK_SECONDS * 1e6)",
        "        valid_until = int((time.time() + MARK_SECONDS) * 1e6)",
    ),
    a_break(
        "lists-first",
        "a reader who finds the mark lapsed keeps the lists that it read before the overlay",
        OPENING,
        "                continue  # the lists must be read after the overlay\n",
        "",
    ),
    a_break(
        "built-is-unlisted",
        "a reader who has read the outbox beside a slower builder keeps what it found for itself",
        OPENING,
        "            if unlisted := overlay.unlisted(built):\n",
        "            if unlisted := []:\n",
    ),
    a_break(
        "seen-is-unlisted",
        "a reader shows a post that neither the overlay nor other processes know of, and lists it for nobody",
        "feeds/reader.py",
        "                list_what_is_seen(self.opened, filling.items)\n",
        "                pass\n",
    ),
    a_break(
        "any-generation",
        "a process goes on with its position in an overlay that was lost and made anew",
        OVERLAY,
        "        if self.position and"
        " (mark is None or (self.mark and mark.generation != self.mark.generation)):",
        "        if False:",
    ),
    a_break(
        "undone-is-forgotten",
        "the overlay lists no change that is older than five seconds, delivered or not",
        OVERLAY,
        "     WHERE done_at IS NULL ORDER BY id LIMIT %(limit)s)",
        "     WHERE done_at IS NULL AND created_at > clock_timestamp() - interval '5 seconds'"
        " ORDER BY id LIMIT %(limit)s)",
    ),
    a_break(
        "done-is-forgotten",
        "a change leaves the overlay as soon as it is delivered",
        OVERLAY,
        "     WHERE done_at > clock_timestamp() - %(keep)s * interval '1 second' ORDER BY",
        "     WHERE done_at > clock_timestamp() + %(keep)s * interval '1 second' ORDER BY",
    ),
    a_break(
        "position-by-clock",
        "when the server's clock steps back, entries get positions that processes have passed already",
        "feeds/lists/lua/overlay_add.lua",
        "if last[2] and tonumber(last[2]) >= position then position = last[2] + 1 end\n",
        "",
    ),
    a_break(
        "flood-is-ignored",
        "an overlay that is too long to list all is used all the same",
        OPENING,
        "        if overlay.flooded:\n",
        "        if False:\n",
    ),
    a_break(
        "writer-does-not-wait",
        "a writer whose Redis step failed answers at once",
        "feeds/delivery.py",
        "        time.sleep(MARK_SECONDS)\n",
        "",
    ),
    a_break(
        "memory-over-overlay",
        "process memory is used though the overlay lists the post or account",
        "feeds/memory.py",
        "            if entry is None or entry[0] <= horizon or key in but:",
        "            if entry is None or entry[0] <= horizon:",
    ),
    a_break(
        "redis-over-overlay",
        "a stored card is used though the overlay lists its change as undelivered",
        "feeds/cards.py",
        "        wanted = [i for i in ids if i not in undelivered]",
        "        wanted = list(ids)",
    ),
    a_break(
        "viewers-unlisted",
        "stored follows are used though the overlay lists their viewer",
        "feeds/reader.py",
        "            if self.viewer_id in opened.overlay.viewers:\n",
        "            if False:\n",
    ),
    a_break(
        "likes-unlisted",
        "stored likes are used though the overlay lists them as undelivered",
        "feeds/reader.py",
        "        if opened is None or self.viewer_id in opened.overlay.undelivered_likes:",
        "        if opened is None:",
    ),
    a_break(
        "age-from-after-the-fetch",
        "the age of what process memory holds counts from when it was put, not from before it was fetched",
        "feeds/cards.py",
        "        self._remember(post_memory, {i: found[i] for i in missing if i in found},"
        " overlay.changed, asked_at)",
        "        self._remember(post_memory, {i: found[i] for i in missing if i in found},"
        " overlay.changed, time.monotonic())",
    ),
]
