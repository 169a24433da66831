"""Raw SQL: nobody announces it, so a read may show either state for a second."""

from tests.stateful.actions.table import action
from tests.stateful.play import Play, Told


@action(weight=2)
def insert_menu(play: Play) -> Told:
    cook = play.a_cook()
    [[post_id]] = play.sql(
        "INSERT INTO posts_post (author_id, text) VALUES (%s, 'by hand') RETURNING id", cook
    )
    return Told(f"{play.people.name(cook)}'s {post_id} by hand", past=True)


@action(weight=1)
def insert_many_menus(play: Play) -> Told:
    """More than a stored list holds, in one statement."""
    cook = play.a_cook()
    rows = play.sql(
        "INSERT INTO posts_post (author_id, text) SELECT %s, 'one of many' FROM generate_series(1, 15) RETURNING id",
        cook,
    )
    return Told(f"{play.people.name(cook)}'s {rows[0][0]} to {rows[-1][0]} by hand", past=True)


@action(weight=1)
def change_menu(play: Play) -> Told:
    post_id = play.a_menu()
    play.sql("UPDATE posts_post SET text = %s WHERE id = %s", f"by hand in step {play.numbers}", post_id)
    return Told(f"{post_id} edited by hand", past=True)


@action(weight=1)
def remove_menu(play: Play) -> Told:
    post_id = play.a_menu()
    for table in ("posts_dish", "posts_photo", "posts_like"):
        play.sql(f"DELETE FROM {table} WHERE post_id = %s", post_id)
    play.sql("DELETE FROM posts_post WHERE id = %s", post_id)
    return Told(f"{post_id} deleted by hand", past=True)


@action(weight=2)
def insert_follow(play: Play) -> Told:
    viewer = play.a_viewer()
    cook = play.a_cook(but=viewer)
    play.sql(
        "INSERT INTO social_follow (follower_id, followee_id) SELECT %s, %s WHERE NOT EXISTS ("
        "SELECT FROM social_block WHERE (blocker_id, blocked_id) IN ((%s, %s), (%s, %s))) ON CONFLICT DO NOTHING",
        *(viewer, cook, viewer, cook, cook, viewer),
    )
    return Told(f"{play.people.name(viewer)} follows {play.people.name(cook)} by hand", past=True)


@action(weight=1)
def remove_follow(play: Play) -> Told:
    rows = play.sql("SELECT id, follower_id, followee_id FROM social_follow ORDER BY id")
    if not rows:
        return Told("no follow")
    follow_id, viewer, cook = play.dice.choice(rows)
    play.sql("DELETE FROM social_follow WHERE id = %s", follow_id)
    return Told(f"{play.people.name(viewer)} unfollows {play.people.name(cook)} by hand", past=True)


@action(weight=1)
def insert_mute(play: Play) -> Told:
    rows = play.sql("SELECT follower_id, followee_id FROM social_follow ORDER BY id")
    if not rows:
        return Told("no follow")
    viewer, cook = play.dice.choice(rows)
    play.sql(
        "INSERT INTO social_mute (muter_id, muted_id, expires_at)"
        " VALUES (%s, %s, clock_timestamp() + interval '2 seconds') ON CONFLICT DO NOTHING",
        *(viewer, cook),
    )
    return Told(f"{play.people.name(viewer)} mutes {play.people.name(cook)} by hand", past=True)
