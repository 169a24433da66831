"""The calls that give the document itself, described like those of the apps; by path, all GET."""

from drf_spectacular.renderers import (
    OpenApiJsonRenderer,
    OpenApiJsonRenderer2,
    OpenApiYamlRenderer,
    OpenApiYamlRenderer2,
)

from social.describing import Answer, Call, Parameter

RENDERERS = (OpenApiJsonRenderer2, OpenApiJsonRenderer, OpenApiYamlRenderer2, OpenApiYamlRenderer)
TYPES = tuple(renderer.media_type for renderer in RENDERERS)
FORMAT = Parameter("format", {"type": "string", "enum": ["json", "yaml"]}, "Stronger than `Accept`.")
OWN_CALLS = {
    "/api/schema": Call(
        "get_schema",
        "This document",
        "This document for programs",
        "OpenAPI 3.1, as JSON or YAML. The same for everybody, with an ETag.",
        answers=(
            Answer(200, {"type": "object"}, "The document.", media_types=TYPES),
            Answer(304, meaning="The one that `If-None-Match` names is the newest."),
        ),
        parameters=(FORMAT,),
        signed_in=False,
        stored=False,
    ),
    "/api/docs": Call(
        "get_docs",
        "This document",
        "This document for people",
        answers=(Answer(200, {"type": "string"}, "A page.", media_types=("text/html",)),),
        signed_in=False,
        stored=False,
    ),
}
