"""Loading a follow graph: edges into a temporary table, then what is missing of accounts and follows."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from random import Random

from django.db import connection

from feeds.loading.bulk import bulk_load, copy_rows
from feeds.loading.edges import Edge, Findings, read_edges
from feeds.loading.progress import progress
from feeds.loading.vocabulary import People, peoples
from social.models import Account

# Dropped first, since a caller's own transaction may load twice.
_TEMPORARY = """
DROP TABLE IF EXISTS pg_temp.graph_edge, pg_temp.graph_node;
CREATE TEMPORARY TABLE graph_edge (follower bigint, followee bigint) ON COMMIT DROP;
CREATE TEMPORARY TABLE graph_node (
    number bigint, followed boolean, username text, account_id bigint
) ON COMMIT DROP;
"""

_NODES = """
INSERT INTO graph_node (number, followed, username)
SELECT number, bool_or(followed), 'g' || number FROM (
    SELECT follower AS number, false AS followed FROM graph_edge
    UNION ALL SELECT followee, true FROM graph_edge
) ends GROUP BY number;
ANALYZE graph_edge, graph_node;
"""

_FIND_ACCOUNTS = """
UPDATE graph_node n SET account_id = a.id FROM social_account a
WHERE a.username = n.username AND n.account_id IS NULL
"""

_MAKE_COOKS = """
UPDATE social_account a SET is_cook = true FROM graph_node n
WHERE a.id = n.account_id AND n.followed AND NOT a.is_cook
"""

_ADD_FOLLOWS = """
INSERT INTO social_follow (follower_id, followee_id)
SELECT follower.account_id, followee.account_id
FROM (SELECT DISTINCT follower, followee FROM graph_edge) edge
JOIN graph_node follower ON follower.number = edge.follower
JOIN graph_node followee ON followee.number = edge.followee
ORDER BY 2, 1
ON CONFLICT (follower_id, followee_id) DO NOTHING
"""


@dataclass(frozen=True, slots=True)
class GraphReport:
    accounts: int
    new_accounts: int
    follows: int
    new_follows: int
    duplicates: int
    most_followed: str
    most_followers: int


def load_graph(name: str, *, password: str) -> GraphReport:
    """Load the graph in the file `name`; adds only what is missing. UnreadableGraph, and nothing is loaded.

    `password` is the hash that every new account gets.
    """
    findings = Findings()
    with bulk_load():
        _run(_TEMPORARY)
        _copy_edges(read_edges(name, findings))
        findings.raise_if_unusable()
        accounts, new_accounts = _add_accounts(password)
        follows, new_follows = _add_follows()
        username, followers = _most_followed()
    return GraphReport(
        accounts, new_accounts, follows, new_follows, findings.edges - follows, username, followers
    )


def _copy_edges(edges: Iterable[Edge]) -> None:
    with connection.cursor() as cursor, cursor.copy("COPY graph_edge FROM STDIN") as copy:
        for edge in edges:
            copy.write_row(edge)


def _add_accounts(password: str) -> tuple[int, int]:
    """(accounts of the graph, new ones). Twice the same statement finds the old, then the new."""
    _run(_NODES)
    _run(_FIND_ACCOUNTS)
    with connection.cursor() as cursor:
        cursor.execute("SELECT number, followed FROM graph_node WHERE account_id IS NULL ORDER BY number")
        missing = cursor.fetchall()
    copy_rows(
        Account,
        ("username", "display_name", "password", "is_cook"),
        progress(_account_rows(missing, password), what="Accounts", total=len(missing)),
    )
    _run(_FIND_ACCOUNTS)
    _run(_MAKE_COOKS)
    return _count("graph_node"), len(missing)


def _account_rows(nodes: list[tuple[int, bool]], password: str) -> Iterator[tuple[str, str, str, bool]]:
    """Names depend on the number alone: the same file names the same people."""
    known: list[People] = list(peoples().values())
    for number, followed in nodes:
        random = Random(number)
        yield f"g{number}", random.choice(known).name(random), password, followed


def _add_follows() -> tuple[int, int]:
    """(different follows of the graph, new ones)."""
    with connection.cursor() as cursor:
        cursor.execute(_ADD_FOLLOWS)
        added = cursor.rowcount
    return _count("(SELECT DISTINCT follower, followee FROM graph_edge) edges"), added


def _most_followed() -> tuple[str, int]:
    """Of this graph, with all followers the account has by now."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT n.username, count(*) FROM graph_node n"
            " JOIN social_follow f ON f.followee_id = n.account_id"
            " WHERE n.followed GROUP BY n.username, n.number ORDER BY 2 DESC, n.number LIMIT 1"
        )
        username, followers = cursor.fetchone()
        return username, followers


def _count(table: str) -> int:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT count(*) FROM {table}")
        return int(cursor.fetchone()[0])


def _run(sql: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(sql)
