"""What is filtered when a feed is read, and what the database holds between two accounts."""

from tests.breaks.kinds import Break, a_break

READER = "feeds/reader.py"
BLOCKS = "social/keep_blocks.sql"

BREAKS: list[Break] = [
    a_break(
        "no-mute-filter",
        "muted authors are shown from stored lists",
        READER,
        " and not self._mutes(relations, card.author_id):",
        ":",
    ),
    a_break(
        "no-hidden-filter",
        "menus that staff have hidden are shown from stored lists",
        READER,
        "author.is_active and not card.hidden",
        "author.is_active",
    ),
    a_break(
        "no-active-filter",
        "menus of suspended authors are shown from stored lists",
        READER,
        "author.is_active and not card.hidden",
        "not card.hidden",
    ),
    a_break(
        "no-follow-filter",
        "authors who are not followed any more are shown from stored lists",
        READER,
        "                relations is None\n                or card.author_id in relations\n",
        "                True\n",
    ),
    a_break(
        "ranked-unfiltered",
        "pages of a ranked list show what was in the feed when it was made",
        READER,
        "        relations = self._relations_now()\n",
        "        relations = None\n",
    ),
    a_break(
        "ranked-lets-in",
        "a recommended menu is shown to whoever may not see it any more",
        READER,
        "            welcome = self._visible(recommended.intersection(chunk))\n",
        "            welcome = recommended\n",
    ),
    a_break(
        "build-drops-muted",
        "a build leaves out whom the viewer mutes, who then does not come back by herself",
        "feeds/builds.py",
        "    WHERE f.follower_id = %(viewer)s AND NOT EXISTS (\n",
        "    WHERE f.follower_id = %(viewer)s AND NOT EXISTS (\n"
        "        SELECT FROM social_mute m WHERE m.muter_id = f.follower_id AND m.muted_id = f.followee_id)\n"
        "      AND NOT EXISTS (\n",
    ),
    a_break(
        "follow-misses-block",
        "a follow does not wait for a block that is about to commit",
        BLOCKS,
        "ORDER BY id FOR KEY SHARE;",
        "ORDER BY id;",
    ),
    a_break(
        "block-misses-follow",
        "a block does not wait for a follow that is about to commit",
        BLOCKS,
        "ORDER BY id FOR UPDATE;",
        "ORDER BY id;",
    ),
]
