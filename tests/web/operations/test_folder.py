"""The folder of the app is closed to other accounts, also where an older version or a person left it open."""

from dataclasses import replace

import pytest

from peerorder.web.operations import folder


@pytest.fixture
def home(settings, tmp_path):
    found = tmp_path / "above" / "home"
    database = {"ENGINE": "django.db.backends.sqlite3", "NAME": found / "peerorder.sqlite3"}
    settings.ENVIRONMENT = replace(settings.ENVIRONMENT, home=found, database=database)
    return found


def mode(path):
    return path.stat().st_mode & 0o7777


def test_a_new_folder_is_private(home):
    assert folder.make_home() == home
    assert mode(home) == 0o700


def test_what_is_open_is_closed(home):
    home.mkdir(parents=True)
    home.chmod(0o755)
    files = [home / f"peerorder.sqlite3{ending}" for ending in ("", "-wal", "-shm")]
    for file in files:
        file.touch()
        file.chmod(0o664)
    folder.make_home()
    assert mode(home) == 0o700
    assert {mode(file) for file in files} == {0o600}


def test_a_folder_that_is_everybodys_stays_so(home):
    home.mkdir(parents=True)
    home.chmod(0o1777)
    folder.make_home()
    assert mode(home) == 0o1777


def test_no_other_account_can_hold_a_lock(tmp_path):
    path = tmp_path / "running.lock"
    path.touch()
    path.chmod(0o644)
    with folder.file_lock(path, shared=True):
        assert mode(path) == 0o600


def test_uploads_that_are_open_are_closed(home, settings):
    settings.MEDIA_ROOT = home / "uploads"
    settings.MEDIA_ROOT.mkdir(parents=True)
    settings.MEDIA_ROOT.chmod(0o755)
    folder.make_home()
    assert mode(settings.MEDIA_ROOT) == 0o700


def test_two_cannot_hold_a_lock_unless_they_share_it(tmp_path):
    path = tmp_path / "lock"
    with (
        folder.file_lock(path, shared=True),
        folder.file_lock(path, shared=True, wait=False),
        pytest.raises(BlockingIOError),
        folder.file_lock(path, wait=False),
    ):
        pass
    with folder.file_lock(path, wait=False):
        pass
