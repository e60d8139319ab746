"""What ``peerorder demo`` writes for a rehearsal with files."""

from pathlib import Path

from peerorder.cli import display

__all__ = ["write_answers", "write_class"]


def write_class(folder: Path, n: int, seed: int) -> None:
    """The roster and the gradebook of a class that does not exist."""
    from peerorder.files import output_directory, write_table
    from peerorder.studies import rehearsal

    students = rehearsal.roster(n, seed)
    output_directory(folder)
    write_table(folder / "roster.csv", students)
    write_table(folder / "gradebook.csv", rehearsal.gradebook(students))
    display.say(
        f"Written: `{folder / 'roster.csv'}` with {n:,} students who do not exist, and `{folder / 'gradebook.csv'}`, "
        f"what Canvas would export for them"
    )


def write_answers(handout: Path, roster: Path | None, codes: Path | None, noise: str, seed: int, out: Path) -> None:
    """The rankings that simulated students hand in for a hand-out."""
    from peerorder.files import check_writable, read_codes, read_handout, read_roster, write_table
    from peerorder.noise import NOISES
    from peerorder.studies import rehearsal

    check_writable(out, "--out")
    model = NOISES.parse(noise)
    given = read_handout(handout)
    people = read_roster(roster) if roster is not None else None
    behind = read_codes(codes) if codes is not None else None
    table = rehearsal.answers(given, people, behind, model, seed)
    write_table(out, table)
    came = len({grader for grader, rank in zip(table["grader"], table["rank"], strict=True) if rank is not None})
    display.say(f"Written: `{out}`, from {came:,} of {len(given.graders):,} graders, who err as `{model.spec}` does")
