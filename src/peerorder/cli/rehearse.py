"""Files that ``peerorder demo`` writes for a rehearsal."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from peerorder.cli import display
from peerorder.core.translation import gettext as _, ngettext

__all__ = ["write_answers", "write_class"]


def _write(tables: Mapping[Path, Mapping[str, Sequence[Any]]]) -> None:
    """Write all tables, or none if a file would be lost: simulated data must not replace real data."""
    from peerorder.core.errors import InputError
    from peerorder.files import table_bytes, write_bytes

    contents = {path: table_bytes(path, table) for path, table in tables.items()}
    for path, content in contents.items():
        if path.exists() and not (path.is_file() and path.read_bytes() == content):
            text = _("{file} already exists, and may be real; choose another name or folder, or delete it first")
            raise InputError(text.format(file=path))
    for path, content in contents.items():
        write_bytes(path, content)


def write_class(folder: Path, n: int, seed: int) -> None:
    """Write the roster and the gradebook of an invented class."""
    from peerorder.files import output_directory
    from peerorder.studies import rehearsal

    students = rehearsal.roster(n, seed)
    output_directory(folder)
    _write({folder / "roster.csv": students, folder / "gradebook.csv": rehearsal.gradebook(students)})
    text = ngettext(
        "Wrote `{roster}` with {count:,} invented student, and `{gradebook}`, as Canvas would export it.",
        "Wrote `{roster}` with {count:,} invented students, and `{gradebook}`, as Canvas would export it.",
        n,
    )
    display.say(text.format(roster=folder / "roster.csv", count=n, gradebook=folder / "gradebook.csv"))


def write_answers(handout: Path, roster: Path | None, codes: Path | None, noise: str, seed: int, out: Path) -> None:
    """Write the rankings that simulated students submit for a hand-out."""
    from peerorder.files import check_output, read_codes, read_handout, read_roster
    from peerorder.files.formats.kinds import FORM
    from peerorder.noise import NOISES
    from peerorder.studies import rehearsal

    check_output(out, "--out", FORM)
    model = NOISES.parse(noise)
    given = read_handout(handout)
    people = read_roster(roster) if roster is not None else None
    behind = read_codes(codes) if codes is not None else None
    table = rehearsal.answers(given, people, behind, model, seed)
    _write({out: table})
    came = len({grader for grader, rank in zip(table["grader"], table["rank"], strict=True) if rank is not None})
    text = _("Wrote `{file}`, from {ranked:,} of {graders:,} graders, simulated with `{noise}`.")
    display.say(text.format(file=out, ranked=came, graders=len(given.graders), noise=model.spec))
