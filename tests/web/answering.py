"""Processes of the app that run a few lines after another: ``tests.web.processes.App.ask`` asks for one.

Questions come as lines of JSON on the standard input of such a process, answers go the same way to its standard output.
Every question begins without names and without a connection to the database, as in a process of its own.

To import what does not depend on any settings is most of the start of a process. So that is done once, by a process
that is forked for every installation.
"""

import json
import os
import signal
import socket
import sys
import traceback

import django
import django.contrib.auth.hashers
import django.contrib.staticfiles.finders
import django.core.management
import django.db.backends.sqlite3.base
import django.forms
import django.shortcuts
import django.test.client
import markdown_it  # noqa: F401
import nh3  # noqa: F401
import numpy as np  # noqa: F401
import psycopg  # noqa: F401
from django.db import connections


def answer(code: str) -> dict[str, object]:
    """Run the lines; what they told last, or how they failed."""
    told: list[object] = []
    try:
        exec(compile(code, "<question>", "exec"), {"__name__": "__main__", "tell": told.append, "json": json})
        return {"told": json.loads(json.dumps(told[-1], default=str)) if told else None}
    except BaseException:
        return {"failed": traceback.format_exc()}
    finally:
        connections.close_all()


def answer_all(environment: dict[str, str], streams: list[int]) -> None:
    """Become a process with this environment and these standard streams, and answer all questions."""
    os.environ.clear()
    os.environ.update(environment)
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    # Whatever is printed belongs to the errors.
    with os.fdopen(os.dup(1), "w") as out:
        os.dup2(2, 1)
        django.setup()
        for line in sys.stdin:
            print(json.dumps(answer(json.loads(line))), file=out, flush=True)


def main(requests: socket.socket) -> None:
    """Fork for every request, which is an environment and standard streams, until nobody can make one."""
    # The system forgets a dead child at once; nobody asks how it ended.
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    while True:
        message, streams, *_ = socket.recv_fds(requests, 1 << 20, 3)
        if not message:
            return
        if not (number := os.fork()):
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            requests.close()
            answer_all(json.loads(message), streams)
            return
        requests.send(str(number).encode())
        for stream in streams:
            os.close(stream)


if __name__ == "__main__":
    main(socket.socket(fileno=int(sys.argv[1])))
