"""A process of the app that runs a few lines after another: ``tests.web.processes.App.ask`` starts it.

Questions come as lines of JSON on its standard input, answers go the same way to its standard output. Every question
begins without names and without a connection to the database, as in a process of its own.
"""

import json
import os
import sys
import traceback

import django
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


def main() -> None:
    # Whatever is printed belongs to the errors.
    with os.fdopen(os.dup(1), "w") as out:
        os.dup2(2, 1)
        django.setup()
        for line in sys.stdin:
            print(json.dumps(answer(json.loads(line))), file=out, flush=True)


if __name__ == "__main__":
    main()
