"""Pages whose commands are typed one after another in one folder: run them, and renew what they print.

Such a page has the line ``<!-- typed in order -->``. What a command prints is shown in full or not at all.

    python docs/typed.py            # renew all pages
"""

import contextlib
import io
import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path
from unittest import mock

DOCS = Path(__file__).parent
MARK = "<!-- typed in order -->"
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^\$ ((?:.*\\\n)*.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)
# Looking at files is not peerorder's business, but part of the story.
LOOKERS = ("head", "ls", "cat")
WIDTH = 80


def pages() -> list[Path]:
    """All pages that are typed in order."""
    return [path for path in sorted(DOCS.rglob("*.md")) if MARK in path.read_text("utf-8")]


def commands(text: str) -> list[str]:
    """The commands of a page, each on one line."""
    return [re.sub(r" *\\\n *", " ", match[1]) for block in BLOCK.findall(text) for match in COMMAND.finditer(block)]


def played(text: str, folder: Path) -> str:
    """The page with what its commands print in this folder, which is empty at first."""

    def block(match: re.Match[str]) -> str:
        return "```console\n" + COMMAND.sub(command, match[1]) + "```"

    def command(match: re.Match[str]) -> str:
        printed = _typed(re.sub(r" *\\\n *", " ", match[1]), folder)
        return f"$ {match[1]}\n" + (printed if match[2] else "")

    return BLOCK.sub(block, text)


def _typed(command: str, folder: Path) -> str:
    words = shlex.split(command)
    if words[0] in LOOKERS:
        seen = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=True).stdout
        # A terminal does not show a byte order mark.
        seen = seen.removeprefix("\ufeff")
    elif words[0] == "peerorder":
        seen = _ours(words[1:], folder)
    else:
        raise ValueError(f"{command}: a page typed in order has commands of peerorder and {', '.join(LOOKERS)} alone")
    return "".join(f"{line.rstrip()}\n" for line in seen.splitlines())


def _ours(arguments: list[str], folder: Path) -> str:
    from peerorder.cli import run

    out, before = io.StringIO(), Path.cwd()
    os.chdir(folder)
    try:
        with (
            mock.patch.dict(os.environ, {"COLUMNS": str(WIDTH)}),
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(out),
        ):
            run(arguments)
    finally:
        os.chdir(before)
    return out.getvalue()


if __name__ == "__main__":
    for page in pages():
        with tempfile.TemporaryDirectory(prefix="peerorder-") as folder:
            page.write_text(played(page.read_text("utf-8"), Path(folder)), "utf-8")
        sys.stdout.write(f"{page.name}: {len(commands(page.read_text('utf-8')))} commands\n")
