"""Everything about an assignment as the files that ``peerorder`` reads, in one ZIP."""

import json
import shutil
import tempfile
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from peerorder.files.formats.kinds import CODES, EXPORT, HANDOUT, RANKINGS, TABLE
from peerorder.web.assignments.models import Assignment
from peerorder.web.audit.models import Event
from peerorder.web.database.batches import batches
from peerorder.web.ranking.models import Comment, Problem, Save, Slot, UncountedSave
from peerorder.web.ranking.round_snapshot import Judgement, RoundNames, load_judgements, slots_of
from peerorder.web.results.mark_files import MarkFiles, files_in_force

GRADE = "peerorder grade rankings.csv --roster roster.csv --handout handout.csv --marks percentile --report report.html"
ABOUT = """Everything about one assignment of peerorder.

roster.csv    who takes part, with names and e-mail addresses, and the paper of each
codes.csv     the code of every paper, which is the name of its file in papers/
handout.csv   who was given which papers to rank (ballot 2 and more: extra papers that a grader agreed to rank)
rankings.csv  what was handed in (rank 1 is best, an empty rank means not judged)
withdrawn.csv papers withdrawn by staff, with the reason: the four files above leave them out, and they get no mark
comments.csv  what graders wrote about papers
problems.csv  what graders reported
events.csv    the audit log: who did what, and when
saves.jsonl   every ranking that was ever saved, without comments that were erased since, and for each grader the
              last one that could not count because it came late or from an outdated page
attachments/  the files that belong to the task, and to the sample solution
papers/       the papers, under their codes
withdrawn/    papers withdrawn by staff
"""
UNMARKED = f"""
This writes the order with a mark for every paper, and a report:
{GRADE}

percentile is one of several scales: `peerorder grade --help` lists them. Papers are named by the ids of their authors,
or by the team; roster.csv has the names. If many graders seem to have ranked upside down, both files say so first;
--upside-down reads all ranks the other way round.
"""


def export_of(assignment: Assignment) -> IO[bytes]:
    """Return the ZIP, as a file that is gone when it is closed."""
    names = RoundNames(assignment)
    # A paper withdrawn by staff gets no mark: no file that a command reads has it.
    distributed = (
        (names.student[grader], names.paper[paper], part + 1) for grader, paper, part in slots_of(assignment)
    )
    codes = ((names.paper[each.pk], each.code) for each in names.papers if each.pk not in names.withdrawn)
    judgements = list(load_judgements(assignment, with_comments=True))
    marks = files_in_force(assignment)
    out = tempfile.TemporaryFile()  # noqa: SIM115 -- the answer closes it
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("README.txt", ABOUT + _about_marks(marks) + _about_withdrawn(names) + _about_removed(names))
        _table(archive, "roster.csv", ROSTER, _roster(names))
        _table(archive, "codes.csv", ("paper", "code"), codes)
        _table(archive, "handout.csv", ("grader", "paper", "ballot"), distributed)
        _table(archive, "rankings.csv", ("grader", "paper", "rank", "ballot"), _rankings(names, judgements))
        _table(archive, "withdrawn.csv", WITHDRAWN, _withdrawn_papers(names))
        _table(archive, "comments.csv", ("grader", "paper", "comment"), _comments(names, judgements))
        _table(archive, "problems.csv", PROBLEMS, _problems(names, assignment))
        _table(archive, "events.csv", EVENTS, _events(assignment))
        _saves(archive, names, assignment)
        if marks is not None:
            for name in marks.names:
                archive.writestr(name, marks.content(name))
        _papers(archive, names)
        _attachments(archive, assignment)
    out.seek(0)
    return out


ROSTER = ("student", "name", "email", "paper", "role", "section", "team")
WITHDRAWN = ("paper", "code", "at", "reason")
PROBLEMS = ("grader", "paper", "kind", "text", "at", "answer", "answered_at")
EVENTS = ("at", "person", "verb", "details")


# Commands read these, to the letter; people open the others.
READ_BACK = {"roster.csv": TABLE, "codes.csv": CODES, "handout.csv": HANDOUT, "rankings.csv": RANKINGS}


def _table(archive: zipfile.ZipFile, name: str, columns: Sequence[str], rows: Iterator[tuple[Any, ...]]) -> None:
    from peerorder.files import table_bytes

    cells = list(zip(*rows, strict=True)) or [() for _ in columns]
    texts = {
        column: ["" if cell is None else str(cell) for cell in each]
        for column, each in zip(columns, cells, strict=True)
    }
    archive.writestr(name, table_bytes(Path(name), texts, READ_BACK.get(name, EXPORT)))


def _roster(names: RoundNames) -> Iterator[tuple[Any, ...]]:
    for member in names.members:
        paper = names.counting_paper(member.pk)
        yield (
            names.student[member.pk],
            member.person.name,
            member.person.email,
            names.paper[paper] if paper is not None else "",
            "student",
            member.section.name if member.section is not None else "",
            member.team,
        )


def _rankings(names: RoundNames, judgements: list[Judgement]) -> Iterator[tuple[Any, ...]]:
    """Yield a row for every paper in everything that was handed in, but for papers that were withdrawn.

    Ranks leave no gap where such a paper was: commands take ranks beyond the number of papers for points.
    """
    kept = [each for each in judgements if each.is_judged and each.paper not in names.withdrawn]
    ranks: dict[tuple[int, int], list[int]] = {}
    for each in kept:
        if each.rank is not None:
            ranks.setdefault((each.grader, each.part), []).append(each.rank)
    for each in kept:
        rank = each.rank
        if rank is not None:
            rank = 1 + sum(other < rank for other in ranks[each.grader, each.part])
        yield names.student[each.grader], names.paper[each.paper], rank, each.part + 1


def _withdrawn_papers(names: RoundNames) -> Iterator[tuple[Any, ...]]:
    for paper in names.papers:
        if paper.withdrawn_at is not None:
            yield names.paper[paper.pk], paper.code, paper.withdrawn_at.isoformat(), paper.withdrawn_because


def _about_withdrawn(names: RoundNames) -> str:
    """Return what README.txt says about papers withdrawn by staff, if there are any."""
    called = ", ".join(paper for paper, *_ in _withdrawn_papers(names))
    return f"\nStaff withdrew these papers, and they get no mark: {called}\n" if called else ""


def _about_removed(names: RoundNames) -> str:
    """Return what README.txt says about students who were removed from the course, if there are any."""
    called = ", ".join(names.student[member.pk] for member in names.members if member.removed_at is not None)
    said = "These students were removed from the course; what they handed in is in the files, and counts"
    return f"\n{said}: {called}\n" if called else ""


def _about_marks(marks: MarkFiles | None) -> str:
    """Return what README.txt says about the marks, and how to get the same again."""
    if marks is None:
        return UNMARKED
    which = f"release {marks.release.number}" if marks.release is not None else "the draft, which is not released"
    called = {
        "grades.csv": "one row per paper: place, interval, rankings and mark",
        "marks.csv": "one row per student: the mark of the paper, and the mark for ranking",
        "graders.csv": "one row per grader: how reliable they are",
        "overrides.csv": "what staff decided about marks and rankings, with the reasons",
        "anchors.csv": "papers that staff marked as anchors",
        "report.html": "the report on the round",
    }
    files = "".join(f"{name:<13} {called[name]}\n" for name in marks.names)
    same = (
        "This command, in this folder, writes the same grades.csv, graders.csv and marks.csv. They are there already, "
        "and it\nreplaces nothing that it did not write: move them elsewhere first, and compare."
        if marks.is_current
        else "Papers or people changed since this result was computed, so this command, in this folder, may write "
        "other grades and\nmarks. Compute a new result to have the same:"
    )
    return f"\nMarks, as in {which} (result {marks.result.number}):\n{files}\n{same}\n{marks.command}\n"


def _comments(names: RoundNames, judgements: list[Judgement]) -> Iterator[tuple[Any, ...]]:
    for each in judgements:
        if each.comment:
            yield names.student[each.grader], names.paper[each.paper], each.comment


def _problems(names: RoundNames, assignment: Assignment) -> Iterator[tuple[Any, ...]]:
    for each in Problem.objects.filter(slot__assignment=assignment).select_related("slot").order_by("pk"):
        grader, paper = names.student[each.slot.grader_id], names.paper[each.slot.paper_id]
        answered = each.answered_at.isoformat() if each.answered_at is not None else ""
        yield grader, paper, each.kind, each.text, each.at.isoformat(), each.answer, answered


def _events(assignment: Assignment) -> Iterator[tuple[Any, ...]]:
    events = Event.objects.filter(course_id=assignment.course_id, assignment_id=assignment.pk).order_by("pk")
    for each in events.iterator():
        yield each.at.isoformat(), each.person_id, each.verb, json.dumps(each.details, ensure_ascii=False)


def _saves(archive: zipfile.ZipFile, names: RoundNames, assignment: Assignment) -> None:
    """Write a line for every save that is kept. Tokens stand for papers there, so the papers are named instead."""
    papers = {
        token: names.paper[paper]
        for token, paper in Slot.written.filter(assignment=assignment).values_list("token", "paper")
    }
    saves = Save.objects.filter(ballot__assignment=assignment).select_related("ballot").order_by("pk")
    uncounted = UncountedSave.objects.filter(ballot__assignment=assignment).select_related("ballot").order_by("pk")
    with archive.open("saves.jsonl", "w") as out:

        def write(save: Save | UncountedSave, content: Any, **how: bool) -> None:
            line = {
                "grader": names.student.get(save.ballot.grader_id),
                "at": save.at.isoformat(),
                "revision": save.revision,
                **how,
                "client": save.client,
                "client_number": save.client_number,
                "content": _with_papers(content, papers),
            }
            out.write((json.dumps(line, ensure_ascii=False) + "\n").encode())

        for some in batches(saves.iterator()):
            contents = Comment.objects.put_back([each.content for each in some])
            for each, content in zip(some, contents, strict=True):
                write(each, content, hands_in=each.hands_in, conflict=each.conflict, late=each.late)
        for last in uncounted.iterator():
            late = last.why == UncountedSave.Why.LATE
            write(last, last.content, hands_in=False, conflict=not late, late=late)


def _with_papers(content: Any, papers: Mapping[str, str]) -> Any:
    """Return the same with papers where tokens were."""
    if isinstance(content, dict):
        return {papers.get(key, key): _with_papers(value, papers) for key, value in content.items()}
    if isinstance(content, list):
        return [_with_papers(value, papers) for value in content]
    return papers.get(content, content) if isinstance(content, str) else content


def _papers(archive: zipfile.ZipFile, names: RoundNames) -> None:
    for paper in names.papers:
        version = paper.current
        if version is None:
            continue
        folder = "withdrawn" if paper.pk in names.withdrawn else "papers"
        if version.file:
            ending = str(version.file.name).rpartition(".")[2]
            try:
                with version.file.open("rb") as source, archive.open(f"{folder}/{paper.code}.{ending}", "w") as out:
                    while chunk := source.read(2**20):
                        out.write(chunk)
            except FileNotFoundError:
                archive.writestr(f"{folder}/{paper.code}.missing.txt", "The file is not on the server any more.\n")
        elif version.text:
            ending = "txt" if version.kind == "link" else "md"
            archive.writestr(f"{folder}/{paper.code}.{ending}", version.text)


def _attachments(archive: zipfile.ZipFile, assignment: Assignment) -> None:
    for each in assignment.attachments.order_by("pk"):
        # Two may have the same name.
        name = f"attachments/{each.audience}/{each.pk}-{Path(each.name).name}"
        try:
            with each.file.open("rb") as source, archive.open(name, "w") as out:
                shutil.copyfileobj(source, out)
        except FileNotFoundError:
            archive.writestr(f"{name}.missing.txt", "The file is not on the server any more.\n")
