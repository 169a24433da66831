"""Building under a token."""

from tests.breaks.kinds import Break, a_break

STORE_LIST = "feeds/lists/lua/store_list.lua"
STORE_VALUES = "feeds/lists/lua/store_values.lua"
STORE_OVERLAY = "feeds/lists/lua/overlay_store.lua"
BEGIN_LIST = "feeds/lists/lua/begin_list.lua"

BREAKS: list[Break] = [
    a_break(
        "list-token",
        "a list is stored though its token is gone",
        STORE_LIST,
        "if redis.pcall('ZSCORE', KEYS[1], ARGV[1]) ~= 'inf' then return 0 end",
        "",
    ),
    a_break(
        "value-token",
        "follows, likes and cards are stored though their token is gone",
        STORE_VALUES,
        "if redis.pcall('GET', key) == ARGV[1] then",
        "if true then",
    ),
    a_break(
        "overlay-token",
        "the overlay's mark is put though the builder's token is gone",
        STORE_OVERLAY,
        "if redis.pcall('ZSCORE', KEYS[1], ARGV[1]) ~= 'inf' then return 0 end",
        "",
    ),
    a_break(
        "token-after-reading",
        "the token of a feed is placed when PostgreSQL has been read",
        "feeds/builds.py",
        "    token = _begin(keys, name) if store else None\n    read = read_feed_ids(viewer_id)\n",
        "    read = read_feed_ids(viewer_id)\n    token = _begin(keys, name) if store else None\n",
    ),
    a_break(
        "slow-filler",
        "a slow filler stores a card whose post has changed: it takes its token when it has rendered",
        "feeds/cards.py",
        "        try:\n"
        "            token, taken = commands.begin_values(keys, list(names.values()))\n"
        "        except ListsUnavailable:\n"
        "            return render(ids)\n"
        "        cards = render(ids)\n",
        "        cards = render(ids)\n"
        "        try:\n"
        "            token, taken = commands.begin_values(keys, list(names.values()))\n"
        "        except ListsUnavailable:\n"
        "            return cards\n",
    ),
    a_break(
        "dead-builder",
        "the token of a builder that died holds everybody up for as long as pushes keep the list",
        BEGIN_LIST,
        "if (tonumber(string.match(token, '%d+$')) or 0) > now then return false end",
        "if token then return false end",
    ),
    a_break(
        "push-makes-a-list",
        "a push makes a list that nobody builds, without an expiry",
        "feeds/lists/lua/push.lua",
        "if redis.call('EXISTS', key) == 1 then",
        "if true then",
    ),
    a_break(
        "gone-is-kept",
        "publishing leaves a card that says the post is gone",
        "feeds/delivery.py",
        "    return [push_one(timeline, change.subject_id),"
        " commands.delete_command(keys.card(change.subject_id))]",
        "    return [push_one(timeline, change.subject_id)]",
    ),
    a_break(
        "gone-though-listed",
        "a post that is about to commit is stored as gone",
        "feeds/cards.py",
        " if i not in cards and i not in self.overlay.published}",
        " if i not in cards}",
    ),
    a_break(
        "follow-keeps-feed",
        "a follow does not delete the stored feed",
        "feeds/delivery.py",
        "    return [commands.delete_command(keys.feed(change.subject_id), keys.follows(change.subject_id))]",
        "    return [commands.delete_command(keys.follows(change.subject_id))]",
    ),
]
