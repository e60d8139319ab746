"""PostgreSQL's own programs, run on our database."""

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from django.conf import settings

from peerorder.core.errors import InputError
from peerorder.core.translation import gettext as _
from peerorder.web.operations.processes import die_with_parent


def run_client(program: str, *arguments: str) -> None:
    """Run ``pg_dump``, ``pg_restore`` or ``psql``; the password goes by the environment, for nobody to see.

    Raises
    ------
    InputError
        If the program is not there or fails.
    """
    path = shutil.which(program)
    if path is None:
        text = _("{program} is not on the path; it comes with PostgreSQL's client: apt-get install postgresql-client")
        raise InputError(text.format(program=program))
    database = settings.DATABASES["default"]
    names = {"PGHOST": "HOST", "PGPORT": "PORT", "PGUSER": "USER", "PGPASSWORD": "PASSWORD", "PGDATABASE": "NAME"}
    given = {name: str(database[key]) for name, key in names.items() if database.get(key)}
    options: Mapping[str, Any] = database.get("OPTIONS", {})
    given |= {f"PG{key.upper()}": str(value) for key, value in options.items() if key in ("sslmode", "sslrootcert")}
    if "host" in options:
        given["PGHOST"] = str(options["host"])
    result = subprocess.run(
        [path, *arguments],
        env=os.environ | given,
        capture_output=True,
        text=True,
        check=False,
        # A restore that was killed must not go on without us.
        preexec_fn=die_with_parent,
    )
    if result.returncode:
        reason = (result.stderr.strip().splitlines() or [_("no reason given")])[0]
        raise InputError(_("{program} failed: {reason}").format(program=program, reason=reason))


def dump_postgresql(copy: Path, *, without: Sequence[str]) -> None:
    """Copy the database as it is at one moment, without the rows of some tables."""
    excluded = (f"--exclude-table-data=*.{table}" for table in without)
    run_client("pg_dump", "--format=custom", "--no-owner", "--no-privileges", *excluded, f"--file={copy}")
