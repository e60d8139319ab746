"""The hostile student: as fast as answers come, on 16 connections, for a bounded time, then prints what was answered.

Runs in a process of its own at the lowest priority, with the class on its standard input:

python -m benchmarks.hostile.attacker PORT SECONDS
"""

import asyncio
import json
import os
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

from tests.web.nginx import trusting

__all__ = ["SHARES", "headers"]

# Any will do that is the same in the cookie and in the header.
FORGERY = "a" * 32
BOUNDARY = "peerorder-hostile"
HOLD = 20.0


def headers(made: dict[str, Any], session: str, port: int) -> dict[str, str]:
    """Return what a browser of somebody who is logged in sends with every request."""
    return {
        "Host": f"localhost:{port}",
        "Origin": f"https://localhost:{port}",
        "Cookie": f"{made['cookie']}={session}; csrftoken={FORGERY}; __Host-csrftoken={FORGERY}",
        "X-CSRFToken": FORGERY,
    }


class Student:
    """One session, and what it can be used for."""

    def __init__(self, made: dict[str, Any], port: int, until: float) -> None:
        self.made, self.port, self.until = made, port, until
        self.me = made["students"][0]
        self.headers = headers(made, self.me["session"], port)
        self.answers: Counter[str] = Counter()
        self.number = 0
        self._tls = trusting()

    @asynccontextmanager
    async def connected(self) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port, ssl=self._tls)
        try:
            yield reader, writer
        finally:
            writer.close()

    def _head(self, how: str, path: str, size: int, kind: str) -> bytes:
        lines = [f"{how} {path} HTTP/1.1", *(f"{name}: {value}" for name, value in self.headers.items())]
        lines += [f"Content-Length: {size}", f"Content-Type: {kind}", "Connection: close", "", ""]
        return "\r\n".join(lines).encode()

    async def ask(self, how: str, path: str, body: bytes = b"", kind: str = "text/plain") -> str:
        async with self.connected() as (reader, writer):
            writer.write(self._head(how, path, len(body), kind) + body)
            answer = await reader.read()
            return answer.split(maxsplit=2)[1].decode()

    # What there is to do.

    async def save(self) -> str:
        """Save a ranking with comments as long as they may be, different each time."""
        self.number += 1
        comments = {token: chr(0x1F600 + self.number % 60) * 5000 for token in self.me["tokens"]}
        order = [[token] for token in self.me["tokens"]]
        known = {"revision": 0, "client": "hostile", "number": self.number}
        content = {"orders": {"0": order}, "unjudged": [], "comments": comments}
        body = json.dumps({**known, "content": content}).encode()
        return await self.ask("POST", f"/assignments/{self.made['assignment']}/ranking/save/", body, "application/json")

    async def upload(self) -> str:
        """Hand in what is costly to draw, to keep or to show, different each time."""
        self.number += 1
        path = f"/assignments/{self.made['taking']}/hand-in/"
        if self.number % 3 == 0:
            fields = {"how": "text", "text": f"{self.number}" + "[" * 100_000}
            return await self.ask("POST", path, _multipart(fields), f"multipart/form-data; boundary={BOUNDARY}")
        file = _costly_pdf(self.number) if self.number % 3 == 1 else b"%PDF-1.4\n" + os.urandom(15 * 2**20)
        body = _multipart({"how": "file"}, file)
        return await self.ask("POST", path, body, f"multipart/form-data; boundary={BOUNDARY}")

    async def view(self) -> str:
        """Look at pages, the own paper among them."""
        self.number += 1
        pages = (
            "/",
            f"/assignments/{self.made['assignment']}/ranking/",
            f"/papers/{self.me['tokens'][0]}/",
            f"/assignments/{self.made['taking']}/my-paper/",
        )
        return await self.ask("GET", pages[self.number % len(pages)])

    async def hold(self) -> str:
        """Send half a request and wait."""
        self.number += 1
        head = self._head("POST", "/login/", 5000, "application/x-www-form-urlencoded")
        async with self.connected() as (reader, writer):
            # Half the headers, or all of them and half a body.
            writer.write(head[: len(head) // 2] if self.number % 2 else head + b"x" * 100)
            try:
                async with asyncio.timeout(min(HOLD, max(0.1, self.until - time.monotonic()))):
                    answer = await reader.read()
                    return answer.split(maxsplit=2)[1].decode() if answer else "closed"
            except TimeoutError:
                return "held"

    async def go_on(self, what: Callable[[], Awaitable[str]]) -> None:
        while time.monotonic() < self.until:
            try:
                answer = await what()
            except (OSError, IndexError) as error:
                answer = type(error).__name__
            self.answers[f"{what.__name__} {answer}"] += 1


SHARES = {"save": 5, "upload": 4, "view": 4, "hold": 3}
"""How the 16 connections are used."""


def _multipart(fields: dict[str, str], file: bytes | None = None) -> bytes:
    parts = [
        f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode()
        for name, value in fields.items()
    ]
    if file is not None:
        about = 'Content-Disposition: form-data; name="file"; filename="paper.pdf"\r\nContent-Type: application/pdf'
        parts.append(f"--{BOUNDARY}\r\n{about}\r\n\r\n".encode() + file + b"\r\n")
    return b"".join(parts) + f"--{BOUNDARY}--\r\n".encode()


def _costly_pdf(number: int) -> bytes:
    """Return a small PDF whose page has 60 full-page groups that are blended by luminosity."""
    draw = b"/G gs " + b"/X Do " * 60 + b"%% %d" % number
    shade = b"0.5 g 0 0 1600 5000 re f"
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 1600 5000]/Contents 4 0 R"
        b"/Resources<</ExtGState<</G<</BM/Luminosity/ca 0.5>>>>/XObject<</X 5 0 R>>>>>>",
        b"<</Length %d>>stream\n%s\nendstream" % (len(draw), draw),
        b"<</Type/XObject/Subtype/Form/BBox[0 0 1600 5000]/Group<</S/Transparency/I true/K true>>/Length %d>>stream\n"
        b"%s\nendstream" % (len(shade), shade),
    ]
    out, places = b"%PDF-1.4\n", []
    for index, each in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj%s endobj\n" % (index, each)
    table = b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    table += b"".join(b"%010d 00000 n \n" % place for place in places)
    return out + table + b"trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % (len(objects) + 1, len(out))


async def _attack(made: dict[str, Any], port: int, seconds: float) -> Counter[str]:
    student = Student(made, port, time.monotonic() + seconds)
    work = [student.go_on(getattr(student, name)) for name, share in SHARES.items() for _ in range(share)]
    await asyncio.gather(*work)
    return student.answers


if __name__ == "__main__":
    os.nice(19)
    answers = asyncio.run(_attack(json.load(sys.stdin), int(sys.argv[1]), float(sys.argv[2])))
    print(json.dumps(answers))
