"""Where photos lie: in two folders, or in a bucket that speaks S3."""

from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from django.core.exceptions import ImproperlyConfigured

FOR_EVER = "public, max-age=31536000, immutable"  # names are given once
_FORM = "s3://BUCKET?endpoint=https://HOST&region=REGION, where endpoint and region may be left out"


def photo_storages(url: str, media_url: str, public: Path, uploads: Path) -> dict[str, dict[str, Any]]:
    """`default` holds what everybody may see, `uploads` originals until they are processed. ImproperlyConfigured.

    An empty `url` means the two folders; keys of a bucket come from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.
    """
    if not url:
        private = {"file_permissions_mode": 0o600, "directory_permissions_mode": 0o700}
        return {"default": _folder(public), "uploads": _folder(uploads, **private)}
    found = urlsplit(url)
    options = dict(parse_qsl(found.query))
    right = found.scheme == "s3" and found.netloc and not found.path.strip("/")
    if not right or not options.keys() <= {"endpoint", "region"}:
        raise ImproperlyConfigured(f"MEDIA_STORAGE_URL is not of the form {_FORM}")
    if media_url.startswith("/"):
        raise ImproperlyConfigured(
            "MEDIA_STORAGE_URL needs MEDIA_URL, the address at which the bucket is read"
        )
    from botocore.config import Config  # takes long to import, and only buckets need it

    bucket = {
        "bucket_name": found.netloc,
        "endpoint_url": options.get("endpoint"),
        "region_name": options.get("region"),
        "client_config": Config(
            connect_timeout=2, read_timeout=10, retries={"total_max_attempts": 2, "mode": "standard"}
        ),
    }
    return {
        "default": _bucket(bucket, location="media", object_parameters={"CacheControl": FOR_EVER}),
        "uploads": _bucket(bucket, location="uploads"),
    }


def _folder(place: Path, **options: Any) -> dict[str, Any]:
    return {
        "BACKEND": "django.core.files.storage.FileSystemStorage",
        "OPTIONS": {"location": str(place), **options},
    }


def _bucket(bucket: dict[str, Any], **options: Any) -> dict[str, Any]:
    return {"BACKEND": "storages.backends.s3.S3Storage", "OPTIONS": bucket | options}
