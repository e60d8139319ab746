"""What is done to files of decisions and gradebooks, in the sandbox: nothing here knows the database."""

import base64
import json
from pathlib import Path
from typing import Any

from peerorder.web.courses.tasks import list_problems, prepare_to_read
from peerorder.web.sandbox.problems import Problem

MOST_DECISIONS = 2000
FILLED = "1.csv"


def read_decisions(source: Path, _folder: Path) -> dict[str, Any]:
    """Read a file of decisions: person, decision, value, reason, row and column of each, and what cannot be read."""
    prepare_to_read(source)
    from peerorder.core.errors import InputError
    from peerorder.files.formats.problems import FileError
    from peerorder.files.tables.overrides import read_overrides

    try:
        read = read_overrides(source)
    except FileError as error:
        return {"decisions": [], **list_problems(error.problems)}
    except InputError as error:
        return {"decisions": [], "problems": [[None, None, str(error), ""]], "count": 1}
    if len(read.made) > MOST_DECISIONS:
        raise Problem("many-rows")
    made = zip(read.made, read.rows, read.columns, strict=True)
    decisions = [[each.person, each.decision, each.value, each.reason, row, column] for each, row, column in made]
    return {"decisions": decisions, **list_problems(read.problems)}


def fill_gradebook(source: Path, folder: Path) -> dict[str, Any]:
    """Fill in a gradebook; ``source`` has it with the marks, as JSON. Write it, and return what became of it."""
    from peerorder.core.errors import InputError
    from peerorder.files.outgoing.gradebooks import make_gradebooks

    given = json.loads(source.read_bytes())
    path = folder / "gradebook.csv"
    path.write_bytes(base64.b64decode(given.pop("content")))
    try:
        books = make_gradebooks(path, **given)
    except InputError as error:
        return {"problem": str(error).replace(str(path), "gradebook")}
    finally:
        path.unlink()
    (folder / FILLED).write_bytes(books[0].data)
    wanted = ("system", "column", "matched_by", "filled", "replaced", "missing", "unmarked", "notes")
    return {"books": [{name: getattr(book, name) for name in wanted} for book in books]}
