"""What staff do: hide and restore, suspend and restore, move the threshold."""

from tests.stateful.actions.accounts import switch
from tests.stateful.actions.table import action
from tests.stateful.play import Play, Told


@action(weight=3)
def hide(play: Play) -> Told:
    post_id = play.a_menu()
    if post_id is None:
        return Told("nothing to hide")
    answer = play.deed("hide_post", post_id=post_id)
    play.confirm(answer, "EXISTS (SELECT FROM posts_post WHERE id = %s AND hidden_at IS NOT NULL)", post_id)
    return Told(f"hide {post_id}", answer)


@action(weight=3)
def restore(play: Play) -> Told:
    rows = play.sql("SELECT id FROM posts_post WHERE hidden_at IS NOT NULL ORDER BY id")
    if not rows:
        return Told("nothing is hidden")
    post_id = play.dice.choice(rows)[0]
    answer = play.deed("restore_post", post_id=post_id)
    play.confirm(answer, "EXISTS (SELECT FROM posts_post WHERE id = %s AND hidden_at IS NULL)", post_id)
    return Told(f"restore {post_id}", answer)


@action(weight=2)
def suspend(play: Play) -> Told:
    return switch(play, play.a_viewer(), "suspend_account", by=play.people.stef)


@action(weight=4)
def lift_suspension(play: Play) -> Told:
    rows = play.sql("SELECT id FROM social_account WHERE inactive_because = 'suspended' ORDER BY id")
    if not rows:
        return Told("nobody is suspended")
    return switch(play, play.dice.choice(rows)[0], "restore_account")


@action(weight=4)
def move_threshold(play: Play) -> Told:
    threshold = play.dice.choice((1, 3, 5, 100, 100, 100, None))
    return Told(f"threshold {threshold}", play.deed("set_threshold", threshold=threshold))
