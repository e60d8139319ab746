"""Fill in a gradebook that somebody exported elsewhere."""

import base64
import json
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.db.models import TextChoices
from django.utils.translation import gettext as _

from peerorder.web.errors import Refused
from peerorder.web.results.mark_files import MarkFiles
from peerorder.web.results.tasks import FILLED
from peerorder.web.sandbox.problems import Problem as SandboxProblem
from peerorder.web.sandbox.runner import Limits, run_sandboxed

FILL = "peerorder.web.results.tasks:fill_gradebook"
LIMITS = Limits(seconds=20, memory=2**30, output=20 * 2**20)


class System(TextChoices):
    """Where a gradebook comes from, as the library calls it."""

    CANVAS = "Canvas"
    MOODLE = "Moodle"
    BLACKBOARD = "Blackboard"
    OPEN_EDX = "Open edX"


@dataclass(frozen=True)
class FilledGradebook:
    """A gradebook with marks in it, and what became of each column."""

    data: bytes
    books: Sequence[Mapping[str, Any]]

    @property
    def filled(self) -> int:
        """How many marks were written."""
        return sum(int(book["filled"]) for book in self.books)

    @property
    def system(self) -> str:
        """Where it comes from; what the process says is not to be trusted."""
        said = self.books[0]["system"]
        return said if said in System.values else ""


def fill_gradebook(files: MarkFiles, content: bytes, **options: Any) -> FilledGradebook:
    """Return a gradebook with the marks of a sheet, or refuse it with the reason.

    ``options`` are those of the library's ``make_gradebooks``.
    """
    graded = files.graded
    if graded.marking is None or graded.round.people is None:
        raise Refused(_("There is no scale yet, so nobody has a mark. Choose a scale first."))
    table = graded.students()
    marks, reviews = (dict(zip(table["student"], table[name], strict=True)) for name in ("mark", "review_mark"))
    emails = dict(zip(graded.round.graders, graded.round.people.emails, strict=True))
    given = {"marks": marks, "reviews": reviews, "emails": emails, "highest": graded.marking.highest, **options}
    with tempfile.TemporaryDirectory(prefix="peerorder-gradebook-") as folder:
        source = Path(folder) / "gradebook.json"
        source.write_text(json.dumps({**given, "content": base64.b64encode(content).decode()}))
        try:
            said = run_sandboxed(FILL, source, Path(folder), LIMITS)
        except SandboxProblem as problem:
            busy = _("The server is busy with other files. Try again in a minute.")
            raise Refused(busy if problem.code == "busy" else _("This file cannot be read. Export it again.")) from None
        if "problem" in said:
            raise Refused(_in_words(str(said["problem"])))
        books = [{**book, "notes": [_sentence(str(note)) for note in book["notes"]]} for book in said["books"]]
        return FilledGradebook((Path(folder) / FILLED).read_bytes(), books)


def _in_words(problems: str) -> str:
    """Return what the library says of a file, in the words of the page; a line each."""
    for option, words in (("`column`", _("“Column for the marks”")), ("`force`", _("“Replace marks”"))):
        problems = problems.replace(option, words)
    return "\n".join(_sentence(line.removeprefix("gradebook: ")) for line in problems.splitlines())


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}{'' if text.endswith(('?', '.')) else '.'}"
