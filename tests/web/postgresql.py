"""A PostgreSQL of our own for tests: from Debian's packages, on a socket in a temporary folder, gone afterwards."""

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from urllib.parse import quote

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

HOW = "PostgreSQL is not on this machine; on Debian and Ubuntu: apt-get install postgresql"


def programs() -> Path | None:
    """Where PostgreSQL's programs are; the newest where there are several."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"), key=lambda path: float(path.parts[4]))
    if found:
        return found[-1].parent
    on_path = shutil.which("postgres")
    return Path(on_path).resolve().parent if on_path else None


class Cluster:
    """A running server. ``database()`` makes a database and gives its address for PEERORDER_DATABASE."""

    def __init__(self, socket: Path) -> None:
        self._socket = socket
        self.user = "peerorder"
        self._numbers = count(1)

    def connect(self, name: str = "postgres") -> psycopg.Connection:
        return psycopg.connect(host=str(self._socket), user=self.user, dbname=name, autocommit=True)

    def database(self, name: str = "", template: str = "") -> str:
        """Make a database, empty or a copy of the one at an address; return its address."""
        name = name or f"app{next(self._numbers)}"
        copied = conninfo_to_dict(template)["dbname"] if template else "template1"
        with self.connect() as connection:
            connection.execute(f'CREATE DATABASE "{name}" TEMPLATE "{copied}"')
        return f"postgresql://{self.user}@/{name}?host={quote(str(self._socket), safe='')}"


@contextmanager
def running() -> Iterator[Cluster]:
    """Start a cluster, and stop it by its own id."""
    where = programs()
    if where is None:
        pytest.skip(HOW)
    # As root PostgreSQL refuses to run; Debian's package brings an account for it.
    account = [] if os.geteuid() else ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]
    folder = Path(tempfile.mkdtemp(prefix="peerorder-postgresql-"))
    try:
        if not os.geteuid():
            os.chown(folder, pwd.getpwnam("postgres").pw_uid, pwd.getpwnam("postgres").pw_gid)
        data = folder / "data"
        made = [*account, where / "initdb", "-D", data, "-U", "peerorder", "-A", "trust", "-E", "UTF8", "--no-sync"]
        subprocess.run([*made, "--locale=C.UTF-8"], check=True, capture_output=True, cwd=folder)
        options = ["-c", "listen_addresses=", "-k", folder, "-c", "max_connections=200", "-c", "timezone=UTC"]
        # The machine does not lose its power: what is killed here is the app.
        options += ["-c", "fsync=off", "-c", "full_page_writes=off"]
        # Nor is there another server to tell, nor a table that lives long enough to be cleaned.
        options += ["-c", "wal_level=minimal", "-c", "max_wal_senders=0", "-c", "autovacuum=off", "-c", "jit=off"]
        with (folder / "log").open("w") as log:
            server = subprocess.Popen([*account, where / "postgres", "-D", data, *options], stderr=log, cwd=folder)
        try:
            _wait(Cluster(folder), server, folder / "log")
            yield Cluster(folder)
        finally:
            # Without waiting for those who are still connected.
            server.send_signal(signal.SIGINT)
            try:
                server.wait(60)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _wait(cluster: Cluster, server: subprocess.Popen, log: Path) -> None:
    until = time.monotonic() + 60
    while True:
        try:
            cluster.connect().close()
            return
        except psycopg.OperationalError as error:
            if server.poll() is not None or time.monotonic() > until:
                raise RuntimeError(f"PostgreSQL did not start: {log.read_text()}") from error
            time.sleep(0.1)
