"""How the apps' tables of calls become the document."""

import copy
import inspect
from functools import cache
from typing import Any

from drf_spectacular.drainage import warn
from drf_spectacular.extensions import OpenApiSerializerFieldExtension
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.plumbing import ResolvedComponent
from drf_spectacular.utils import Direction, OpenApiExample, OpenApiParameter, OpenApiResponse

import feeds.document
import posts.api.document
import social.api.document
from courtyard.schema.own_calls import OWN_CALLS
from courtyard.schema.refusals import PROBLEM, RATE_HEADERS, by_status, codes_of, name_of, response_of
from social.describing import ID, Call, Schema

BEARER: Schema = {"type": "http", "scheme": "bearer", "bearerFormat": "JWT"}
HEADERS: dict[str, Schema] = {
    "Link": {
        "description": 'The next page, as `<…>; rel="next"`; not at the end.',
        "schema": {"type": "string", "pattern": '^<[^>]+>; rel="next"$'},
    },
    "Retry-After": {
        "description": "In so many seconds one may try again.",
        "required": True,
        "schema": {"type": "integer", "minimum": 1},
    },
    "WWW-Authenticate": {
        "description": "How to sign in.",
        "required": True,
        "schema": {"type": "string", "pattern": "^Bearer"},
    },
    "RateLimit": {
        "description": "How the limits stand: what is left, and for how many seconds. Where limits are on.",
        "schema": {
            "type": "string",
            "pattern": '^"[a-z-]+";r=[0-9]+;t=[0-9]+(, "[a-z-]+";r=[0-9]+;t=[0-9]+)*$',
        },
    },
    "RateLimit-Policy": {
        "description": "The limits: so many calls in so many seconds. Where limits are on.",
        "schema": {
            "type": "string",
            "pattern": '^"[a-z-]+";q=[0-9]+;w=[0-9]+(, "[a-z-]+";q=[0-9]+;w=[0-9]+)*$',
        },
    },
    "Allow": {
        "description": "The methods that there are.",
        "required": True,
        "schema": {"type": "string", "pattern": "^[A-Z]+(, [A-Z]+)*$"},
    },
}


# By view and method.
CALLS: dict[tuple[type, str], Call] = {
    **social.api.document.CALLS,
    **posts.api.document.CALLS,
    **feeds.document.CALLS,
}


@cache
def get_document() -> Schema:
    """The whole, made once a process: it is the same for everybody."""
    document: Schema = SchemaGenerator().get_schema(request=None, public=True)
    return document


class FieldsThatKnow(OpenApiSerializerFieldExtension):
    """Fields that know their JSON Schema are taken at their word."""

    target_class = "rest_framework.fields.Field"
    match_subclasses = True
    priority = 1

    @classmethod
    def _matches(cls, target: Any) -> bool:
        return not inspect.isclass(target) and isinstance(getattr(target, "schema", None), dict)

    def map_serializer_field(self, auto_schema: AutoSchema, direction: str) -> Schema:
        return copy.deepcopy(self.target.schema)


class CallSchema(AutoSchema):
    """One call, as its app's table describes it."""

    call: Call

    def is_excluded(self) -> bool:
        found = CALLS.get((type(self.view), self.method)) or OWN_CALLS.get(self.path)
        if found is None:
            warn(f"{self.method} {self.path} is in no table of calls")
            return True
        self.call = found
        return False

    def get_operation_id(self) -> str:
        return self.call.name

    def get_summary(self) -> str:
        return self.call.summary

    def get_description(self) -> str:  # type: ignore[override]
        return self.call.meaning

    def get_tags(self) -> list[str]:
        return [self.call.tag]

    def get_auth(self) -> list[Schema]:
        if not self.call.signed_in:
            return []
        self.registry.register_on_missing(
            ResolvedComponent("bearer", ResolvedComponent.SECURITY_SCHEMA, schema=BEARER, object=CallSchema)
        )
        return [{"bearer": []}]

    def get_request_serializer(self) -> Any:
        return {self.call.media_type: self.call.takes} if self.call.takes else None

    def get_response_serializers(self) -> Any:
        answers = {}
        for answer in self.call.answers:
            examples = [] if answer.example is None else [OpenApiExample("Answer", answer.example)]
            key = (str(answer.status), *answer.media_types) if answer.body else str(answer.status)
            answers[key] = OpenApiResponse(answer.body, answer.meaning, examples)
        return answers

    def get_examples(self) -> list[OpenApiExample]:
        if self.call.example is None:
            return []
        return [
            OpenApiExample("Request", self.call.example, request_only=True, media_type=self.call.media_type)
        ]

    def get_override_parameters(self) -> list[Any]:
        return [
            OpenApiParameter(
                parameter.name,
                dict(parameter.schema),
                parameter.place,
                required=parameter.required,
                description=parameter.meaning,
                examples=[] if parameter.example is None else [OpenApiExample("Example", parameter.example)],
            )
            for parameter in self.call.parameters
        ]

    def _resolve_path_parameters(self, variables: list[str]) -> list[Schema]:
        return [{"in": "path", "name": name, "required": True, "schema": dict(ID)} for name in variables]

    def _get_format_parameters(self) -> list[Schema]:
        return []

    def _get_request_body(self, direction: Direction = "request") -> Schema | None:
        body: Schema | None = super()._get_request_body(direction)
        if body is None:
            return None
        body["required"] = not self.call.body_optional
        if self.call.takes_more:
            media = body["content"][self.call.media_type]
            media["schema"] = {"allOf": [media["schema"], copy.deepcopy(dict(self.call.takes_more))]}
        return body

    def _get_response_bodies(self, direction: Direction = "response") -> Schema:
        bodies: Schema = super()._get_response_bodies(direction)
        names = (*(["Link"] if self.call.is_page else []), *(RATE_HEADERS if self.call.limited else []))
        for body in bodies.values() if names else []:
            body["headers"] = {name: {"$ref": f"#/components/headers/{name}"} for name in names}
        for status, codes in by_status(codes_of(self.call, self.path)).items():
            bodies[str(status)] = {"$ref": f"#/components/responses/{name_of(codes)}"}
        return bodies


def merge_blanks(result: Schema, **_: Any) -> Schema:
    """A hook: fields that know whether they may be empty need no second alternative for it, which `""` would fit
    as well, and then neither."""
    return _without_blanks(result)


def _without_blanks(part: Any) -> Any:
    if isinstance(part, list):
        return [_without_blanks(item) for item in part]
    if not isinstance(part, dict):
        return part
    if len(part.get("oneOf", ())) == 2 and part["oneOf"][1] == {"type": "string", "maxLength": 0}:
        part = part["oneOf"][0] | {name: value for name, value in part.items() if name != "oneOf"}
    return {name: _without_blanks(value) for name, value in part.items()}


def add_shared_parts(result: Schema, **_: Any) -> Schema:
    """A hook: problems and headers, which calls refer to."""
    components = result["components"]
    components["headers"] = HEADERS
    components["schemas"]["Problem"] = PROBLEM
    components["responses"] = dict(sorted(_responses(result).items()))
    return result


def _responses(result: Schema) -> dict[str, Schema]:
    named = {}
    for call in (*CALLS.values(), *OWN_CALLS.values()):
        for path in ("/", "/{id}"):
            for codes in by_status(codes_of(call, path)).values():
                named[name_of(codes)] = response_of(codes)
    used = str(result["paths"])
    return {name: response for name, response in named.items() if f"responses/{name}'" in used}
