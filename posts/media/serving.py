"""The folder of public photos over HTTP, for installations without a media host of their own."""

from django.conf import settings
from django.core.files.storage import FileSystemStorage, storages
from django.http import FileResponse, Http404, HttpRequest, HttpResponseBase
from django.urls import URLPattern, path
from django.views.decorators.http import require_safe

from posts.media.files import PUBLIC
from posts.media.names import is_public_name

FOR_EVER = "public, max-age=31536000, immutable"


@require_safe
def photo_file(request: HttpRequest, name: str) -> HttpResponseBase:
    """One size of a photo. Only names that photos have lead into the folder."""
    if not is_public_name(name):
        raise Http404
    try:
        file = storages[PUBLIC].open(name)
    except FileNotFoundError:
        raise Http404 from None
    headers = {"Cache-Control": FOR_EVER, "X-Content-Type-Options": "nosniff"}
    return FileResponse(file, content_type="image/webp", headers=headers)


def urls_of_media() -> list[URLPattern]:
    """The address of the folder, where MEDIA_URL is a path of this site and photos are in a folder."""
    local = isinstance(storages[PUBLIC], FileSystemStorage)
    if not local or not settings.MEDIA_URL.startswith("/"):
        return []
    return [path(f"{settings.MEDIA_URL[1:]}<path:name>", photo_file, name="photo-file")]
