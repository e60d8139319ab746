"""Keep the data of one version, for the tests of upgrades.

Run it with the code of the version whose data it keeps, from a checkout of it::

    git clone -q . /tmp/old && git -C /tmp/old checkout -q 6a93ebf
    PYTHONPATH=/tmp/old/src:/tmp/old python tests/upgrades/make.py

It writes a folder beside this file, named after the version:

- ``peerorder.sqlite3.gz`` and ``peerorder.sql.gz``: the course of ``scenario.py`` on SQLite and on PostgreSQL,
- ``uploads.tar.gz``: the files that belong to both,
- ``graded/``: a round with files, and what ``peerorder grade`` made of it,
- ``expected.json``: what stands in all of these.

``scenario.py`` calls the services of the app, and has to be ported when these change. The data of older versions are
never made again: they are what people have.
"""

import argparse
import gzip
import io
import json
import shutil
import sqlite3
import subprocess
import sys
import tarfile
import tempfile
from contextlib import closing
from pathlib import Path

from peerorder._version import __version__
from tests.web.postgresql import programs, running
from tests.web.processes import App

HERE = Path(__file__).parent
SECRET_KEY = "not-a-secret-but-long-enough-to-sign-sessions-of-the-tests-of-upgrades"
# Passwords as in earnest, not the quick ones of other tests.
SETTINGS = {"DJANGO_SETTINGS_MODULE": "peerorder.web.settings"}
RUN = "import django, runpy; django.setup(); runpy.run_path({path!r}, run_name='__main__')"
SQLITE, POSTGRESQL, UPLOADS, EXPECTED = "peerorder.sqlite3.gz", "peerorder.sql.gz", "uploads.tar.gz", "expected.json"
INPUTS = ("--roster", "roster.csv", "--handout", "handout.csv", "--codes", "codes.csv")
MARKS = ("--marks", "curve:mean=70,sd=10")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--out", type=Path, default=HERE / __version__, help="where to write")
    out = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        sqlite = keep_sqlite(folder / "sqlite", out)
        postgresql = keep_postgresql(folder / "postgresql", out)
        differs = [(name, sqlite[name], postgresql[name]) for name in sqlite if sqlite[name] != postgresql[name]]
        assert not differs, f"both databases must have the same rows: {differs}"
        keep_uploads(folder, out)
    graded = keep_graded(out / "graded")
    expected = {"version": __version__, "secret_key": SECRET_KEY, **sqlite, "graded": graded}
    (out / EXPECTED).write_text(json.dumps(expected, indent=1, ensure_ascii=False) + "\n", "utf-8")
    for path in sorted(path for path in out.rglob("*") if path.is_file()):
        print(f"{path.stat().st_size:8,} {path.relative_to(out)}")


def tell_story(home: Path, database: str = "") -> dict:
    """Run the scenario on an empty database; return its facts."""
    home.mkdir(parents=True)
    (home / "secret-key").write_text(SECRET_KEY)
    app = App(home, database, more=SETTINGS).migrate()
    seen = app.command("-c", RUN.format(path=str(HERE / "scenario.py")), check=False)
    assert seen.returncode == 0, seen.stdout + seen.stderr
    return json.loads(seen.stdout.rpartition("TOLD ")[2])


def compress(content: bytes, path: Path) -> None:
    """Write the same bytes whenever the content is the same."""
    path.write_bytes(gzip.compress(content, 9, mtime=0))


def keep_sqlite(home: Path, out: Path) -> dict:
    found, copy = tell_story(home), home / "copy.sqlite3"
    # A copy in one file, without what waits in the write-ahead log.
    with closing(sqlite3.connect(home / "peerorder.sqlite3")) as connection:
        connection.execute("VACUUM INTO ?", [str(copy)])
    compress(copy.read_bytes(), out / SQLITE)
    return found


def keep_postgresql(home: Path, out: Path) -> dict:
    with running() as cluster:
        address = cluster.database("kept")
        found = tell_story(home, address)
        compress(dump(address).encode(), out / POSTGRESQL)
    return found


def dump(address: str) -> str:
    where = programs()
    assert where is not None
    command = [where / "pg_dump", "--no-owner", "--no-privileges", address]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    # Newer versions bracket the dump with commands that older versions of psql do not know.
    bracket = ("\\restrict", "\\unrestrict")
    return "".join(line for line in text.splitlines(keepends=True) if not line.startswith(bracket))


def keep_uploads(folder: Path, out: Path) -> None:
    """Archive the files of papers, which must be the same for both databases."""
    found = [
        {str(path.relative_to(place)): path.read_bytes() for path in sorted(place.rglob("*")) if path.is_file()}
        for place in (folder / "sqlite" / "uploads", folder / "postgresql" / "uploads")
    ]
    assert found[0] == found[1], "both databases must have the same files"
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w") as tar:
        for name, content in found[0].items():
            about = tarfile.TarInfo(f"uploads/{name}")
            about.size, about.mode = len(content), 0o600
            tar.addfile(about, io.BytesIO(content))
    compress(archive.getvalue(), out / UPLOADS)


def keep_graded(out: Path) -> dict:
    """Play a round with files, and grade it by two rules; return which files can be verified."""
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)

    def peerorder(*arguments: str) -> None:
        command = [sys.executable, "-m", "peerorder", *arguments]
        seen = subprocess.run(command, cwd=out, capture_output=True, text=True, check=False)
        assert seen.returncode == 0, seen.stdout + seen.stderr

    peerorder("demo", "--files", ".", "-n", "12", "--seed", "1")
    peerorder("assign", "roster.csv", "-k", "4", "--out", "handout.csv", "--codes", "codes.csv", "--seed", "2")
    noise = ("--noise", "condorcet:level=30,missing=0.1", "--seed", "3")
    peerorder("demo", "--answer", "handout.csv", "--roster", "roster.csv", "--codes", "codes.csv", *noise)
    tables = ("--graders", "graders.csv", "--students", "students.csv", "--letters", "letters.csv")
    peerorder("grade", "rankings.csv", *INPUTS, *MARKS, "--seed", "4", "--out", "grades.csv", *tables)
    peerorder("grade", "rankings.csv", *INPUTS, *MARKS, "--seed", "4", "--rule", "borda", "--out", "grades-borda.csv")
    (out / "gradebook.csv").unlink()
    files = ["grades.csv", "graders.csv", "students.csv", "letters.csv", "grades-borda.csv"]
    return {"rankings": "rankings.csv", "inputs": INPUTS, "verifiable": files}


if __name__ == "__main__":
    main()
