"""Everybody else: students who look at pages at their leisure, each on a connection that stays open."""

import asyncio
import random
import time
from dataclasses import dataclass, field
from typing import Any

import httpx

from benchmarks.hostile.attacker import headers
from tests.web.nginx import trusting

__all__ = ["Heard", "visit"]

# How long somebody reads before the next page, on average.
READS = 3.0


@dataclass
class Heard:
    """How long pages took, and what was no success."""

    seconds: list[float] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


def visit(made: dict[str, Any], students: list[dict[str, Any]], port: int, seconds: float) -> Heard:
    """Let these students look at pages for so long."""
    return asyncio.run(_visit(made, students, port, seconds))


async def _visit(made: dict[str, Any], students: list[dict[str, Any]], port: int, seconds: float) -> Heard:
    heard, until, draw = Heard(), time.monotonic() + seconds, random.Random(0)
    await asyncio.gather(*(_student(made, student, port, until, draw, heard) for student in students))
    return heard


async def _student(
    made: dict[str, Any], student: dict[str, Any], port: int, until: float, draw: random.Random, heard: Heard
) -> None:
    ranking = f"/assignments/{made['assignment']}/ranking/"
    pages = ["/", ranking, *(f"/papers/{token}/" for token in student["tokens"])]
    about = headers(made, student["session"], port)
    async with httpx.AsyncClient(
        base_url=f"https://localhost:{port}", headers=about, verify=trusting(), timeout=30
    ) as client:
        while (pause := draw.expovariate(1 / READS)) < until - time.monotonic():
            await asyncio.sleep(pause)
            begin = time.perf_counter()
            try:
                answer = await client.get(draw.choice(pages))
            except httpx.HTTPError as error:
                heard.problems.append(repr(error))
                continue
            heard.seconds.append(time.perf_counter() - begin)
            if answer.status_code != 200:
                heard.problems.append(f"{answer.status_code} {answer.url.path}")
