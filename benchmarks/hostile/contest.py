"""Starts PostgreSQL, the app in production, nginx and a mail server; measures pages without and beside the attack."""

import json
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx
import numpy as np
from aiosmtpd.controller import Controller
from aiosmtpd.handlers import Sink

from benchmarks.hostile.attacker import headers
from benchmarks.hostile.crowd import Heard, visit
from benchmarks.serving import ROOT, environment, free_port, run, serving
from benchmarks.timing import Line, Measured
from tests.web.nginx import Proxy, nginx, program, trusting
from tests.web.postgresql import programs, running

__all__ = ["lines"]

STUDENTS, K = 40, 5
# How long the class is alone, and how long the attack lasts. The instructor hands papers out after a while.
ALONE, ATTACK, PRESS = 30.0, 60.0, 15.0
PROCESSES = 2
SECRET_KEY = "only-for-the-benchmark-Zq8vL2xW5nR7tY1uJ4kM9pB3cF6hD0gS-a2b3c4d5"


class Mailbox(Sink):
    """Counts the messages that a mail server took."""

    def __init__(self) -> None:
        super().__init__()
        self.taken: list[float] = []

    async def handle_DATA(self, *_about: Any) -> str:  # noqa: N802
        self.taken.append(time.monotonic())
        return "250 OK"


def lines(_repeat: int) -> Iterator[Line]:
    what = f"{STUDENTS} students beside a hostile one"
    if programs() is None or program() is None:
        yield Line(f"page, median, {what}", None, at_most=5, left_out="PostgreSQL or nginx is not on this machine")
        return
    with ExitStack() as stack:
        cluster = stack.enter_context(running())
        home = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        app = free_port()
        proxy = stack.enter_context(nginx(home / "nginx", app))
        mailbox = Mailbox()
        mail = Controller(mailbox, hostname="127.0.0.1", port=free_port())
        mail.start()
        stack.callback(mail.stop)
        settings = environment(
            HOME=str(home / "data"),
            DATABASE=cluster.database("hostile"),
            PRODUCTION="yes",
            SECRET_KEY=SECRET_KEY,
            URL=proxy.url,
            MAIL=f"smtp://127.0.0.1:{mail.port}",
        )
        serve = [sys.executable, "-m", "peerorder", "serve", "--processes", str(PROCESSES), "--port", str(app)]
        with ExitStack() as serving_app:
            serving_app.enter_context(serving(serve, settings, app, home / "app.log"))
            made = json.loads(run(settings, "-m", "benchmarks.hostile.classroom", "make", str(STUDENTS + 1), str(K)))
            everybody = made["students"][1:]
            alone = visit(made, everybody, proxy.tls, ALONE)
            before = _look(settings, made["waiting"])
            disk = _disk(home, before)
            attack = _Attack(made, proxy.tls)
            press = threading.Timer(PRESS, _hand_out, (made, proxy.tls))
            press.start()
            beside = visit(made, everybody, proxy.tls, ATTACK)
            answers = attack.end()
            press.join()
            mails, after = len(mailbox.taken), _look(settings, made["waiting"])
            grown = (_disk(home, after) - disk) / 2**20
            tokens = _use_links(proxy)
        # nginx answers while the app is restarted, too.
        tokens += _use_links(proxy)
        logs = proxy.logs()
    print(json.dumps({"attack": answers, "drawings that wait": after["waiting"]}, indent=1), file=sys.stderr)
    for heard in (alone, beside):
        if heard.problems:
            print(f"{len(heard.problems)} problems, the first {heard.problems[0]}", file=sys.stderr)
    yield from _lines(what, alone, beside)
    problems = len(alone.problems) + len(beside.problems)
    yield Line(f"pages of others that were no success, {what}", Measured("all", (problems,), "pages"), at_most=0)
    missing = STUDENTS + 1 - mails
    yield Line(
        "e-mails of a hand-out that did not go out during the attack", Measured("all", (missing,), "e-mails"), at_most=0
    )
    slots = (STUDENTS + 1) * K - after["slots"]
    yield Line("papers that were not handed out during the attack", Measured("all", (slots,), "papers"), at_most=0)
    yield Line("growth of database and files in the attack", Measured("all", (grown,), "MB"), at_most=100)
    told = sum(token in logs for token in tokens)
    yield Line("tokens in nginx's logs", Measured("all", (told,), "tokens"), at_most=0)


def _lines(what: str, alone: Heard, beside: Heard) -> Iterator[Line]:
    for label, percent, limit in (("median", 50, 5), ("99th percentile", 99, None)):
        now, idle = (float(np.percentile(heard.seconds, percent)) for heard in (beside, alone))
        ours, other = Measured("page", (now,)), Measured("the same pages without the attack", (idle,))
        yield Line(f"page, {label}, {what}", ours, other, at_most=limit)


class _Attack:
    """The hostile student, in a process of its own, from now on."""

    def __init__(self, made: dict[str, Any], port: int) -> None:
        command = [sys.executable, "-m", "benchmarks.hostile.attacker", str(port), str(ATTACK)]
        self._process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(made))
        self._process.stdin.close()

    def end(self) -> dict[str, int]:
        """Wait for its end; return how often what was answered."""
        assert self._process.stdout is not None
        said = self._process.stdout.read()
        if self._process.wait(60):
            raise RuntimeError("the attack did not work")
        return dict(sorted(json.loads(said).items()))


def _hand_out(made: dict[str, Any], port: int) -> None:
    """Press the instructor's button: papers are handed out, and everybody gets an e-mail."""
    with httpx.Client(verify=trusting(), timeout=60, headers=headers(made, made["instructor"], port)) as client:
        answer = client.post(
            f"https://localhost:{port}/assignments/{made['waiting']}/move/ranking/", data={"tell": "on"}
        )
        if answer.status_code != 302:
            raise RuntimeError(f"papers could not be handed out: {answer.status_code}")


def _use_links(proxy: Proxy) -> list[str]:
    """Open addresses that hold secrets, on both ports; return the secrets."""
    tokens = []
    for address in (proxy.url, f"http://localhost:{proxy.plain}"):
        for path in ("/in/{}/", "/password/{}/", "/invitations/{}/"):
            tokens.append(f"token{len(tokens)}x{time.monotonic_ns()}")
            with httpx.Client(verify=trusting(), timeout=30) as client:
                client.get(address + path.format(tokens[-1]))
    return tokens


def _look(settings: dict[str, str], assignment: int) -> dict[str, Any]:
    return dict(json.loads(run(settings, "-m", "benchmarks.hostile.classroom", "look", str(assignment))))


def _disk(home: Path, seen: dict[str, Any]) -> int:
    """Return the bytes that the database and all files of the app have."""
    return int(seen["database"]) + sum(path.stat().st_size for path in (home / "data").rglob("*") if path.is_file())
