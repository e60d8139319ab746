import errno
import json
import os
import stat
import tempfile
from pathlib import Path

import pytest

from peerorder.core import InputError
from peerorder.files import output_directory, write_bytes, write_provenance, write_text


@pytest.fixture
def umask():
    """Sets the mask that new files get; the one before comes back at the end."""
    before = os.umask(0o022)
    yield os.umask
    os.umask(before)


@pytest.fixture
def old(tmp_path):
    path = tmp_path / "file.txt"
    path.write_bytes(b"old")
    return path


def test_a_link_keeps_pointing_to_its_file(tmp_path):
    real, link = tmp_path / "real", tmp_path / "link"
    real.write_text("old")
    link.symlink_to(real)
    write_text(link, "new")
    assert link.is_symlink()
    assert real.read_text() == "new"


def test_what_is_no_ordinary_file_is_left_alone(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(InputError, match="not an ordinary file"):
        write_text(pipe, "new")
    assert pipe.is_fifo()
    with pytest.raises(InputError, match="not an ordinary file"):
        write_text(tmp_path, "new")


def test_new_and_old_files_get_the_content(tmp_path, old):
    for path in (tmp_path / "new.bin", old):
        write_bytes(path, b"\x00\r\n\xff")
        assert path.read_bytes() == b"\x00\r\n\xff"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["file.txt", "new.bin"]


def test_text_is_utf8_and_its_line_ends_stay(old):
    write_text(old, "größer\n一\r\n")
    assert old.read_bytes() == "größer\n一\r\n".encode()


@pytest.mark.parametrize(
    ("error", "raised"), [(OSError(errno.ENOSPC, "no space"), InputError), (KeyboardInterrupt(), KeyboardInterrupt)]
)
@pytest.mark.parametrize("step", ["os.replace", "os.chmod"])
def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(old, monkeypatch, step, error, raised):
    def fail(*_):
        raise error

    monkeypatch.setattr(step, fail)
    with pytest.raises(raised):
        write_bytes(old, b"new")
    assert old.read_bytes() == b"old"
    assert list(old.parent.iterdir()) == [old]


@pytest.mark.parametrize(
    ("write", "content", "error"),
    [
        (write_bytes, "text where bytes belong", TypeError),
        (write_text, "half a pair: \ud800", UnicodeEncodeError),
    ],
)
def test_content_that_cannot_be_written_leaves_the_old_file(old, write, content, error):
    with pytest.raises(error):
        write(old, content)
    assert old.read_bytes() == b"old"
    assert list(old.parent.iterdir()) == [old]


def test_a_directory_in_the_way_stays(tmp_path):
    target = tmp_path / "taken"
    (target / "inside").mkdir(parents=True)
    with pytest.raises(InputError, match="taken"):
        write_bytes(target, b"new")
    assert (target / "inside").is_dir()
    assert list(tmp_path.iterdir()) == [target]


def test_until_the_last_step_a_reader_sees_the_old_file(old, monkeypatch):
    real, seen = os.replace, []

    def watched(source, target):
        seen.append((old.read_bytes(), Path(source).read_bytes(), Path(source).parent, Path(target)))
        real(source, target)

    monkeypatch.setattr(os, "replace", watched)
    write_bytes(old, b"new and longer")
    # The new content is complete beside the old, in the same directory, where a rename is one step.
    assert seen == [(b"old", b"new and longer", old.parent, old)]
    assert old.read_bytes() == b"new and longer"


@pytest.mark.parametrize(("mask", "mode"), [(0o022, 0o644), (0o027, 0o640), (0o077, 0o600), (0o002, 0o664)])
def test_permissions_follow_the_umask(tmp_path, umask, mask, mode):
    umask(mask)
    path = tmp_path / "file"
    write_bytes(path, b"")
    assert stat.S_IMODE(path.stat().st_mode) == mode
    # Asking what the mask is must not have changed it.
    assert umask(mask) == mask


def test_provenance_stands_beside_the_file(tmp_path):
    path = tmp_path / "grades.csv"
    write_provenance(path, {"rule": "borda", "options": {"k": 2**100}, "name": "Grüße"})
    beside = tmp_path / "grades.csv.provenance.json"
    assert list(tmp_path.iterdir()) == [beside]
    assert json.loads(beside.read_text("utf-8")) == {"rule": "borda", "options": {"k": 2**100}, "name": "Grüße"}
    assert beside.read_text("utf-8").endswith("}\n")
    assert "Grüße" in beside.read_text("utf-8")


def test_provenance_that_json_cannot_hold_leaves_the_old_one(tmp_path):
    path = tmp_path / "grades.csv"
    write_provenance(path, {"rule": "borda"})
    with pytest.raises(TypeError):
        write_provenance(path, {"rule": object()})
    assert json.loads((tmp_path / "grades.csv.provenance.json").read_text()) == {"rule": "borda"}
    assert len(list(tmp_path.iterdir())) == 1


def test_output_directory_is_made_with_its_parents(tmp_path):
    path = tmp_path / "a" / "b"
    assert output_directory(path) == path
    assert path.is_dir()
    assert list(path.iterdir()) == []


def test_output_directory_may_be_there_with_files_in_it(old):
    assert output_directory(old.parent) == old.parent
    assert list(old.parent.iterdir()) == [old]


def test_output_directory_that_is_a_file(old):
    with pytest.raises(InputError, match=r"^`out` .*file\.txt is a file; give a folder"):
        output_directory(old)
    assert old.read_bytes() == b"old"


def test_output_directory_below_a_file(old):
    with pytest.raises(InputError, match=r"cannot be written to \(Not a directory\); choose another folder"):
        output_directory(old / "below")


def test_output_directory_with_a_name_too_long(tmp_path):
    with pytest.raises(InputError, match=r"cannot be written to \(File name too long\)"):
        output_directory(tmp_path / ("x" * 300))


def test_output_directory_where_nothing_can_be_written(tmp_path, monkeypatch):
    # Nothing stops the root user, so the refusal is made here.
    def refuse(*_, **__):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr(tempfile, "TemporaryFile", refuse)
    with pytest.raises(InputError, match=r"cannot be written to \(Permission denied\)") as caught:
        output_directory(tmp_path)
    assert "\n" not in str(caught.value)
