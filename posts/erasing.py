"""What of menus goes with an account that is erased, in steps of bounded size (social/erasing.py)."""

from django.db import connection

from posts.models import Post
from posts.services import unannounced
from social.erasing import Step, rows_of

MENUS_AT_ONCE = 50

erase_likes_given = rows_of("posts_like", "account_id")


def _received(table: str) -> Step:
    """A step that deletes the rows of `table` at the account's menus, of which one menu may have very many."""

    def erase(account_id: int, limit: int) -> int:
        with unannounced(), connection.cursor() as cursor:
            cursor.execute(
                f"DELETE FROM {table} WHERE id = ANY(ARRAY(SELECT r.id FROM {table} r JOIN posts_post p"
                " ON p.id = r.post_id WHERE p.author_id = %s LIMIT %s FOR UPDATE OF r SKIP LOCKED))",
                [account_id, limit],
            )
            return cursor.rowcount

    return erase


erase_likes_received = _received("posts_like")

erase_openings_made = rows_of("posts_opening", "account_id")

erase_openings_received = _received("posts_opening")

erase_reports_made = rows_of("posts_report", "account_id")

erase_reports_received = _received("posts_report")


def erase_menus(account_id: int, limit: int) -> int:
    """Menus with all that hangs on them, through the model, which knows what that is."""
    menus = Post.objects.filter(author_id=account_id)[: min(limit, MENUS_AT_ONCE)]
    ids = list(menus.values_list("pk", flat=True))
    if ids:
        Post.objects.filter(pk__in=ids).delete()
    return len(ids)


erase_keys = rows_of("posts_idempotencykey", "account_id")

erase_photos = rows_of("posts_photo", "owner_id")  # unused ones and avatars; a trigger lists their files

STEPS = (
    erase_likes_given,
    erase_likes_received,
    erase_openings_made,
    erase_openings_received,
    erase_reports_made,
    erase_reports_received,
    erase_menus,
    erase_photos,
    erase_keys,
)
