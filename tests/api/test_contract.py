"""The API keeps to its document, whatever is asked. `bin/prove --api` asks more."""

from courtyard.schema.document import get_document
from tests.api.conforming import operations
from tests.contract.playing import play
from tests.contract.world import make_world


def test_all_calls_signed_in_with_all_checks(stores: None) -> None:
    played = play(make_world(), examples=2, seed=1)
    assert played.wrong == {}, "\n".join(played.lines())
    assert len(played.answers) == len(operations())
    assert played.never_succeeded() == []


def test_all_calls_signed_out(stores: None) -> None:
    played = play(make_world(), examples=1, seed=2, signed_in=False, bounds=False)
    assert played.wrong == {}, "\n".join(played.lines())
    open_calls = {
        f"{method} {path}"
        for (method, path), operation in operations().items()
        if "security" not in operation
    }
    for label, answers in played.answers.items():
        assert label in open_calls or set(answers) <= {401, 404}, f"{label}: {answers}"


def test_a_call_that_answers_otherwise_is_noticed(stores: None) -> None:
    """The run itself: of a document that promises something else it finds it wrong."""
    document = get_document()
    path = document["paths"]["/api/v1/me"]
    lie = document | {
        "paths": {"/api/v1/me": {"get": path["get"] | {"responses": {"204": {"description": ""}}}}}
    }
    played = play(make_world(), examples=1, seed=1, bounds=False, document=lie)
    assert any("status code" in what for what in played.wrong), "\n".join(played.lines())
