"""What people do to their own accounts."""

from tests.stateful.actions.table import action
from tests.stateful.play import Play, Told


@action(weight=3)
def go_private(play: Play) -> Told:
    return _privacy(play, is_private=True)


@action(weight=3)
def go_public(play: Play) -> Told:
    return _privacy(play, is_private=False)


def _privacy(play: Play, *, is_private: bool) -> Told:
    rows = play.sql(
        "SELECT id FROM social_account WHERE is_cook AND is_active AND is_private <> %s", is_private
    )
    cook = play.dice.choice(rows)[0] if rows else play.a_cook()
    answer = play.call(cook, "PATCH", "/me", {"is_private": is_private})
    play.confirm(
        answer, "EXISTS (SELECT FROM social_account WHERE id = %s AND is_private = %s)", cook, is_private
    )
    if not is_private:
        play.confirm(answer, "NOT EXISTS (SELECT FROM social_followrequest WHERE followee_id = %s)", cook)
    return Told(f"{play.people.name(cook)} private: {is_private}", answer)


@action(weight=3)
def rename(play: Play) -> Told:
    account, name = play.a_cook(), f"Name {play.numbers}"
    answer = play.call(account, "PATCH", "/me", {"display_name": name})
    play.confirm(
        answer, "EXISTS (SELECT FROM social_account WHERE id = %s AND display_name = %s)", account, name
    )
    return Told(f"{play.people.name(account)} is now {name}", answer)


@action(weight=2)
def deactivate(play: Play) -> Told:
    return switch(play, play.a_viewer(), "deactivate_account")


@action(weight=4)
def reactivate(play: Play) -> Told:
    rows = play.sql("SELECT id FROM social_account WHERE inactive_because = 'deactivated' ORDER BY id")
    if not rows:
        return Told("nobody is deactivated")
    return switch(play, play.dice.choice(rows)[0], "reactivate_account")


def switch(play: Play, account_id: int, service: str, **more: int) -> Told:
    answer = play.deed(service, account_id=account_id, **more)
    play.people.forget_token(account_id)
    return Told(f"{service} {play.people.name(account_id)}", answer)
