"""Cooks write; everybody likes."""

import time

from tests.stateful.actions.table import action
from tests.stateful.client import Answer
from tests.stateful.play import Play, Told

DISH = {"name": "Soup", "price": "4.50"}


@action(weight=14)
def publish(play: Play) -> Told:
    cook, text = play.a_cook(), f"menu of step {play.numbers}"
    dishes = [DISH] * play.dice.randrange(3)
    if play.headers.pop("clock", None):
        play.headers["X-Prove-Clock"] = str(int((time.time() - play.dice.choice((0.5, 4, 3600))) * 1000))
    answer = play.call(cook, "POST", "/posts", {"text": text, "dishes": dishes})
    if answer.good:
        play.confirm(
            answer,
            "EXISTS (SELECT FROM posts_post WHERE id = %s AND text = %s)",
            answer.body["post_id"],
            text,
        )
    return Told(f"{play.people.name(cook)} publishes {_id_in(answer)}", answer)


@action(weight=4)
def edit(play: Play) -> Told:
    post_id = play.a_menu()
    if post_id is None:
        return Told("nothing to edit")
    cook, text = play.doubts.now().menus[post_id].author_id, f"edited in step {play.numbers}"
    answer = play.call(cook, "PATCH", f"/posts/{post_id}", {"text": text})
    play.confirm(answer, "EXISTS (SELECT FROM posts_post WHERE id = %s AND text = %s)", post_id, text)
    return Told(f"{play.people.name(cook)} edits {post_id}", answer)


@action(weight=3)
def sell_out(play: Play) -> Told:
    rows = play.sql(
        "SELECT d.id, d.post_id, p.author_id FROM posts_dish d JOIN posts_post p ON p.id = d.post_id ORDER BY d.id"
    )
    if not rows:
        return Told("no dish")
    dish_id, post_id, cook = play.dice.choice(rows)
    sold_out = play.dice.random() < 0.7
    others = [
        i for (i,) in play.sql("SELECT id FROM posts_dish WHERE post_id = %s ORDER BY position", post_id)
    ]
    dishes = [{"id": i} | ({"sold_out": sold_out} if i == dish_id else {}) for i in others]
    answer = play.call(cook, "PATCH", f"/posts/{post_id}", {"dishes": dishes})
    play.confirm(answer, "EXISTS (SELECT FROM posts_dish WHERE id = %s AND sold_out = %s)", dish_id, sold_out)
    return Told(f"dish {dish_id} of {post_id} sold out: {sold_out}", answer)


@action(weight=4)
def delete(play: Play) -> Told:
    post_id = play.a_menu()
    if post_id is None:
        return Told("nothing to delete")
    cook = play.doubts.now().menus[post_id].author_id
    answer = play.call(cook, "DELETE", f"/posts/{post_id}")
    play.confirm(answer, "NOT EXISTS (SELECT FROM posts_post WHERE id = %s)", post_id)
    return Told(f"{play.people.name(cook)} deletes {post_id}", answer)


@action(weight=4)
def like(play: Play) -> Told:
    return _change_like(play, "PUT", "EXISTS")


@action(weight=2)
def unlike(play: Play) -> Told:
    return _change_like(play, "DELETE", "NOT EXISTS")


def _change_like(play: Play, method: str, now: str) -> Told:
    viewer = play.a_viewer()
    feed = play.doubts.now().feeds.get(viewer, ())
    post_id = play.dice.choice(feed[:10]) if feed and play.dice.random() < 0.8 else play.a_menu()
    if post_id is None:
        return Told("nothing to like")
    answer = play.call(viewer, method, f"/posts/{post_id}/like")
    play.reader.liked_at[post_id] = time.monotonic()
    play.confirm(
        answer, f"{now} (SELECT FROM posts_like WHERE account_id = %s AND post_id = %s)", viewer, post_id
    )
    return Told(f"{play.people.name(viewer)}: {method} like of {post_id}", answer)


def _id_in(answer: Answer) -> object:
    return answer.body["post_id"] if answer.good else ""
