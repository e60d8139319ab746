"""Settings by environment: each wrong value is said in one line, with the cure."""

import os
import secrets
import subprocess
import sys

import pytest
from django.core.exceptions import ImproperlyConfigured

from peerorder.web.mail.services import is_set_up
from peerorder.web.operations.environment import VARIABLES, read_environment

SECRET = "Zq8vL2xW5nR7tY1uJ4kM9pB3cF6hD0gSaE-a2b3c4d5e6f7g8h9"
URL = "https://peers.example.edu"
PRODUCTION = {
    "PEERORDER_PRODUCTION": "yes",
    "PEERORDER_SECRET_KEY": SECRET,
    "PEERORDER_URL": URL,
    "PEERORDER_MAIL": "none",
}


@pytest.fixture
def read(tmp_path):
    def done(**given):
        return read_environment({"PEERORDER_HOME": str(tmp_path / "home"), **given})

    return done


def test_it_works_with_nothing_set(read, tmp_path):
    found = read()
    assert found.home == tmp_path / "home"
    assert not found.production
    assert len(found.secret_key) >= 50
    assert found.url.geturl() == "http://127.0.0.1:8000"
    assert found.database["NAME"] == tmp_path / "home" / "peerorder.sqlite3"
    assert found.mail["EMAIL_BACKEND"].endswith("console.EmailBackend")
    assert (found.time_zone, found.largest_upload, found.log) == ("UTC", 20 * 2**20, "errors")


def test_the_secret_key_stays_the_same_and_is_private(read, tmp_path):
    assert read().secret_key == read().secret_key
    assert (tmp_path / "home").stat().st_mode & 0o077 == 0
    assert (tmp_path / "home" / "secret-key").stat().st_mode & 0o077 == 0
    assert [path.name for path in (tmp_path / "home").iterdir()] == ["secret-key"]


def test_everything_set(read):
    found = read(
        **PRODUCTION | {"PEERORDER_MAIL": "smtp://you:secret@mail.example.edu:587?tls=yes"},
        PEERORDER_DATABASE="postgresql://me:p%40ss@db.example.edu:5433/peers?sslmode=require",
        PEERORDER_MAIL_FROM="Peers <peers@example.edu>",
        PEERORDER_TIME_ZONE="Europe/Athens",
        PEERORDER_LARGEST_UPLOAD="5",
        PEERORDER_LOG="json",
    )
    assert found.production
    assert found.secret_key == SECRET
    wanted = {"NAME": "peers", "USER": "me", "PASSWORD": "p@ss", "HOST": "db.example.edu", "PORT": "5433"}
    assert wanted.items() <= found.database.items()
    assert found.database["OPTIONS"] == {"sslmode": "require"}
    assert (found.mail["EMAIL_HOST"], found.mail["EMAIL_PORT"]) == ("mail.example.edu", 587)
    assert (found.mail["EMAIL_USE_TLS"], found.mail["EMAIL_USE_SSL"]) == (True, False)
    assert found.mail_from == "Peers <peers@example.edu>"
    assert (found.time_zone, found.largest_upload, found.log) == ("Europe/Athens", 5 * 2**20, "json")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"PEERORDER_DATABSE": "x"}, "there is no setting PEERORDER_DATABSE; the settings are"),
        ({"PEERORDER_PRODUCTION": "true"}, "PEERORDER_PRODUCTION is 'true'; it must be no or yes"),
        ({"PEERORDER_LOG": "xml"}, "PEERORDER_LOG is 'xml'; it must be errors, text or json"),
        ({"PEERORDER_SECRET_KEY": "short"}, "has only 5 characters and needs 50 or more"),
        ({"PEERORDER_PRODUCTION": "yes"}, "PEERORDER_SECRET_KEY is not set; in production it must be"),
        ({"PEERORDER_PRODUCTION": "yes", "PEERORDER_SECRET_KEY": SECRET}, "PEERORDER_URL is not set"),
        ({**PRODUCTION, "PEERORDER_URL": "http://peers.example.edu"}, "in production it begins with https://"),
        ({"PEERORDER_URL": "peers.example.edu"}, "write it like https://peers.example.edu, without a path"),
        ({"PEERORDER_URL": "https://peers.example.edu/x"}, "without a path"),
        ({"PEERORDER_URL": "https://peers.example.edu:x"}, "without a path"),
        ({"PEERORDER_URL": "https://[::1"}, "without a path"),
        ({"PEERORDER_DATABASE": "mysql://me@db/peers"}, "write it like postgresql://user:password@host/name"),
        ({"PEERORDER_DATABASE": "postgresql://me@db"}, "write it like postgresql://user:password@host/name"),
        ({"PEERORDER_DATABASE": "postgresql://me@db:x/peers"}, "write it like postgresql://user:password@host/name"),
        ({"PEERORDER_URL": URL}, "set PEERORDER_PRODUCTION=yes"),
        ({**PRODUCTION, "PEERORDER_MAIL": ""}, "PEERORDER_MAIL is not set"),
        ({"PEERORDER_MAIL": "smtp://you:hunter2@mail.example.edu:587"}, "in the clear"),
        ({"PEERORDER_MAIL": "smtp://you:hunter2@mail.example.edu:587?tls=no"}, "in the clear"),
        ({"PEERORDER_MAIL": "smtp://you@mail.example.edu"}, "in the clear"),
        ({"PEERORDER_MAIL": "mail.example.edu"}, "write it like smtp://user:password@host:587?tls=yes"),
        ({"PEERORDER_MAIL": "smtp://mail.example.edu:x"}, "write it like smtp://"),
        ({"PEERORDER_MAIL": "smtp://mail.example.edu?starttls=yes"}, "write it like smtp://"),
        ({"PEERORDER_MAIL": "smtp://mail.example.edu?tls=on"}, "write it like smtp://"),
        ({"PEERORDER_MAIL": "smtp://mail.example.edu?tls=yes&ssl=yes"}, "not both"),
        ({"PEERORDER_MAIL_FROM": "nobody"}, "write it like Peer grading <peers@example.edu>"),
        ({"PEERORDER_TIME_ZONE": "Athens"}, "PEERORDER_TIME_ZONE is 'Athens'; write it like Europe/Athens"),
        ({"PEERORDER_LARGEST_UPLOAD": "0"}, "a number of megabytes from 1 to 1000"),
        ({"PEERORDER_LARGEST_UPLOAD": "20MB"}, "a number of megabytes from 1 to 1000"),
    ],
)
def test_a_wrong_value_is_one_line(read, given, said):
    with pytest.raises(ImproperlyConfigured) as error:
        read(**given)
    assert said in str(error.value)
    assert "\n" not in str(error.value)
    assert any(name in str(error.value) for name in VARIABLES)


@pytest.mark.parametrize(
    "given",
    [
        {"PEERORDER_DATABASE": "mysql://me:hunter2@db/peers"},
        {"PEERORDER_DATABASE": "postgresql://me:hunter2@db:x/peers"},
        {"PEERORDER_MAIL": "smtp://me:hunter2@host?tls=on"},
        {"PEERORDER_MAIL": "smtp://me:hunter2@[host"},
    ],
)
def test_no_password_is_said(read, given):
    with pytest.raises(ImproperlyConfigured) as error:
        read(**given)
    assert "hunter2" not in str(error.value)


@pytest.mark.parametrize(
    "key",
    [
        "x" * 60,
        "x" * 59 + "y",
        "ab" * 40,
        "Zq8vL2xW5nR7tY1uJ" * 4,
        "change-me-" + SECRET,
        "django-insecure-" + SECRET,
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ",
        "",
    ],
)
def test_a_key_that_can_be_guessed_is_refused_and_not_said(read, key):
    with pytest.raises(ImproperlyConfigured) as error:
        read(**PRODUCTION | {"PEERORDER_SECRET_KEY": key})
    assert not key or key not in str(error.value)


@pytest.mark.parametrize("make", [secrets.token_urlsafe, secrets.token_hex])
def test_a_random_key_is_accepted(read, make):
    for _ in range(200):
        read(**PRODUCTION | {"PEERORDER_SECRET_KEY": make(38)})


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "127.0.0.2", "[::1]"])
def test_a_password_need_not_be_hidden_from_the_machine_itself(read, host):
    assert read(PEERORDER_MAIL=f"smtp://you:hunter2@{host}:25").mail["EMAIL_HOST_PASSWORD"] == "hunter2"


def test_no_e_mails_at_all(read, settings):
    settings.EMAIL_BACKEND = read(PEERORDER_MAIL="none").mail["EMAIL_BACKEND"]
    assert not is_set_up()
    settings.EMAIL_BACKEND = read(PEERORDER_MAIL="smtp://127.0.0.1").mail["EMAIL_BACKEND"]
    assert is_set_up()


def test_a_folder_that_cannot_be_written_to(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(ImproperlyConfigured, match=r"PEERORDER_HOME is .*; it cannot be written to"):
        read_environment({"PEERORDER_HOME": str(tmp_path / "file" / "home")})


def test_the_pages_start_without_what_thinks(tmp_path):
    program = (
        "import sys, django; django.setup(); import peerorder.web.urls; "
        "print(sorted({'numba', 'scipy', 'pyarrow', 'matplotlib', 'PIL', 'pikepdf'} & set(sys.modules)))"
    )
    given = {"PEERORDER_HOME": str(tmp_path), "DJANGO_SETTINGS_MODULE": "peerorder.web.settings"}
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PEERORDER_", "COV_"))}
    done = subprocess.run([sys.executable, "-c", program], env=kept | given, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
