"""The sandbox, attacked from inside: what bubblewrap keeps out, and what the limited mode does not."""

import json
import logging
import os
import socket
import sys
import tempfile
import threading
from contextlib import suppress
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from django.conf import settings

from peerorder.core.errors import InputError
from peerorder.web.operations import serving
from peerorder.web.sandbox import bubblewrap, runner
from peerorder.web.sandbox.problems import Problem
from peerorder.web.sandbox.runner import BUBBLEWRAP, LIMITED, Limits, run_sandboxed
from tests.web.processes import until

pytestmark = pytest.mark.usefixtures("real_sandbox")

ATTACKS = "tests.web.sandbox.attacks:"
SMALL = Limits(2, memory=2**29, output=4 * 2**20)


@cache
def why_not() -> str:
    return runner.why_no_bubblewrap()


@pytest.fixture(params=["bubblewrap", "bubblewrap of an ordinary user", "limited"])
def mode(request, monkeypatch):
    """Each way to run a task. The ways of root and of others differ, and root can try both."""
    if request.param != LIMITED and (why := why_not()):
        pytest.skip(f"bubblewrap does not work here: {why}")
    if "ordinary" in request.param:
        monkeypatch.setattr(bubblewrap, "is_root", lambda: False)
    found = request.param.partition(" ")[0]
    monkeypatch.setattr(runner, "_mode", found)
    return found


@pytest.fixture
def attack(mode, tmp_path):
    """Run an attack on what ``about`` says; gives what it achieved."""

    def attacked(name, about=None, limits=SMALL, **options):
        source, folder = tmp_path / "sent.json", tmp_path / "folder"
        source.write_text(json.dumps(about))
        folder.mkdir(exist_ok=True)
        return run_sandboxed(ATTACKS + name, source, folder, limits, **options)

    return attacked


@pytest.fixture
def treasures(tmp_path):
    """What must not be seen: the secret key, the database, the upload of somebody else, passwords of the machine."""
    home = Path(settings.ENVIRONMENT.home)
    names = [home / "secret-key", home / "peerorder.sqlite3", home / "uploads" / "aa" / "other.pdf", tmp_path / "other"]
    for path in names:
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            path.write_text("secret")
    return [*map(str, names), "/etc/passwd", "/etc/hostname"]


def command_lines() -> list[str]:
    """Return the commands of all processes."""
    lines = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            lines.append(path.read_text())
    return lines


# What must not be had.


def test_files(attack, mode, treasures):
    assert attack("read", treasures) == ([] if mode == BUBBLEWRAP else treasures)


@pytest.mark.parametrize("place", ["home", "media"])
def test_files_among_the_libraries(attack, mode, monkeypatch, place, tmp_path):
    """A folder of the site that lies where Python has to look."""
    library = tmp_path / "site-packages"
    inside = library / place
    inside.mkdir(parents=True)
    (inside / "secret-key").write_text("secret")
    (library / "fine.py").write_text("# fine")
    # Libraries can be read by everybody, whatever the umask of this process is by now.
    library.chmod(0o755)
    (library / "fine.py").chmod(0o644)
    monkeypatch.syspath_prepend(library)
    monkeypatch.setattr(runner, "hidden_folders", lambda: (inside,))
    wanted = [str(inside / "secret-key"), str(library / "fine.py")]
    assert attack("read", wanted) == (wanted[1:] if mode == BUBBLEWRAP else wanted)


def test_the_environment(attack, mode, monkeypatch):
    monkeypatch.setenv("PEERORDER_SECRET_KEY", "hush" * 20)
    found = attack("look_around")
    assert not [name for name in found["mine"] if name.startswith(("PEERORDER", "DJANGO", "PYTHON", "HOME"))]
    if mode == BUBBLEWRAP:
        assert found["others"] == ""
        libraries = {Path(path).parts[1] for path in (sys.prefix, *sys.path) if Path(path).is_absolute()}
        assert not ({"proc", "home", "var", "run"} - libraries) & set(found["root"])
    else:
        # What this process started with can be read by every process of the account.
        assert os.environ["PATH"] in found["others"]


def test_writing(attack, mode, tmp_path):
    targets = [tmp_path / "mine", Path(runner.__file__).parent / "new.txt", Path("/usr/lib/new.txt"), Path("/new.txt")]
    try:
        written = attack("write", list(map(str, targets)))
        assert [path.exists() for path in targets] == [str(path) in written for path in targets]
    finally:
        for path in targets[1:]:
            path.unlink(missing_ok=True)
    if mode == BUBBLEWRAP:
        assert not written
    else:
        assert str(targets[0]) in written


def test_sockets(attack, mode, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as one, socket.socket(socket.AF_UNIX) as two:
        path = str(tmp_path / "s")
        two.bind(path)
        two.listen()
        reached = attack("connect", [one.getsockname(), path])
    assert reached == ([] if mode == BUBBLEWRAP else ["AF_INET", "AF_UNIX"])


def test_processes(attack, mode, request):
    started = attack("multiply")
    # Nothing limits the processes of root, but root does not stay root in bubblewrap.
    if os.geteuid() == 0 and request.node.callspec.params["mode"] != BUBBLEWRAP:
        assert started == 20
    else:
        assert started == 0


def test_signals(attack, mode):
    """Nothing of the account that runs the app can be stopped from inside."""
    assert attack("signal_others", [os.getpid()]) == ([] if mode == BUBBLEWRAP else [os.getpid()])


# What must not be taken.


def test_time(attack, monkeypatch):
    """Of the processor: the system ends it, before our patience does."""
    ended, kill = [], runner._kill
    monkeypatch.setattr(Limits, "patience", 120.0)
    monkeypatch.setattr(runner, "_kill", lambda process: ended.append(process.returncode) or kill(process))
    with pytest.raises(Problem, match="too-much"):
        attack("burn", limits=Limits(1))
    assert ended != [None]


def test_memory(attack):
    """It has the time to take more."""
    with pytest.raises(Problem, match="too-much"):
        attack("grow", limits=Limits(20, memory=2**29))


def test_time_on_the_wall(attack, monkeypatch):
    monkeypatch.setattr(Limits, "patience", 1.0)
    with pytest.raises(Problem, match="too-much"):
        attack("sleep")


def test_the_disk(attack, mode):
    """Inside, files together have a limit; a limited process has one for each file alone."""
    written = attack("fill")
    assert written <= 6 if mode == BUBBLEWRAP else written == 100


def test_an_answer_without_end(attack, tmp_path, monkeypatch):
    """It is not kept, and takes no more of the disk than it may."""
    taken, real = [], tempfile.TemporaryFile

    def watched(**options):
        answer = real(**options)
        taken.append(os.dup(answer.fileno()))
        return answer

    monkeypatch.setattr(tempfile, "TemporaryFile", watched)
    with pytest.raises(Problem, match="unknown"):
        attack("fill_elsewhere", limits=Limits(20, output=2**20))
    (number,) = taken
    assert os.fstat(number).st_size <= runner.LONGEST_ANSWER + 2**20
    os.close(number)
    assert not list((tmp_path / "folder").iterdir())


def test_a_result_that_nobody_wants_any_more(attack):
    asked = []

    def is_wanted():
        asked.append(True)
        return len(asked) < 2

    with pytest.raises(Problem, match="unwanted"):
        attack("sleep", is_wanted=is_wanted)


def test_no_process_is_left_behind(attack, monkeypatch, tmp_path):
    monkeypatch.setattr(Limits, "patience", 1.0)
    with pytest.raises(Problem):
        attack("sleep")
    # Killed, the process outside is gone at once; the kernel ends those inside.
    until(lambda: not [line for line in command_lines() if str(tmp_path) in line or "attacks:sleep" in line])


def test_only_so_many_run_at_a_time(attack, monkeypatch):
    monkeypatch.setattr(runner, "_turns", threading.BoundedSemaphore(1))
    monkeypatch.setattr(runner, "TURN", 0.1)
    started, finish, ended = threading.Event(), threading.Event(), []

    def is_wanted():
        started.set()
        return not finish.is_set()

    def first():
        try:
            attack("sleep", is_wanted=is_wanted)
        except Problem as problem:
            ended.append(problem.code)

    thread = threading.Thread(target=first)
    thread.start()
    try:
        assert started.wait(60)
        with pytest.raises(Problem, match="busy"):
            attack("give_back")
    finally:
        finish.set()
        thread.join()
    assert ended == ["unwanted"]
    assert attack("give_back") == [4, "input.json"], "the turn was given back"


# What comes back.


def test_the_result_and_the_files_come_back(attack, tmp_path):
    assert attack("give_back", "hello") == [7, "input.json"]
    assert sorted(path.name for path in (tmp_path / "folder").iterdir()) == ["a.txt", "b.txt"]
    assert (tmp_path / "folder" / "a.txt").read_text() == '"hello"'


LIES = {
    "nothing": b"",
    "no JSON": b"hello\n",
    "deep": b"[" * 200_000 + b"\n",
    "a path": b'{"result": 1, "files": [["../x.txt", 1]]}\nx',
    "a hidden file": b'{"result": 1, "files": [[".profile", 1]]}\nx',
    "one file twice": b'{"result": 1, "files": [["a.txt", 1], ["a.txt", 1]]}\nxx',
    "a negative size": b'{"result": 1, "files": [["a.txt", -1]]}\n',
    "too large": b'{"result": 1, "files": [["a.txt", 99999999999]]}\n',
    "a problem that is none": b'{"problem": {"a": 1}, "files": []}\n',
    "no result": b'{"files": []}\n',
    "a list": b"[1, 2]\n",
}


@pytest.mark.parametrize("lie", LIES)
def test_an_answer_is_not_trusted(lie, tmp_path, monkeypatch):
    monkeypatch.setattr(runner, "_mode", LIMITED)
    (tmp_path / "sent").write_bytes(LIES[lie])
    folder = tmp_path / "folder"
    folder.mkdir()
    with pytest.raises(Problem, match="unknown"):
        run_sandboxed(ATTACKS + "say", tmp_path / "sent", folder, SMALL)
    assert not list(tmp_path.glob("*.txt"))
    assert not list(folder.iterdir())


def test_no_name_gets_into_the_log(attack, caplog):
    with caplog.at_level(logging.DEBUG), pytest.raises(Problem, match="unknown"):
        attack("complain")
    assert "ValueError" in caplog.text
    assert "Bobson" not in caplog.text


# Which mode.


@pytest.fixture
def unfixed(monkeypatch):
    monkeypatch.setattr(runner, "_mode", None)
    monkeypatch.setenv("PEERORDER_SANDBOX", "")


@pytest.fixture
def failing(monkeypatch, tmp_path):
    """A bubblewrap that does not work."""
    program = tmp_path / "bwrap"
    program.write_text("#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")


def asked(monkeypatch, mode):
    monkeypatch.setattr(settings, "ENVIRONMENT", replace(settings.ENVIRONMENT, sandbox=mode))


def test_without_bubblewrap_the_start_warns(unfixed, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "not sandboxed" in serving.choose_sandbox()
    assert (runner.sandbox_mode(), os.environ["PEERORDER_SANDBOX"]) == (LIMITED, LIMITED)


def test_a_bubblewrap_that_fails_is_as_good_as_none(unfixed, failing, monkeypatch):
    assert "No permissions to create new namespace" in serving.choose_sandbox()
    assert runner.sandbox_mode() == LIMITED
    asked(monkeypatch, BUBBLEWRAP)
    with pytest.raises(InputError, match="No permissions"):
        serving.choose_sandbox()


def test_it_is_the_best_that_works(unfixed):
    if why := why_not():
        pytest.skip(f"bubblewrap does not work here: {why}")
    assert runner.sandbox_mode() == BUBBLEWRAP
    assert serving.choose_sandbox() == ""
    assert os.environ["PEERORDER_SANDBOX"] == BUBBLEWRAP


def test_it_can_be_chosen(unfixed, monkeypatch):
    asked(monkeypatch, LIMITED)
    assert "PEERORDER_SANDBOX says so" in serving.choose_sandbox()
    assert runner.sandbox_mode() == LIMITED


def test_once_chosen_no_process_does_without(failing, monkeypatch, tmp_path):
    """A bubblewrap that stops working fails the task, and never opens what it had shut."""
    monkeypatch.setattr(runner, "_mode", BUBBLEWRAP)
    (tmp_path / "sent.json").write_text("1")
    with pytest.raises(Problem, match="unknown"):
        run_sandboxed(ATTACKS + "give_back", tmp_path / "sent.json", tmp_path, SMALL)


def test_those_who_make_courses_see_it_on_the_health_page(enter, instructor, students, client):
    assert "sandbox" not in client.get("/health/").json()
    assert "sandbox" not in enter(students[0]).get("/health/").json()
    assert enter(instructor).get("/health/").json()["sandbox"] in (BUBBLEWRAP, LIMITED)
