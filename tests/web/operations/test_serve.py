"""`peerorder serve` and its care, in processes as people start them."""

import os
import re
import signal
import socket
import subprocess
import sys
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest

from tests.web.processes import LONG, ROOT, App, alive, children, command_of, free_port, health, healthy, until

pytestmark = pytest.mark.processes


def test_it_runs_prints_how_to_log_in_once_and_survives_a_dead_worker(app, tmp_path):
    port = free_port()
    serve = ("-m", "peerorder", "serve", "--port", str(port))
    with (tmp_path / "out").open("w") as out, app.process(*serve, stdout=out, stderr=out) as server:
        until(lambda: "Ctrl-C" in (tmp_path / "out").read_text())
        # It answers by then.
        assert health(port) is not None
        printed = (tmp_path / "out").read_text()
        assert re.search(r"username +admin\n +password +\S{12,}\n +or this link http://127.0.0.1:\d+/in/", printed)
        found = until(lambda: healthy(port))
        assert found["uploads"] is True
        worker = next(child for child in children(server.pid) if " work " in command_of(child))
        os.kill(worker, signal.SIGKILL)
        new = until(
            lambda: [child for child in children(server.pid) if child != worker and " work " in command_of(child)]
        )
        assert until(lambda: healthy(port))
        web = [child for child in children(server.pid) if child not in new]
        for refused in ("nothing/", "login/"):
            with pytest.raises(HTTPError):
                urlopen(f"http://127.0.0.1:{port}/{refused}", data=b"x=y" if refused == "login/" else None)
        server.send_signal(signal.SIGTERM)
        assert server.wait(60) == 0
    assert not any(map(alive, [*new, *web]))
    # Requests and what is refused do not fill the terminal; that a worker died does appear.
    assert len(re.findall("restarted", (tmp_path / "out").read_text())) == 1
    assert "peerorder.requests" not in (tmp_path / "out").read_text()
    assert "/nothing/" not in (tmp_path / "out").read_text()
    assert "CSRF" not in (tmp_path / "out").read_text()
    assert health(port) is None
    # The second time there is an account already.
    with (tmp_path / "again").open("w") as out, app.process(*serve, stdout=out):
        until(lambda: "Ctrl-C" in (tmp_path / "again").read_text())
        again = (tmp_path / "again").read_text()
        assert "staff password admin" in again
        assert not re.search(r"password +\S{12,}\n|/in/", again)


def test_where_it_is_killed_without_a_word_nothing_is_left_behind(tmp_path):
    # Nothing is compiled yet.
    app, port = App(tmp_path / "home", more={"NUMBA_CACHE_DIR": str(tmp_path / "compiled")}), free_port()
    with app.process("-m", "peerorder", "serve", "--port", str(port), stdout=subprocess.DEVNULL) as server:
        # By its words: until it has begun, a child has those of its parent.
        preparing = until(
            lambda: next((child for child in children(server.pid) if command_of(child).endswith(" prepare ")), None)
        )
        until(lambda: healthy(port))
        left = children(server.pid)
        assert len(left) == 3
        until(lambda: os.getpriority(os.PRIO_PROCESS, preparing) == 19)
        server.kill()
        server.wait()
        until(lambda: not any(map(alive, left)))
    assert health(port) is None


def test_web_and_worker_run_apart(tmp_path):
    app, port = App(tmp_path / "home"), free_port()
    with app.process(
        "-m", "peerorder", "serve", "--only", "web", "--port", str(port), stdout=subprocess.DEVNULL
    ) as web:
        assert until(lambda: health(port))["worker"] is False
        with app.process("-m", "peerorder", "serve", "--only", "worker") as worker:
            until(lambda: healthy(port))
            worker.terminate()
            assert worker.wait(60) == 0
        web.terminate()
        assert web.wait(60) == 0


def test_a_port_that_is_taken_is_said_in_one_line(tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        seen = App(tmp_path / "home").command("-m", "peerorder", "serve", "--port", str(port), check=False)
    assert seen.returncode == 2
    assert "choose another --port" in seen.stderr
    assert len(seen.stderr.strip().splitlines()) == 1
    assert "password" not in seen.stdout


@pytest.mark.parametrize(
    ("setting", "value", "words"),
    [
        ("PEERORDER_MAIL", "gopher://x", "PEERORDER_MAIL"),
        ("PEERORDER_COLOUR", "blue", "there is no setting PEERORDER_COLOUR"),
        ("PEERORDER_DATABASE", "postgresql://nobody@127.0.0.1:1/none", "check PEERORDER_DATABASE"),
    ],
)
def test_a_wrong_setting_is_said_in_one_line(setting, value, words, tmp_path):
    app = App(tmp_path / "home", more={setting: value})
    seen = app.command("-m", "peerorder", "serve", "--port", str(free_port()), check=False)
    assert seen.returncode == 2
    assert words in seen.stderr
    assert len(seen.stderr.strip().splitlines()) == 1


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.7", "peers.example.edu"])
def test_others_cannot_reach_what_is_not_made_for_it(host, tmp_path):
    app = App(tmp_path / "home")
    seen = app.command("-m", "peerorder", "serve", "--host", host, "--port", str(free_port()), check=False)
    assert seen.returncode == 2
    assert "PEERORDER_PRODUCTION" in seen.stderr
    assert len(seen.stderr.strip().splitlines()) == 1
    assert "password " not in seen.stdout
    assert not (app.home / "peerorder.sqlite3").exists()


@pytest.mark.parametrize(
    "words", [("staff", "list"), ("staff", "add", "Ida", "--email", "ida@example.edu"), ("backup", "b.tar.gz")]
)
def test_a_command_without_the_variables_makes_no_site(words, tmp_path):
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PEERORDER_", "DJANGO_"))}
    seen = subprocess.run(
        [sys.executable, "-m", "peerorder", *words],
        env=kept,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=LONG,
    )
    assert seen.returncode == 2
    assert len(seen.stderr.strip().splitlines()) == 1
    assert "PEERORDER_HOME" in seen.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can leave files that others cannot write")
@pytest.mark.parametrize("words", [("staff", "list"), ("serve",), ("backup", "b.tar.gz"), ("restore", "b.tar.gz")])
def test_root_leaves_nothing_in_the_folder_of_another_account(words, tmp_path):
    app = App(tmp_path / "home").migrate()
    for path in (app.home, *app.home.iterdir()):
        os.chown(path, 12345, 12345)
    before = {path: path.stat().st_mtime_ns for path in app.home.rglob("*")}
    seen = app.command("-m", "peerorder", *words, check=False)
    assert seen.returncode == 2
    assert "12345" in seen.stderr
    assert len(seen.stderr.strip().splitlines()) == 1
    assert {path: path.stat().st_mtime_ns for path in app.home.rglob("*")} == before


def test_without_the_extra_one_line_says_how_to_get_it():
    code = (
        "import sys; sys.modules['django'] = None\n"
        "from peerorder.cli import run; print([run([*words]) for words in (['serve'], ['staff', 'list'], "
        "['backup', 'x'], ['restore', 'x'])])"
    )
    seen = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT, timeout=LONG
    )
    assert seen.stdout.strip() == "[2, 2, 2, 2]"
    assert (
        seen.stderr.splitlines()
        == ["peerorder: the web app is not installed; `pip install 'peerorder[web]'` installs it"] * 4
    )
