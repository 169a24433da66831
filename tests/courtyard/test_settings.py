"""Settings that make no sense are refused, and each is described."""

import re
from pathlib import Path
from typing import Any

import pytest
from django.core.checks import run_checks
from django.core.exceptions import ImproperlyConfigured

from courtyard.environment import BROKER_SCHEMES, REDIS_SCHEMES, Environment
from courtyard.storages import photo_storages
from feeds.checks import LEAST, check_settings

CHECKOUT = Path(__file__).resolve().parent.parent.parent
DESCRIBED = CHECKOUT / "docs" / "settings.md"


def names_in_settings() -> set[str]:
    source = (CHECKOUT / "courtyard" / "settings.py").read_text()
    return set(re.findall(r"env(?:\.\w+)?\(\s*\"([A-Z_]+)\"", source))


def test_the_names_are_found() -> None:
    assert {"FEED_LENGTH", "DATABASE_URL", "SECRET_KEY", "REDIS_TIMEOUT"} <= names_in_settings()


@pytest.mark.skipif(not DESCRIBED.exists(), reason="docs/settings.md is not written yet")
@pytest.mark.parametrize("name", sorted(names_in_settings()))
def test_every_setting_is_described(name: str) -> None:
    assert f"`{name}`" in DESCRIBED.read_text()


def test_the_defaults_make_sense() -> None:
    assert check_settings(None) == []
    assert run_checks() == []


@pytest.mark.parametrize("name", LEAST)
def test_too_little_is_refused(settings: Any, name: str) -> None:
    setattr(settings, name, LEAST[name][0] - 0.001)
    assert any(error.msg.startswith(f"{name} is ") for error in check_settings(None))


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("FEED_OVERLAY_SECONDS", 2, "FEED_OVERLAY_SECONDS must be greater than FEED_LOCAL_CACHE_SECONDS"),
        ("FEED_LOCAL_CACHE_SECONDS", 2.5, "FEED_LOCAL_CACHE_SECONDS must be at most 2"),
        ("CELERY_VISIBILITY_TIMEOUT", 2, "CELERY_VISIBILITY_TIMEOUT must be greater than FANOUT_HANDOVER"),
    ],
)
def test_what_does_not_fit_together_is_refused(settings: Any, name: str, value: float, message: str) -> None:
    setattr(settings, name, value)
    assert any(error.msg.startswith(message) for error in check_settings(None))


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("FANOUT_THRESHOLD", "abc", "FANOUT_THRESHOLD is 'abc', which is not a whole number"),
        ("DATABASE_POOL_SIZE", "0", "DATABASE_POOL_SIZE is 0, and the least is 1"),
        ("FEED_LENGTH", "", "FEED_LENGTH is '', which is not a whole number"),
        ("REDIS_TIMEOUT", "nan", "REDIS_TIMEOUT is 'nan', which is not a number"),
        ("HTTPS_ONLY", "maybe", "HTTPS_ONLY is 'maybe', which is neither on nor off"),
        ("LOG_LEVEL", "LOUD", "LOG_LEVEL is 'LOUD', which is none of DEBUG, INFO, WARNING, ERROR, CRITICAL"),
        ("TIME_ZONE", "Mars", "TIME_ZONE is 'Mars', which is not a time zone, such as Europe/Lisbon"),
        ("DATABASE_URL", "foo", "DATABASE_URL does not begin with postgresql://, postgres://, pgsql://"),
        ("DATABASE_URL", "postgresql://cook:secret@host", "DATABASE_URL is not of the form postgresql://"),
        ("FEED_REDIS_URL", "localhost:6379", "FEED_REDIS_URL does not begin with redis://"),
        ("CELERY_BROKER_URL", "amqp://localhost", "CELERY_BROKER_URL does not begin with redis://"),
        ("LIMIT_WRITES", "many", "LIMIT_WRITES is 'many', which is not of the form 120/60"),
        ("LIMIT_WRITES", "120", "LIMIT_WRITES is '120', which is not of the form 120/60"),
        ("LIMIT_WRITES", "0/60", "LIMIT_WRITES is '0/60', which is not of the form 120/60"),
        ("ADMIN_PATH", "a b", "ADMIN_PATH is 'a b', which is not of letters, digits, dashes and underscores"),
        ("ADMIN_PATH", "/", "ADMIN_PATH is '/', which is not of letters"),
        ("EMAIL_URL", "mail.example.org", "EMAIL_URL is not of the form smtp+tls://user:password@host:587"),
        ("EMAIL_URL", "smtp://:secret@", "EMAIL_URL is not of the form smtp+tls://"),
        ("EMAIL_URL", "smtp://cook:secret@host:port", "EMAIL_URL is not of the form smtp+tls://"),
        ("MEDIA_URL", "media/", "MEDIA_URL is 'media/', which is neither a path like /media/ nor an address"),
        (
            "MEDIA_URL",
            "https://media.example.org",
            "MEDIA_URL is 'https://media.example.org', which is neither",
        ),
        ("MEDIA_URL", "//media.example.org/", "MEDIA_URL is '//media.example.org/', which is neither"),
        ("ALLOWED_HOSTS", "https://a.example", "ALLOWED_HOSTS has 'https://a.example', which is not a name"),
        ("ALLOWED_HOSTS", "a.example,b.example:80", "ALLOWED_HOSTS has 'b.example:80', which is not a name"),
        ("ALLOWED_HOSTS", "a.example b.example", "ALLOWED_HOSTS has 'a.example b.example', which is not"),
        ("CSRF_TRUSTED_ORIGINS", "a.example", "CSRF_TRUSTED_ORIGINS has 'a.example', which is not an origin"),
        (
            "CSRF_TRUSTED_ORIGINS",
            "https://a.example/",
            "CSRF_TRUSTED_ORIGINS has 'https://a.example/', which",
        ),
    ],
)
def test_nonsense_is_told_in_one_line(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, message: str
) -> None:
    monkeypatch.setenv(name, value)
    env = Environment()
    readers = {
        "REDIS_TIMEOUT": lambda: env.float(name, default=1),
        "HTTPS_ONLY": lambda: env.bool(name, default=False),
        "LOG_LEVEL": lambda: env.log_level(name, default="WARNING"),
        "TIME_ZONE": lambda: env.time_zone(name, default="UTC"),
        "DATABASE_URL": lambda: env.database(name),
        "FEED_REDIS_URL": lambda: env.url(name, REDIS_SCHEMES),
        "CELERY_BROKER_URL": lambda: env.url(name, BROKER_SCHEMES),
        "LIMIT_WRITES": lambda: env.rate(name, default="120/60"),
        "ADMIN_PATH": lambda: env.address_part(name, default="admin"),
        "EMAIL_URL": lambda: env.mail(name, folder=Path("mail")),
        "MEDIA_URL": lambda: env.media_url(name, default="/media/"),
        "ALLOWED_HOSTS": lambda: env.hosts(name, default=[]),
        "CSRF_TRUSTED_ORIGINS": lambda: env.origins(name),
    }
    with pytest.raises(ImproperlyConfigured) as told:
        readers.get(name, lambda: env.int(name, default=1, least=1))()
    assert str(told.value).startswith(message)
    assert "secret" not in str(told.value)
    assert "\n" not in str(told.value)


def test_words_for_on_and_off_and_levels_in_small_letters(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEBUG", "True")
    monkeypatch.setenv("HTTPS_ONLY", "off")
    monkeypatch.setenv("LOG_LEVEL", "info")
    env = Environment()
    assert env.bool("DEBUG") is True
    assert env.bool("HTTPS_ONLY") is False
    assert env.log_level("LOG_LEVEL", default="WARNING") == "INFO"


@pytest.mark.parametrize(
    ("key", "wrong"),
    [
        ("", "is not set"),
        (" \n", "is not set"),
        ("…", "can be guessed"),
        ("x" * 60, "can be guessed"),
        ("0123456789" * 4 + "012345678", "can be guessed"),
        ("django-insecure-" + "0123456789" * 5, "is one of an example"),
        ("only-for-" + "0123456789" * 5, "is one of an example"),
    ],
)
def test_keys_that_others_know_or_guess(monkeypatch: pytest.MonkeyPatch, key: str, wrong: str) -> None:
    monkeypatch.setenv("SECRET_KEY", key)
    with pytest.raises(ImproperlyConfigured) as told:
        Environment().secret_key("SECRET_KEY", strict=True)
    assert str(told.value).startswith(f"SECRET_KEY {wrong}")
    assert not key.strip() or key not in str(told.value)
    if key.strip():
        assert Environment().secret_key("SECRET_KEY", strict=False) == key


@pytest.mark.parametrize("key", ["0123456789" * 5, "$" + "0123456789" * 5])
def test_keys_that_generators_draw(monkeypatch: pytest.MonkeyPatch, key: str) -> None:
    monkeypatch.setenv("SECRET_KEY", key)
    assert Environment().secret_key("SECRET_KEY", strict=True) == key


@pytest.mark.parametrize(
    ("given", "hosts"),
    [
        ("", ["localhost"]),
        (" , ", ["localhost"]),
        ("a.example, [::1],127.0.0.1,", ["a.example", "[::1]", "127.0.0.1"]),
        (".example.org,*", [".example.org", "*"]),
    ],
)
def test_names_of_the_site(monkeypatch: pytest.MonkeyPatch, given: str, hosts: list[str]) -> None:
    monkeypatch.setenv("ALLOWED_HOSTS", given)
    assert Environment().hosts("ALLOWED_HOSTS", default=["localhost"]) == hosts


def test_origins_of_forms(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(
        "CSRF_TRUSTED_ORIGINS", "https://a.example:8443, http://[::1]:80,https://*.example.org"
    )
    found = Environment().origins("CSRF_TRUSTED_ORIGINS")
    assert found == ["https://a.example:8443", "http://[::1]:80", "https://*.example.org"]


@pytest.mark.parametrize(
    ("url", "media_url", "message"),
    [
        ("s3://", "https://media.example.org/", "is not of the form s3://BUCKET"),
        ("s3://menus/photos", "https://media.example.org/", "is not of the form s3://BUCKET"),
        ("gs://menus", "https://media.example.org/", "is not of the form s3://BUCKET"),
        ("s3://menus?secret_key=hush", "https://media.example.org/", "is not of the form s3://BUCKET"),
        ("s3://menus", "/media/", "needs MEDIA_URL"),
    ],
)
def test_a_bucket_that_photos_cannot_be_read_from_is_refused(url: str, media_url: str, message: str) -> None:
    with pytest.raises(ImproperlyConfigured) as told:
        photo_storages(url, media_url, Path("media"), Path("uploads"))
    assert message in str(told.value)
    assert "hush" not in str(told.value)


def test_a_bucket_keeps_originals_apart_from_what_everybody_may_see() -> None:
    made = photo_storages("s3://menus?region=eu-1", "https://media.example.org/", Path("m"), Path("u"))
    options = {name: storage["OPTIONS"] for name, storage in made.items()}
    assert {name: given["location"] for name, given in options.items()} == {
        "default": "media",
        "uploads": "uploads",
    }
    assert {given["bucket_name"] for given in options.values()} == {"menus"}


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        (
            "",
            {
                "EMAIL_BACKEND": "django.core.mail.backends.filebased.EmailBackend",
                "EMAIL_FILE_PATH": Path("mail"),
            },
        ),
        ("smtp://host", {"EMAIL_HOST": "host", "EMAIL_PORT": 25}),
        (
            "smtp+tls://cook:p%40ss@host",
            {
                "EMAIL_HOST_USER": "cook",
                "EMAIL_HOST_PASSWORD": "p@ss",
                "EMAIL_PORT": 587,
                "EMAIL_USE_TLS": True,
            },
        ),
        ("smtp+ssl://host:4650", {"EMAIL_PORT": 4650, "EMAIL_USE_SSL": True}),
        ("consolemail://", {"EMAIL_BACKEND": "django.core.mail.backends.console.EmailBackend"}),
        ("filemail:////a%20b/mail", {"EMAIL_FILE_PATH": "/a b/mail"}),
    ],
)
def test_where_mail_goes(monkeypatch: pytest.MonkeyPatch, url: str, expected: dict[str, Any]) -> None:
    monkeypatch.setenv("EMAIL_URL", url)
    found = Environment().mail("EMAIL_URL", folder=Path("mail"))
    assert {name: found.get(name) for name in expected} == expected
