"""Processes of the app: ones that run a few lines after another, and commands.

``tests.web.processes.App.ask`` asks for one of the first. Questions come as lines of JSON on the standard input of such
a process, answers go the same way to its standard output. Every question begins without names and without a connection
to the database, as in a process of its own.

To import what does not depend on any settings is most of the start of a process. So that is done once, by a process
that is forked for every installation, and for every command (``App.command``).
"""

import gc
import json
import os
import runpy
import signal
import socket
import sys
import traceback
from importlib import import_module

from django.db import connections

from peerorder.web.operations.startup import load_django

# What takes long to import and knows of no settings.
BEFORE_THE_FORK = (
    "django.contrib.auth.hashers",
    "django.contrib.staticfiles.finders",
    "django.core.mail",
    "django.core.management",
    "django.db.backends.sqlite3.base",
    "django.db.migrations",
    "django.forms",
    "django.shortcuts",
    "django.test.client",
    "django.views.generic",
    "gunicorn.workers.gthread",
    "markdown_it",
    "nh3",
    "numpy.random",
    "numpy.typing",
    "peerorder.cli",
    "psycopg",
    "rich.progress",
    "rich.table",
)


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


def answer_all() -> None:
    """Answer all questions."""
    # Whatever is printed belongs to the errors.
    with os.fdopen(os.dup(1), "w") as out:
        os.dup2(2, 1)
        load_django()
        for line in sys.stdin:
            print(json.dumps(answer(json.loads(line))), file=out, flush=True)


def run(arguments: list[str]) -> None:
    """Run ``-m module`` or ``-c code`` as Python does, to the end of this process."""
    how, what, *_more = arguments
    sys.argv = [how, *_more]
    if how == "-m":
        runpy.run_module(what, run_name="__main__", alter_sys=True)
    else:
        exec(compile(what, "<string>", "exec"), {"__name__": "__main__"})


def become(environment: dict[str, str], streams: list[int]) -> None:
    """Have this environment and these standard streams."""
    os.environ.clear()
    os.environ.update(environment)
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)


def main(requests: socket.socket) -> None:
    """Fork for every request until nobody can make one.

    A request is an environment, the arguments of a command or none, and standard streams; of a command also where its
    exit code is to be written.
    """
    # The system forgets a dead child at once; who asks how it ended is told by another.
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    for module in BEFORE_THE_FORK:
        import_module(module)
    gc.freeze()
    while True:
        message, streams, *_ = socket.recv_fds(requests, 1 << 20, 4)
        if not message:
            return None
        if not (number := os.fork()):
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            requests.close()
            environment, arguments = json.loads(message)
            ended = streams.pop() if arguments else None
            if ended is not None and (command := os.fork()):
                code = os.waitstatus_to_exitcode(os.waitpid(command, 0)[1])
                os.write(ended, str(code).encode())
                os._exit(0)
            become(environment, streams)
            if ended is None:
                return answer_all()
            os.close(ended)
            return run(arguments)
        requests.send(str(number).encode())
        for stream in streams:
            os.close(stream)


if __name__ == "__main__":
    main(socket.socket(fileno=int(sys.argv[1])))
