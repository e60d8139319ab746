"""The process: gives up what it does not need, does one thing to one file, and says in JSON what came of it."""

import json
import resource
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from peerorder.web.papers.sandbox.problems import Problem


def limit(seconds: int, megabytes: int) -> None:
    """From now on this process cannot take more than so much; the system stops it."""
    for what, most in (
        (resource.RLIMIT_CPU, seconds),
        (resource.RLIMIT_AS, megabytes * 2**20),
        (resource.RLIMIT_FSIZE, 256 * 2**20),
        (resource.RLIMIT_NOFILE, 64),
        (resource.RLIMIT_CORE, 0),
    ):
        resource.setrlimit(what, (most, most))


def work(command: str) -> Callable[[Path, Path], dict[str, Any]]:
    """What a command does; loaded only when it is needed."""
    if command == "image":
        from peerorder.web.papers.sandbox.image import clean_image

        return clean_image
    if command == "text":
        from peerorder.web.papers.sandbox.text import try_text

        return try_text
    from peerorder.web.papers.sandbox import pdf

    return {"pdf": pdf.clean_pdf, "pages": pdf.draw_pages}[command]


def main(command: str, source: str, folder: str, seconds: str, megabytes: str) -> None:
    """Do it. What comes out goes into the folder; what is to be said, to the standard output."""
    limit(int(seconds), int(megabytes))
    try:
        said = work(command)(Path(source), Path(folder))
    except Problem as problem:
        said = {"problem": problem.code}
    except MemoryError:
        said = {"problem": "too-much"}
    json.dump(said, sys.stdout)


if __name__ == "__main__":
    main(*sys.argv[1:])
