"""Every setting of Courtyard, from the environment (docs/settings.md describes each; a test says so).

`bin/run` and `bin/manage` fill in the URLs of embedded services where none is given.
"""

from datetime import timedelta
from pathlib import Path
from typing import Any

import drf_spectacular_sidecar

from courtyard.environment import BROKER_SCHEMES, REDIS_SCHEMES, Environment
from courtyard.schema.introduction import INTRODUCTION, TAGS
from courtyard.storages import photo_storages

BASE_DIR = Path(__file__).resolve().parent.parent
env = Environment()

# --- Secrets and hosts ------------------------------------------------------------------------------------
DEBUG = env.bool("DEBUG", default=False)
HTTPS_ONLY = env.bool("HTTPS_ONLY", default=False)  # on in every real deployment
SECRET_KEY = env.secret_key("SECRET_KEY", strict=HTTPS_ONLY)
ALLOWED_HOSTS = env.hosts("ALLOWED_HOSTS", default=["localhost", "127.0.0.1", "[::1]"])
CSRF_TRUSTED_ORIGINS = env.origins("CSRF_TRUSTED_ORIGINS")

# --- The feed's tuning knobs, together. Durations in seconds. ---------------------------------------------
FEED_LENGTH = env.int("FEED_LENGTH", default=500)  # ids kept in a stored list after a trim
FEED_INACTIVE_AFTER = env.int("FEED_INACTIVE_AFTER", default=14 * 86400)  # no feed for who is away longer
FEED_OVERLAY_SECONDS = env.float("FEED_OVERLAY_SECONDS", default=5)  # a finished change stays listed
FEED_LOCAL_CACHE_SECONDS = env.float("FEED_LOCAL_CACHE_SECONDS", default=2)  # greatest age in process memory
FEED_LOCAL_CACHE_ENTRIES = env.int("FEED_LOCAL_CACHE_ENTRIES", default=20_000)  # per process and kind
FEED_BUILDS = env.int("FEED_BUILDS", default=4)  # reads of a process that may ask PostgreSQL at once
FEED_BUILD_WAIT_SECONDS = env.float("FEED_BUILD_WAIT_SECONDS", default=2)  # for a turn; then a degraded page
FEED_RANKER = env.str("FEED_RANKER", default="feeds.ranking.rankers.WeightedRanker")
FEED_RANK_SOURCES = env.list("FEED_RANK_SOURCES", default=["feeds.ranking.candidates.Followed"])
FEED_RANK_CANDIDATES = env.int("FEED_RANK_CANDIDATES", default=300)  # of each source: the newest
FEED_RANK_WINDOW = env.float("FEED_RANK_WINDOW", default=3 * 86400)  # seconds back
FEED_SNAPSHOT_TTL = env.float(
    "FEED_SNAPSHOT_TTL", default=900
)  # seconds for which a ranked list is paged through
FANOUT_THRESHOLD = env.int("FANOUT_THRESHOLD", default=10_000)  # followers; until staff set another
FANOUT_BATCH_SIZE = env.int("FANOUT_BATCH_SIZE", default=1000)  # followers pushed to between checkpoints
FANOUT_HANDOVER_SECONDS = env.float("FANOUT_HANDOVER_SECONDS", default=2)  # then a job yields its worker
OUTBOX_RELAY_SECONDS = env.float("OUTBOX_RELAY_SECONDS", default=3)  # age at which the relay takes a row
OUTBOX_KEEP_SECONDS = env.int("OUTBOX_KEEP_SECONDS", default=86400)  # done rows are pruned after
CELERY_VISIBILITY_TIMEOUT = env.int("CELERY_VISIBILITY_TIMEOUT", default=60)  # > the longest task

# --- Stores -----------------------------------------------------------------------------------------------
DATABASES: dict[str, dict[str, Any]] = {"default": env.database("DATABASE_URL")}
DATABASES["default"] |= {
    "ENGINE": "courtyard.database",
    "CONN_HEALTH_CHECKS": True,  # after a restart of the server each pooled connection would fail once
}
DATABASES["default"].setdefault("OPTIONS", {})
DATABASES["default"]["OPTIONS"] |= {
    "pool": {
        "min_size": 0,
        "max_size": env.int("DATABASE_POOL_SIZE", default=16, least=1),
        "timeout": 1,  # for a connection; who waits in vain finds out whether the server is away
        "reconnect_timeout": 2,  # else the pool looks ever more rarely, and finds a server minutes after its return
    },
    "connect_timeout": 2,
}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# Redis URLs stay as they are given: environ's cache_url refuses unix://.
FEED_REDIS_URL = env.url("FEED_REDIS_URL", REDIS_SCHEMES)
CELERY_BROKER_URL = env.url("CELERY_BROKER_URL", BROKER_SCHEMES)
REDIS_TIMEOUT = env.float("REDIS_TIMEOUT", default=0.2)

CACHES: dict[str, dict[str, Any]] = {
    "default": {
        "BACKEND": "django_redis.cache.RedisCache",
        "LOCATION": FEED_REDIS_URL,
        "KEY_PREFIX": "cy",
        "TIMEOUT": 86400,
        "OPTIONS": {
            "IGNORE_EXCEPTIONS": True,  # the cache may be away; nothing may depend on it
            "SOCKET_CONNECT_TIMEOUT": REDIS_TIMEOUT,
            "SOCKET_TIMEOUT": REDIS_TIMEOUT,
            "CONNECTION_POOL_KWARGS": {"retry": None},
        },
    }
}
# Counters of limits. Whoever counts has to know that Redis is away, and counts in the process instead.
CACHES["limits"] = CACHES["default"] | {
    "KEY_PREFIX": "cy:limit",
    "OPTIONS": CACHES["default"]["OPTIONS"] | {"IGNORE_EXCEPTIONS": False},
}
SESSION_ENGINE = "social.session_store"
SESSION_COOKIE_AGE = 30 * 86400

# --- Applications -----------------------------------------------------------------------------------------
INSTALLED_APPS = [
    "courtyard.admin_site.StaffAdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "django.contrib.postgres",
    "django_htmx",
    "rest_framework",
    "drf_spectacular",
    "social",
    "posts",
    "feeds",
    "courtyard",
]
AUTH_USER_MODEL = "social.Account"
ROOT_URLCONF = "courtyard.urls"
WSGI_APPLICATION = "courtyard.wsgi.application"
APPEND_SLASH = False

MIDDLEWARE = [
    "courtyard.security.BrowserPolicyMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "courtyard.compressing.CompressTextMiddleware",
    "courtyard.languages.LanguageMiddleware",
    "courtyard.errors.ProblemMiddleware",
    "courtyard.bodies.BodyLimitMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "social.sessions.ViewerMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "courtyard.options.OptionsMiddleware",
]

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    }
]

# --- People -----------------------------------------------------------------------------------------------
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator"},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.NumericPasswordValidator"},
]
AUTHENTICATION_BACKENDS = ["social.backends.LimitedBackend"]
ADMIN_PATH = env.address_part("ADMIN_PATH", default="admin")  # where staff sign in
LOGIN_URL = "sign-in"
LOGIN_REDIRECT_URL = "home"
LOGOUT_REDIRECT_URL = "home"

LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("pt-br", "Português (Brasil)")]
LOCALE_PATHS = [BASE_DIR / "locale"]
LANGUAGE_COOKIE_NAME = "language"
LANGUAGE_COOKIE_AGE = 365 * 86400
USE_I18N = True
USE_TZ = True
TIME_ZONE = env.time_zone("TIME_ZONE", default="UTC")

# --- Mail -------------------------------------------------------------------------------------------------
globals().update(env.mail("EMAIL_URL", folder=BASE_DIR / ".courtyard" / "mail"))
EMAIL_TIMEOUT = env.float("EMAIL_TIMEOUT", default=5)  # for each step of sending
DEFAULT_FROM_EMAIL = env.str("DEFAULT_FROM_EMAIL", default="Courtyard <courtyard@localhost>")
PASSWORD_RESET_TIMEOUT = env.int("PASSWORD_RESET_TIMEOUT", default=3600, least=60)  # of a link by e-mail

# --- Security ---------------------------------------------------------------------------------------------
SECURE_SSL_REDIRECT = HTTPS_ONLY
SESSION_COOKIE_SECURE = HTTPS_ONLY
CSRF_COOKIE_SECURE = HTTPS_ONLY
LANGUAGE_COOKIE_SECURE = HTTPS_ONLY
SECURE_HSTS_SECONDS = env.int("HSTS_SECONDS", default=30 * 86400, least=0) if HTTPS_ONLY else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = env.bool("HSTS_SUBDOMAINS", default=False)
SECURE_HSTS_PRELOAD = env.bool("HSTS_PRELOAD", default=False)
# Both speak for other names of the domain too, which may not have https: whoever owns them all turns them on.
SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W021"]
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if HTTPS_ONLY else None
SESSION_COOKIE_HTTPONLY = True
X_FRAME_OPTIONS = "DENY"
DATA_UPLOAD_MAX_MEMORY_SIZE = 1 << 20  # of JSON, and of a form without its files
FILE_UPLOAD_MAX_MEMORY_SIZE = 1 << 20  # a larger file is spooled to disk while it arrives
DATA_UPLOAD_MAX_NUMBER_FILES = 10

# --- Limits: how many, in how many seconds; see social/limits.py -------------------------------------------
RATE_LIMITS = env.bool("RATE_LIMITS", default=True)
TRUSTED_PROXIES = env.int("TRUSTED_PROXIES", default=0, least=0)  # that add to X-Forwarded-For
LIMIT_WRITES = env.rate("LIMIT_WRITES", default="120/60")  # of an account; a minute of many likes has 60
LIMIT_WRITES_ADDRESS = env.rate("LIMIT_WRITES_ADDRESS", default="3000/60")  # hundreds may share an address
LIMIT_SEEN = env.rate("LIMIT_SEEN", default="60/60")  # reports of an account of what it has seen
LIMIT_SEEN_ADDRESS = env.rate("LIMIT_SEEN_ADDRESS", default="3000/60")
LIMIT_UPLOADS = env.rate("LIMIT_UPLOADS", default="60/600")  # of an account; a menu has up to ten photos
LIMIT_UPLOADS_ADDRESS = env.rate("LIMIT_UPLOADS_ADDRESS", default="600/600")
LIMIT_SIGN_UPS_ADDRESS = env.rate("LIMIT_SIGN_UPS_ADDRESS", default="300/3600")
LIMIT_GUESSES = env.rate("LIMIT_GUESSES", default="10/900")  # wrong ones of a username at an address
LIMIT_GUESSES_ACCOUNT = env.rate("LIMIT_GUESSES_ACCOUNT", default="100/900")  # from any address
LIMIT_GUESSES_ADDRESS = env.rate("LIMIT_GUESSES_ADDRESS", default="100/900")  # of any username
LIMIT_PASSWORD_MAILS = env.rate("LIMIT_PASSWORD_MAILS", default="5/3600")  # to one e-mail
LIMIT_PASSWORD_MAILS_ADDRESS = env.rate("LIMIT_PASSWORD_MAILS_ADDRESS", default="30/3600")

# --- Static files -----------------------------------------------------------------------------------------
SWAGGER_UI = Path(drf_spectacular_sidecar.__file__).parent / "static/drf_spectacular_sidecar/swagger-ui-dist"
STATIC_URL = "/static/"
WHITENOISE_ALLOW_ALL_ORIGINS = False  # other sites have no use for them
STATIC_ROOT = env.path("STATIC_ROOT", default=str(BASE_DIR / ".courtyard" / "static"))
STATICFILES_DIRS = [
    BASE_DIR / "templates" / "static",
    ("swagger-ui", SWAGGER_UI),  # of the two browsers of the API's document that its package brings, one
]

# --- Photos -----------------------------------------------------------------------------------------------
MEDIA_URL = env.media_url("MEDIA_URL", default="/media/")
MEDIA_ROOT = env.str("MEDIA_ROOT", default=str(BASE_DIR / ".courtyard" / "media"))
UPLOADS_ROOT = env.str(
    "UPLOADS_ROOT", default=str(BASE_DIR / ".courtyard" / "uploads")
)  # not under MEDIA_URL
MEDIA_STORAGE_URL = env.str("MEDIA_STORAGE_URL", default="")  # a bucket; empty: the two folders
MEDIA_MAX_BYTES = env.int("MEDIA_MAX_BYTES", default=10 << 20, least=1000)  # of a photo as it is sent
MEDIA_MAX_PIXELS = env.int(
    "MEDIA_MAX_PIXELS", default=50_000_000, least=1000
)  # up to 16 bytes each while decoded
MEDIA_KEEP_UNUSED_SECONDS = env.int("MEDIA_KEEP_UNUSED_SECONDS", default=86400)  # a photo that no menu took
MEDIA_RETRY_SECONDS = env.int("MEDIA_RETRY_SECONDS", default=30, least=1)  # > the longest processing
STORAGES = {
    **photo_storages(MEDIA_STORAGE_URL, MEDIA_URL, Path(MEDIA_ROOT), Path(UPLOADS_ROOT)),
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
}

# --- The API ----------------------------------------------------------------------------------------------
REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["social.authentication.AccountAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_THROTTLE_CLASSES": ["social.throttling.WriteThrottle"],
    "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
    "EXCEPTION_HANDLER": "courtyard.errors.problem_response",
    "UNAUTHENTICATED_USER": None,
    "DEFAULT_SCHEMA_CLASS": "courtyard.schema.document.CallSchema",
    "URL_FORMAT_OVERRIDE": None,  # of the API's addresses only /api/schema has a format
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Courtyard",
    "VERSION": "1",
    "DESCRIPTION": INTRODUCTION,
    "TAGS": TAGS,
    "LICENSE": {"name": "MIT", "identifier": "MIT"},
    "OAS_VERSION": "3.1.0",
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "COMPONENT_SPLIT_REQUEST": True,
    "POSTPROCESSING_HOOKS": [
        "courtyard.schema.document.merge_blanks",
        "courtyard.schema.document.add_shared_parts",
    ],
    "SORT_OPERATIONS": False,
    "SORT_OPERATION_PARAMETERS": False,
}
SIMPLE_JWT = {
    "AUTH_HEADER_TYPES": ("Bearer", "bearer"),  # schemes of HTTP have no case
    "UPDATE_LAST_LOGIN": False,
    "ACCESS_TOKEN_LIFETIME": timedelta(minutes=15),
    "REFRESH_TOKEN_LIFETIME": timedelta(days=30),
}

# --- Celery -----------------------------------------------------------------------------------------------
# Publishing must neither block nor retry when the broker is away: the relay catches up.
CELERY_BROKER_CONNECTION_TIMEOUT = REDIS_TIMEOUT
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_TASK_PUBLISH_RETRY = False
CELERY_BROKER_TRANSPORT_OPTIONS = {
    "visibility_timeout": CELERY_VISIBILITY_TIMEOUT,
    "unacked_restore_interval": 1,  # else a lost task waits ten times as long
    "unacked_restore_throttle": 1,
    "socket_timeout": REDIS_TIMEOUT,
    "socket_connect_timeout": REDIS_TIMEOUT,
    "retry_on_timeout": False,
    "max_retries": 0,
}
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_TASK_DEFAULT_QUEUE = "upkeep"
CELERY_TASK_ROUTES = {
    "feeds.fan_out": {"queue": "fanout"},
    "feeds.build": {"queue": "builds"},
    "posts.process_photo": {"queue": "photos"},
}
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_BEAT_SCHEDULE = {
    # A beat's message that nobody took in time is dropped: the next one does the same work.
    "relay": {"task": "feeds.relay", "schedule": 1.0, "options": {"expires": 5}},
    "recount": {"task": "feeds.recount", "schedule": 1.0, "options": {"expires": 5}},
    "reconcile": {"task": "feeds.reconcile", "schedule": 5.0, "options": {"expires": 10}},
    "erase": {"task": "social.erase_accounts", "schedule": 5.0, "options": {"expires": 10}},
    "mail": {"task": "social.send_password_mails", "schedule": 10.0, "options": {"expires": 10}},
    "prune_families": {
        "task": "social.prune_token_families",
        "schedule": 600.0,
        "options": {"expires": 600},
    },
    "bring_notes": {"task": "feeds.bring_notes", "schedule": 2.0, "options": {"expires": 5}},
    "prune": {"task": "feeds.prune_outbox", "schedule": 60.0, "options": {"expires": 60}},
    "process_left": {"task": "posts.process_left", "schedule": 10.0, "options": {"expires": 10}},
    "prune_photos": {"task": "posts.prune_photos", "schedule": 60.0, "options": {"expires": 60}},
    "prune_keys": {"task": "posts.prune_keys", "schedule": 60.0, "options": {"expires": 60}},
}

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "%(levelname)s %(name)s: %(message)s"}},
    "filters": {"client_errors_as_info": {"()": "courtyard.logs.ClientErrorsAsInfo"}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
    "loggers": {
        "django.request": {"filters": ["client_errors_as_info"]},
        "django.security.DisallowedHost": {"filters": ["client_errors_as_info"]},  # any scanner asks so
    },
    "root": {"handlers": ["console"], "level": env.log_level("LOG_LEVEL", default="WARNING")},
}
