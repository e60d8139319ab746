"""Django's settings. What differs from place to place comes from ``environment``."""

import os
from pathlib import Path

from django.utils.translation import to_language

from peerorder.web.operations.environment import read_environment

HERE = Path(__file__).parent
ENVIRONMENT = read_environment(os.environ)

DEBUG = False
SECRET_KEY = ENVIRONMENT.secret_key
ALLOWED_HOSTS = [ENVIRONMENT.url.hostname, *([] if ENVIRONMENT.production else ["127.0.0.1", "localhost", "[::1]"])]
CSRF_TRUSTED_ORIGINS = [ENVIRONMENT.url.geturl()]
PUBLIC_URL = ENVIRONMENT.url.geturl()

# From below to above: an app imports only from those before it.
SERVICES = ("audit", "jobs", "mail")
DOMAINS = ("people", "courses", "assignments", "papers", "ranking", "monitor", "results", "lifecycle", "home")
INSTALLED_APPS = [
    "django.contrib.contenttypes",
    "django.contrib.auth",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.forms",
    "django_htmx",
    *(f"peerorder.web.{app}" for app in (*SERVICES, *DOMAINS, "sample", "operations")),
]
MIDDLEWARE = [
    "peerorder.web.middleware.request_log",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "peerorder.web.middleware.CompressPages",
    "peerorder.web.middleware.security_headers",
    "peerorder.web.middleware.Limits",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "peerorder.web.middleware.ControlCharacters",
]
ROOT_URLCONF = "peerorder.web.urls"
WSGI_APPLICATION = "peerorder.web.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [HERE / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
            "builtins": [
                "django.templatetags.i18n",
                "django.templatetags.static",
                "peerorder.web.templatetags.peerorder",
                "peerorder.web.assignments.templatetags.attachments",
            ],
        },
    }
]

FORM_RENDERER = "django.forms.renderers.TemplatesSetting"

DATABASES = {"default": dict(ENVIRONMENT.database)}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# People.
AUTH_USER_MODEL = "people.Person"
AUTHENTICATION_BACKENDS = ["peerorder.web.people.sessions.People"]
SESSION_ENGINE = "peerorder.web.people.sessions"
LOGIN_URL = "people:login"
LOGIN_REDIRECT_URL = "home"
PASSWORD_HASHERS = ["peerorder.web.people.throttling.LimitedHasher"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
SESSION_COOKIE_AGE = 60 * 60 * 24 * 90
SESSION_COOKIE_NAME = "peerorder"

# Safety. The proxy in front speaks TLS and tells us so.
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = ENVIRONMENT.production
SESSION_COOKIE_HTTPONLY = CSRF_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if ENVIRONMENT.production else None
SECURE_HSTS_SECONDS = 60 * 60 * 24 * 365 if ENVIRONMENT.production else 0
# Links carry tokens, which must not travel on to other sites. Within ours the check of forged requests needs it.
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
CSRF_FAILURE_VIEW = "peerorder.web.errors.csrf_failure"

# What one person may do in a short time: how much at once, and how much a second from then on (docs/howto/running.md).
BUDGETS = {"requests": (1000, 10), "megabytes": (50, 0.2), "saves": (120, 2), "uploads": (10, 1 / 30)}

# Uploads.
MEDIA_ROOT = ENVIRONMENT.home / "uploads"
LARGEST_UPLOAD = ENVIRONMENT.largest_upload
DATA_UPLOAD_MAX_MEMORY_SIZE = 2 * 2**20
DATA_UPLOAD_MAX_NUMBER_FIELDS = 2000
DATA_UPLOAD_MAX_NUMBER_FILES = 4
FILE_UPLOAD_PERMISSIONS = 0o600
FILE_UPLOAD_HANDLERS = [
    "peerorder.web.papers.uploads.LimitedUpload",
    "django.core.files.uploadhandler.MemoryFileUploadHandler",
    "django.core.files.uploadhandler.TemporaryFileUploadHandler",
]

# Pages.
STATIC_URL = "static/"
STATIC_ROOT = ENVIRONMENT.home / "static"
# Reports in files of their own need their styles and scripts too; pages of the app share them.
STATICFILES_DIRS = [HERE / "static", HERE.parent / "reports" / "static"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
}
WHITENOISE_USE_FINDERS = False
# Names without a digest of their content, which no page of ours uses.
WHITENOISE_MAX_AGE = 60 * 60
# English, and every language that has a compiled catalogue.
LANGUAGE_CODE = "en"
LOCALE_PATHS = [HERE / "locale"]
CATALOGUES = sorted(LOCALE_PATHS[0].glob("*/LC_MESSAGES/django.mo"))
LANGUAGES = [("en", "English"), *((to_language(path.parts[-3]), path.parts[-3]) for path in CATALOGUES)]
USE_TZ = True
TIME_ZONE = ENVIRONMENT.time_zone
FORMAT_MODULE_PATH = ["peerorder.web.formats"]

# Mails.
EMAIL_BACKEND = ENVIRONMENT.mail["EMAIL_BACKEND"]
globals().update(ENVIRONMENT.mail)
DEFAULT_FROM_EMAIL = ENVIRONMENT.mail_from

# With `errors`, for people at a terminal, there is no line for every request, nor for what is rightly refused.
ONLY_ERRORS = ENVIRONMENT.log == "errors"
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "text": {
            "()": "peerorder.web.json_logging.TextFormatter",
            "format": "{asctime} {levelname} {name}: {message}",
            "style": "{",
        },
        "json": {"()": "peerorder.web.json_logging.JsonFormatter"},
    },
    "filters": {"occasional": {"()": "peerorder.web.logging_filters.Occasional"}},
    "handlers": {
        "console": {"class": "logging.StreamHandler", "formatter": "json" if ENVIRONMENT.log == "json" else "text"}
    },
    "root": {"handlers": ["console"], "level": "WARNING"},
    "loggers": {
        "peerorder": {"level": "WARNING" if ONLY_ERRORS else "INFO"},
        "django": {"handlers": [], "level": "WARNING", "propagate": True},
        # What is refused (403, 404 ...) has its line among the requests; here it would have a traceback.
        "django.request": {"level": "ERROR"},
        "django.security": {"level": "ERROR" if ONLY_ERRORS else "WARNING"},
        # Machines that look for holes ask for any host.
        "django.security.DisallowedHost": {"filters": ["occasional"], "level": "ERROR"},
        "django.server": {"handlers": [], "level": "ERROR", "propagate": True},
    },
}
