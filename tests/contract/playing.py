"""One run of schemathesis over the whole document."""

import traceback
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import schemathesis
from django.core.wsgi import get_wsgi_application
from schemathesis import Case, HookContext
from schemathesis.config import (
    SchemathesisConfig,
)
from schemathesis.engine import events, from_schema
from schemathesis.hooks import unregister_all

from courtyard.schema.document import get_document
from social.describing import Schema
from tests.contract.filling import fill, real_picture
from tests.contract.world import World

LARGEST = ["publish", "edit_post", "change_me", "sign_up", "find_accounts"]
OF_SOCKETS = ("max_redirects", "verify", "cert", "proxies")
SAFE = ("GET", "HEAD", "OPTIONS", "TRACE")


@dataclass
class Played:
    """`answers`: how often each call was answered with each status. `wrong`: what no check may find, in words."""

    answers: dict[str, Counter[int]] = field(default_factory=lambda: defaultdict(Counter))
    wrong: dict[str, str] = field(default_factory=dict)

    @property
    def requests(self) -> int:
        return sum(counted.total() for counted in self.answers.values())

    def lines(self) -> list[str]:
        """For people: what was asked, and what was wrong with how to ask it again."""
        counted = [
            f"{label}: {dict(sorted(answers.items()))}" for label, answers in sorted(self.answers.items())
        ]
        wrong = [f"\n{what}\n{how}" for what, how in self.wrong.items()]
        failed = [f"never answered with success: {label}" for label in self.never_succeeded()]
        return [*counted, f"{self.requests} requests, {len(self.wrong)} wrong", *failed, *wrong]

    def never_succeeded(self) -> list[str]:
        return sorted(
            label
            for label, counted in self.answers.items()
            if not any(200 <= status < 300 for status in counted)
        )


def play(
    world: World,
    *,
    examples: int,
    seed: int,
    signed_in: bool = True,
    bounds: bool = True,
    every_bound: bool = False,
    document: Schema | None = None,
    say: Callable[[str], None] = lambda _: None,
) -> Played:
    """All calls with all checks: the document's examples, each bound from both sides, and `examples` drawn ones.

    `every_bound`: those of the largest bodies too, with all currencies and time zones one by one.
    """
    config = _config(examples, seed, bounds=bounds, every_bound=every_bound)
    schema = schemathesis.openapi.from_dict(document or get_document(), config=config)
    schema.app = get_wsgi_application()
    played = Played()
    schemathesis.hook(_before_call(world))
    schemathesis.hook(_after_call(world))
    if signed_in:
        schema.auth(refresh_interval=None)(_token_of(world))
    try:
        with _sending(schema.transport):
            for event in from_schema(schema).execute():
                _note(played, event)
                if isinstance(event, events.ScenarioFinished):
                    say(f"{event.phase.value}: {event.label}")
    finally:
        unregister_all()
    return played


@contextmanager
def _sending(transport: Any) -> Iterator[None]:
    """Requests without a token come with settings of sockets, which the transport in this process chokes on; and
    uploads without a picture."""
    send = transport.send

    def send_what_it_knows(case: Case, **settings: Any) -> Any:
        known = {name: value for name, value in settings.items() if name not in OF_SOCKETS}
        with real_picture(case):
            return send(case, **known)

    transport.send = send_what_it_knows
    try:
        yield
    finally:
        del transport.send


def _config(examples: int, seed: int, *, bounds: bool, every_bound: bool) -> SchemathesisConfig:
    generation = {"max-examples": examples, "deterministic": True, "no-shrink": True, "database": "none"}
    config: dict[str, Any] = {"seed": seed, "generation": generation, "continue-on-failure": True}
    config["headers"] = {"Accept-Encoding": "identity"}  # within a process nobody unpacks what is compressed
    config["suppress-health-check"] = ["all"]  # a busy machine is no finding
    config["phases"] = {"coverage": {"enabled": bounds}}
    if not every_bound:
        config["operations"] = [{"include-operation-id": LARGEST, "phases": {"coverage": {"enabled": False}}}]
    return SchemathesisConfig.from_dict(config)


def _token_of(world: World) -> type:
    class Token:
        def get(self, case: Case, context: Any) -> str:
            return world.token()

        def set(self, case: Case, data: str, context: Any) -> None:
            case.headers["Authorization"] = f"Bearer {data}"

    return Token


def _before_call(world: World) -> Callable[..., None]:
    def before_call(context: HookContext, case: Case, kwargs: dict[str, Any]) -> None:
        world.restore()
        fill(world, case)

    return before_call


def _after_call(world: World) -> Callable[..., None]:
    def after_call(context: HookContext, case: Case, response: Any) -> None:
        if case.method.upper() not in SAFE and response.status_code < 400:
            world.changed = True

    return after_call


def _note(played: Played, event: Any) -> None:
    if isinstance(event, events.FatalError):
        raise event.exception
    if isinstance(event, events.NonFatalError):
        played.wrong[f"{event.label}: {event.value!r}"] = "".join(traceback.format_exception(event.value))
    if not isinstance(event, events.ScenarioFinished):
        return
    recorder = event.recorder
    for case_id, interaction in recorder.interactions.items():
        if interaction.response is not None:
            case = recorder.cases[case_id].value
            played.answers[case.operation.label][interaction.response.status_code] += 1
    for checks in recorder.checks.values():
        for check in checks:
            if check.failure_info is not None:
                failure = check.failure_info.failure
                key = f"{failure.operation} {failure.title}: {failure.message}"[:600]
                played.wrong[key] = check.failure_info.code_sample
