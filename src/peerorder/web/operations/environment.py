"""The settings from outside, by variables of the environment. What is wrong is said at once, with the cure."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parseaddr
from ipaddress import ip_address
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit
from zoneinfo import ZoneInfo, available_timezones

from django.core.exceptions import ImproperlyConfigured

from peerorder.core.text import join_with_or
from peerorder.core.translation import gettext as _, ngettext
from peerorder.web.secret_files import make_secret

VARIABLES = {
    "PEERORDER_HOME": "the folder for the database, uploads and the secret key; by default `peerorder-data` here",
    "PEERORDER_PRODUCTION": "`yes` behind a proxy with TLS: secure cookies, no secret of our own making",
    "PEERORDER_SECRET_KEY": "what cookies are signed with, 50 random characters or more; must be set in production",
    "PEERORDER_URL": "where people reach it: `https://peers.example.edu`; must be set in production",
    "PEERORDER_DATABASE": "`postgresql://user:password@host:5432/name`; by default SQLite in the folder",
    "PEERORDER_MAIL": "`smtp://user:password@host:587?tls=yes` (or `ssl=yes`), or `none` for no e-mails; must be set "
    "in production, elsewhere e-mails are printed by default",
    "PEERORDER_MAIL_FROM": "who mails come from: `Peer grading <peers@example.edu>`",
    "PEERORDER_TIME_ZONE": "the time zone of new courses: `Europe/Athens`; by default `UTC`",
    "PEERORDER_LARGEST_UPLOAD": "the largest file in megabytes, by default 20",
    "PEERORDER_SANDBOX": "`bubblewrap` or `limited`: how files from outside are read; by default the better that works",
    "PEERORDER_LOG": "`text` for a line of text per event, `json` for a line of JSON, `errors` for warnings and errors "
    "only; by default `text` in production and `errors` elsewhere",
}
LEAST_SECRET = 50
# A random key of hexadecimal digits has some fifteen different ones.
LEAST_DISTINCT = 10
# What examples say, and what people type who have to type something.
PLACEHOLDERS = (
    *("changeme", "change-me", "change_me", "placeholder", "your-secret", "your_secret", "secretkey", "secret-key"),
    *("secret_key", "django-insecure", "example", "0123456789", "abcdefghij", "qwertyuiop"),
)
MAKE_SECRET = "python -c 'import secrets; print(secrets.token_urlsafe(64))'"


@dataclass(frozen=True)
class Environment:
    """What the variables say."""

    home: Path
    production: bool
    secret_key: str
    url: SplitResult
    database: Mapping[str, Any]
    mail: Mapping[str, Any]
    mail_from: str
    time_zone: str
    largest_upload: int
    log: str
    sandbox: str = ""


def read_environment(given: Mapping[str, str]) -> Environment:
    """Check all variables; complains about the first that cannot be."""
    unknown = sorted(name for name in given if name.startswith("PEERORDER_") and name not in VARIABLES | INTERNAL)
    if unknown:
        text = _("there is no setting {name}; the settings are {names} (see the docs on running it)")
        raise ImproperlyConfigured(text.format(name=unknown[0], names=", ".join(VARIABLES)))
    home = Path(given.get("PEERORDER_HOME") or "peerorder-data").absolute()
    production = _yes_or_no(given, "PEERORDER_PRODUCTION")
    return Environment(
        home=home,
        production=production,
        secret_key=_secret_key(given, home, production),
        url=_url(given, production),
        database=_database(given.get("PEERORDER_DATABASE", ""), home),
        mail=_mail(given.get("PEERORDER_MAIL", ""), production),
        mail_from=_mail_from(given.get("PEERORDER_MAIL_FROM") or "peerorder <peerorder@localhost>"),
        time_zone=_time_zone(given.get("PEERORDER_TIME_ZONE") or "UTC"),
        largest_upload=_megabytes(given.get("PEERORDER_LARGEST_UPLOAD") or "20"),
        log=_one_of(given, "PEERORDER_LOG", ("text", "json", "errors") if production else ("errors", "text", "json")),
        sandbox=_one_of(given, "PEERORDER_SANDBOX", ("", "bubblewrap", "limited")),
    )


# Set by our own tests and scripts, and no business of the settings.
INTERNAL = dict.fromkeys(("PEERORDER_NOTHING_LEFT_OUT", "PEERORDER_FUZZ"))


def _error(name: str, value: str, cure: str) -> ImproperlyConfigured:
    return ImproperlyConfigured(_("{name} is {value!r}; {cure}").format(name=name, value=value, cure=cure))


def _one_of(given: Mapping[str, str], name: str, values: tuple[str, ...]) -> str:
    value = given.get(name) or values[0]
    if value not in values:
        raise _error(name, value, _("it must be {values}").format(values=join_with_or([*filter(None, values)])))
    return value


def _yes_or_no(given: Mapping[str, str], name: str) -> bool:
    return _one_of(given, name, ("no", "yes")) == "yes"


def _secret_key(given: Mapping[str, str], home: Path, production: bool) -> str:
    """Return the key from outside; without one, outside of production, one of our own that the folder keeps."""
    if key := given.get("PEERORDER_SECRET_KEY"):
        if reason := _weakness(key):
            raise ImproperlyConfigured(_("{reason}; `{command}` makes one").format(reason=reason, command=MAKE_SECRET))
        return key
    if production:
        text = _(
            "PEERORDER_SECRET_KEY is not set; in production it must be, to the same value everywhere, and `{command}` "
            "makes one"
        )
        raise ImproperlyConfigured(text.format(command=MAKE_SECRET))
    try:
        return make_secret(home / "secret-key")
    except OSError as error:
        cure = _("it cannot be written to ({reason})").format(reason=error.strerror)
        raise _error("PEERORDER_HOME", str(home), cure) from None


def _weakness(key: str) -> str:
    """Return why a key could be guessed, without saying it; nothing if it could not."""
    if len(key) < LEAST_SECRET:
        text = ngettext(
            "PEERORDER_SECRET_KEY has only {count} character and needs {least} or more",
            "PEERORDER_SECRET_KEY has only {count} characters and needs {least} or more",
            len(key),
        )
        return text.format(count=len(key), least=LEAST_SECRET)
    if (count := len(set(key))) < LEAST_DISTINCT:
        text = ngettext(
            "PEERORDER_SECRET_KEY has only {count} different character",
            "PEERORDER_SECRET_KEY has only {count} different characters",
            count,
        )
        return text.format(count=count)
    # A string that repeats itself is in its double before its own end.
    if key in (key + key)[1:-1]:
        return _("PEERORDER_SECRET_KEY repeats itself")
    if any(word in key.lower() for word in PLACEHOLDERS):
        return _("PEERORDER_SECRET_KEY is a placeholder")
    return ""


def _url(given: Mapping[str, str], production: bool) -> SplitResult:
    value = given.get("PEERORDER_URL") or ("" if production else "http://127.0.0.1:8000")
    if not value:
        raise ImproperlyConfigured(
            _("PEERORDER_URL is not set; in production it must be, to where people reach it: https://peers.example.edu")
        )
    url = _split(value.rstrip("/"))
    if url is None or url.scheme not in ("http", "https") or not url.hostname or url.path or url.query:
        raise _error("PEERORDER_URL", value, _("write it like https://peers.example.edu, without a path"))
    if production and url.scheme != "https":
        raise _error("PEERORDER_URL", value, _("in production it begins with https://"))
    if url.scheme == "https" and not production:
        raise _error(
            "PEERORDER_URL", value, _("with https, set PEERORDER_PRODUCTION=yes, or cookies travel without TLS too")
        )
    return url


def _database(value: str, home: Path) -> dict[str, Any]:
    if not value:
        return {
            "ENGINE": "django.db.backends.sqlite3",
            "NAME": home / "peerorder.sqlite3",
            "OPTIONS": {
                # A writer waits for its turn from the beginning of its transaction, instead of failing in the middle.
                "transaction_mode": "IMMEDIATE",
                "timeout": 30,
                "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA secure_delete=ON; "
                "PRAGMA recursive_triggers=ON;",
            },
        }
    url = _split(value)
    if url is None or url.scheme not in ("postgresql", "postgres") or not url.path.strip("/"):
        raise _error(
            "PEERORDER_DATABASE", _without_password(value), _("write it like postgresql://user:password@host/name")
        )
    return {
        "ENGINE": "peerorder.web.database.postgresql",
        "NAME": unquote(url.path.strip("/")),
        "USER": unquote(url.username or ""),
        "PASSWORD": unquote(url.password or ""),
        "HOST": unquote(url.hostname or ""),
        "PORT": str(url.port or ""),
        "CONN_MAX_AGE": 60,
        "CONN_HEALTH_CHECKS": True,
        "OPTIONS": dict(parse_qsl(url.query)),
    }


def _mail(value: str, production: bool) -> dict[str, Any]:
    if not value and production:
        raise ImproperlyConfigured(
            _(
                "PEERORDER_MAIL is not set; in production e-mails, with links that log people in, would be printed "
                "into the log. Set it to smtp://user:password@host:587?tls=yes, or to none for no e-mails"
            )
        )
    if value in ("", "none"):
        return {"EMAIL_BACKEND": f"django.core.mail.backends.{'dummy' if value else 'console'}.EmailBackend"}
    url = _split(value)
    options = dict(parse_qsl(url.query)) if url else {}
    switches = (("tls", "yes"), ("tls", "no"), ("ssl", "yes"), ("ssl", "no"))
    if url is None or url.scheme != "smtp" or not url.hostname or set(options.items()) - set(switches):
        cure = _("write it like smtp://user:password@host:587?tls=yes")
        raise _error("PEERORDER_MAIL", _without_password(value), cure)
    if list(options.values()).count("yes") > 1:
        raise _error("PEERORDER_MAIL", _without_password(value), _("write tls=yes or ssl=yes, not both"))
    if (url.username or url.password) and "yes" not in options.values() and not is_loopback(url.hostname):
        raise _error(
            "PEERORDER_MAIL",
            _without_password(value),
            _("the password would travel in the clear; add ?tls=yes or ?ssl=yes"),
        )
    return {
        "EMAIL_BACKEND": "django.core.mail.backends.smtp.EmailBackend",
        "EMAIL_HOST": url.hostname,
        "EMAIL_PORT": url.port or 25,
        "EMAIL_HOST_USER": unquote(url.username or ""),
        "EMAIL_HOST_PASSWORD": unquote(url.password or ""),
        "EMAIL_USE_TLS": options.get("tls") == "yes",
        "EMAIL_USE_SSL": options.get("ssl") == "yes",
        "EMAIL_TIMEOUT": 30,
    }


def is_loopback(host: str) -> bool:
    """Return whether only this machine can be meant."""
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def _split(value: str) -> SplitResult | None:
    """Return the parts of an address, None where it has a port that is none or is no address at all."""
    try:
        url = urlsplit(value)
        # Only asking for it tells whether the port is one.
        _ = url.port
    except ValueError:
        return None
    return url


def _without_password(value: str) -> str:
    """Return an address fit for a message, also where the rest of it is wrong."""
    return re.sub(r"(://[^:/@]*:).*@", r"\1...@", value)


def _mail_from(value: str) -> str:
    if not parseaddr(value)[1].rpartition("@")[0] or not value.isprintable():
        raise _error("PEERORDER_MAIL_FROM", value, _("write it like Peer grading <peers@example.edu>"))
    return value


def _time_zone(name: str) -> str:
    if name not in available_timezones():
        raise _error("PEERORDER_TIME_ZONE", name, _("write it like Europe/Athens"))
    return ZoneInfo(name).key


def _megabytes(value: str) -> int:
    if not value.isdecimal() or not 1 <= int(value) <= 1000:
        raise _error("PEERORDER_LARGEST_UPLOAD", value, _("it must be a number of megabytes from 1 to 1000"))
    return int(value) * 2**20
