"""The students: each saves a few times and hands in, at moments of her own, whatever the server is busy with.

Time counts from the moment at which a student presses the button, so waiting for a slow answer before counts too. As
from a proxy with its usual settings, every request comes on a connection of its own, a few at a time.
"""

import asyncio
import json
import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

__all__ = ["Heard", "Server", "rush"]

CONNECTIONS = 16
WARM = 100
# Any will do that is the same in the cookie and in the header.
FORGERY = "a" * 32


@dataclass
class Heard:
    """How long answers took, and what was no success."""

    seconds: list[float] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


class Server:
    """One port, which hears a few at a time; the others wait for their turn."""

    def __init__(self, port: int) -> None:
        self.port = port
        self._turn = asyncio.Semaphore(CONNECTIONS)

    async def post(self, path: str, body: bytes, headers: str) -> tuple[int, bytes]:
        """Send something; the status and the answer."""
        return await self._ask("POST", path, body, headers)

    async def get(self, path: str) -> tuple[int, bytes]:
        """Ask for a page."""
        return await self._ask("GET", path, b"", "")

    async def _ask(self, how: str, path: str, body: bytes, headers: str) -> tuple[int, bytes]:
        head = (
            f"{how} {path} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\nContent-Length: {len(body)}\r\n"
            f"Connection: close\r\n{headers}\r\n"
        )
        async with self._turn:
            reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
            try:
                writer.write(head.encode() + body)
                answer, _, rest = (await reader.read()).partition(b"\r\n\r\n")
                return int(answer.split()[1]), rest
            finally:
                writer.close()


def rush(made: dict[str, Any], app: int, bare: int, seconds: float, saves: int) -> dict[str, Any]:
    """The whole class; gives what was heard of saves, of handing in and of the bare view, and what was sent last."""
    return asyncio.run(_rush(made, Server(app), Server(bare), seconds, saves))


async def _rush(made: dict[str, Any], app: Server, bare: Server, seconds: float, saves: int) -> dict[str, Any]:
    draw = random.Random(0)
    # Servers that have answered before, as they have in the middle of a term.
    await asyncio.gather(*(each for _ in range(WARM) for each in (app.get("/health/"), bare.post("/", b"warm", ""))))
    heard = {"save": Heard(), "hand in": Heard(), "bare": Heard()}
    begin = time.perf_counter() + 0.5
    sent: dict[str, Any] = {}
    work = []
    for student in made["students"]:
        moments = sorted(begin + draw.uniform(0, seconds) for _ in range(saves + 1))
        # Another order each time: what is saved again is not kept again.
        orders = [draw.sample(student["tokens"], len(student["tokens"]))]
        while len(orders) < len(moments):
            order = draw.sample(student["tokens"], len(student["tokens"]))
            orders += [order] if order != orders[-1] else []
        work.append(_student(made, student, app, bare, list(zip(moments, orders, strict=True)), heard, sent))
    await asyncio.gather(*work)
    return {"heard": heard, "sent": sent, "took": time.perf_counter() - begin}


async def _student(
    made: dict[str, Any],
    student: dict[str, Any],
    app: Server,
    bare: Server,
    work: list[tuple[float, list[str]]],
    heard: dict[str, Heard],
    sent: dict[str, Any],
) -> None:
    where = f"/assignments/{made['assignment']}/ranking"
    cookies = f"Cookie: {made['cookie']}={student['session']}; csrftoken={FORGERY}\r\nX-CSRFToken: {FORGERY}\r\n"
    as_json = f"{cookies}Content-Type: application/json\r\n"
    as_form = f"{cookies}Content-Type: application/x-www-form-urlencoded\r\n"
    revision = 0
    for number, (moment, order) in enumerate(work, 1):
        await asyncio.sleep(max(0.0, moment - time.perf_counter()))
        known = {"revision": revision, "client": f"c{student['member']}", "number": number}
        content = {"orders": {"0": [[token] for token in order]}, "unjudged": [], "comments": {}}
        body = json.dumps({**known, "content": content}).encode()
        if number < len(work):
            answer = await _timed(
                heard["save"], moment, app.post(f"{where}/save/", body, as_json), lambda code: code == 200
            )
            revision = json.loads(answer)["revision"] if answer else revision
        else:
            places = {f"place-{token}": str(place) for place, token in enumerate(order, 1)}
            form = urlencode({**known, **places}).encode()
            await _timed(
                heard["hand in"], moment, app.post(f"{where}/hand-in/", form, as_form), lambda code: code == 302
            )
            sent[str(student["member"])] = content
        moment = time.perf_counter()
        await _timed(heard["bare"], moment, bare.post("/", body, ""), lambda code: code == 200)


async def _timed(heard: Heard, since: float, request: Any, good: Callable[[int], bool]) -> bytes:
    try:
        status, answer = await request
    except (OSError, IndexError, ValueError) as error:
        heard.problems.append(repr(error))
        return b""
    heard.seconds.append(time.perf_counter() - since)
    if not good(status):
        heard.problems.append(f"{status} {answer[:200]!r}")
        return b""
    return bytes(answer)
