"""Hand-outs as files: all inputs are read and checked first, and all outputs written last, or none."""

import secrets
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from peerorder.core import Profile, child
from peerorder.core.arrays import AnyIntArray
from peerorder.core.errors import InputError
from peerorder.core.text import shortlist
from peerorder.core.translation import gettext as _, ngettext
from peerorder.files.formats.arrow import Texts, numbers, strings
from peerorder.files.formats.file_types import PARQUET
from peerorder.files.formats.kinds import CODES, FORM, HANDOUT, MAIL_MERGE
from peerorder.files.formats.output import check_output, table_bytes
from peerorder.files.formats.paths import as_paths
from peerorder.files.formats.writing import provenance_bytes, provenance_path, replaced, write_bytes
from peerorder.files.outgoing.handout_table import HandoutTable
from peerorder.files.outgoing.mail_merge import form_columns, form_names, form_path, mail_merge_columns
from peerorder.files.rounds import fingerprint, numbered
from peerorder.files.tables.codes import make_codes, new_codes, read_codes
from peerorder.files.tables.conflicts import read_conflicts
from peerorder.files.tables.handouts import Handout
from peerorder.files.tables.merging import read_all, read_all_handouts, read_all_rankings
from peerorder.files.tables.previous_handouts import previous_settings
from peerorder.files.tables.rankings import Rankings
from peerorder.files.tables.roster import Roster, read_roster
from peerorder.rounds.allocation import NewRows, Participants, provenance_of_rows
from peerorder.schemes import Allocation

__all__ = ["HandoutFiles", "open_handout"]

# Enough to be secret, and a number that every reader of JSON keeps exactly.
SEED_BITS = 53
# The ballot of a hand-out and of what is added to it for late joiners; what is asked for later is another ballot.
FIRST_BALLOT = "1"


@dataclass(eq=False)
class HandoutFiles:
    """The files of a hand-out: what was read for it, and what to write."""

    roster: Roster
    participants: Participants
    before: Handout | None
    """The hand-outs so far, as in the files."""
    known: Mapping[str, str] | None
    """The paper of every existing code; None where ids are handed out."""
    seed: int
    given: Mapping[str, Any]
    """The parameters, by the names of ``open_handout``."""
    notes: list[str]
    dropped: list[str]
    said: Rankings | None = None
    """The rankings so far, once they are read."""
    files: dict[Path, bytes | HandoutTable] = field(default_factory=dict)
    """What to write: the content, or a table that is written in blocks."""
    forms: dict[Path, bytes] = field(default_factory=dict)
    """One form for every grader; messages name their folder alone."""
    provenance: dict[str, Any] = field(default_factory=dict)
    code_of: dict[str, str] = field(default_factory=dict)
    """The code of every paper where some papers had codes before."""
    shown: Any = None
    """What graders see instead of the id of every paper, as an arrow array; None where they see the id."""

    def rankings(self) -> Profile:
        """Return the rankings so far, by the numbers of the roster."""
        paths, lenient = self.given["top_up"], self.given["lenient"]
        self.said = read_all_rankings(paths, roster=self.roster, codes=self.known, lenient=lenient)
        self.notes += self.said.reading_notes
        self.dropped += map(str, self.said.dropped)
        return self.said.profile

    def next_ballot(self) -> str:
        """Return the name of the next ballot after those of the hand-outs so far."""
        return str(len(self.given["handout"]) + 1)

    def hand_out(self, new: NewRows[Any], *, keep: bool = False, ballot: str = FIRST_BALLOT) -> None:
        """Prepare all files: the hand-out, with earlier rows before it where these are kept."""
        out, codes, before = self.given["out"], self.given["codes"], self.before
        if self.known is not None:
            papers, shown = self._make_codes(self.known)
            if len(papers) > len(self.known):
                # In random order: where a paper stands must not tell whose it is.
                order = numbers(child(self.seed, "order of codes").permutation(len(papers)))
                self.files[codes] = table_bytes(codes, {"paper": papers.take(order), "code": shown.take(order)}, CODES)
        table = self._table(new.grader, new.paper)
        if keep and before is not None:
            if before.ballot is not None:
                first = strings([FIRST_BALLOT]), np.zeros(len(table), np.int32)
                table = HandoutTable({**table.columns, "ballot": first})
            table = table.after(self._earlier_table(before))
        elif isinstance(new.result, Allocation):
            table = replace(table, allocated=new)
        in_blocks = out.suffix.lower() in PARQUET
        self.files[out] = table if in_blocks else table_bytes(out, table.as_arrow(), HANDOUT)
        if self.given["letters"] is not None or self.given["forms"] is not None:
            self._mail_merge(new.grader, new.paper, keep, ballot)
        about = {
            "inputs": self._inputs(),
            "excused": list(self.given["excused"]),
            "codes": None if self.known is None else codes.name,
        }
        self.provenance = provenance_of_rows({**new.settings, **about}, self.seed)

    def _make_codes(self, known: Mapping[str, str]) -> tuple[Any, Any]:
        """Return all papers that have a code, and their codes; those of the roster are shown from now on."""
        roster, rng = self.roster, child(self.seed, "codes", len(known))
        if known or self.before is not None:
            taken = (*roster.students, *roster.papers)
            self.code_of = make_codes(roster.papers, rng, known=known, taken=taken)
            self.shown = strings(self.code_of[paper] for paper in roster.papers)
            return strings(self.code_of), strings(self.code_of.values())
        ids = roster.student_ids
        if not ids.equals(roster.paper_ids):
            ids = pc.unique(pa.chunked_array([each.cast(pa.string()) for each in (ids, roster.paper_ids)]))
        self.shown = new_codes(len(roster.paper_ids), rng, ids)
        return roster.paper_ids, self.shown

    def _table(self, grader: AnyIntArray, paper: AnyIntArray) -> HandoutTable:
        """Return rows as graders see them, by the numbers of the roster."""
        roster = self.roster
        shown = roster.paper_ids if self.shown is None else self.shown
        columns = {"grader": (roster.student_ids, grader), "paper": (shown, paper)}
        if any(roster.link):
            columns["link"] = strings(roster.link), paper
        return HandoutTable(columns)

    def _earlier_table(self, before: Handout) -> HandoutTable:
        """Return the rows of an earlier hand-out in the same way; some may no longer be on the roster."""
        shown = strings(self.code_of.get(each, each) for each in before.papers)
        columns = {"grader": (strings(before.graders), before.grader), "paper": (shown, before.paper)}
        if any(self.roster.link):
            link = dict(zip(self.roster.papers, self.roster.link, strict=True))
            columns["link"] = strings(link.get(each, "") for each in before.papers), before.paper
        if before.ballot is not None:
            columns["ballot"] = before.ballot.words, before.ballot.codes
        return HandoutTable(columns)

    def _mail_merge(self, grader: AnyIntArray, paper: AnyIntArray, keep: bool, ballot: str) -> None:
        new = None
        if keep:
            # Everybody with new papers gets a row with all of their papers, in one shuffled list.
            old_grader, old_paper = self.participants.rows
            had = np.isin(old_grader, grader)
            new = np.concatenate([np.zeros(int(had.sum()), bool), np.ones(len(grader), bool)])
            grader = np.concatenate([old_grader[had], grader])
            paper = np.concatenate([old_paper[had], paper])
            order = np.lexsort((child(self.seed, "letters").random(len(grader)), grader))
            grader, paper, new = grader[order], paper[order], new[order]
        rows = self._table(grader, paper).as_objects()
        letters, folder = self.given["letters"], self.given["forms"]
        form = form_columns(rows, ballot)
        names = self._one_form_each(folder, grader, form) if folder is not None else None
        if letters is None:
            return
        self._note_missing_addresses(letters, np.unique(grader).tolist())
        columns = mail_merge_columns(self.roster, grader, rows, new, names)
        self.files[letters] = table_bytes(letters, columns, MAIL_MERGE)
        if folder is None:
            self.files[form_path(letters)] = table_bytes(form_path(letters), form, FORM)

    def _one_form_each(self, folder: Path, grader: AnyIntArray, form: Mapping[str, Any]) -> list[str]:
        """Make a form for every grader, whose rows are adjacent; return their names."""
        who, first = np.unique(grader, return_index=True)
        order = np.argsort(first)
        who, first = who[order], first[order]
        names = form_names([self.roster.students[g] for g in who.tolist()], f".{self.given['form_type']}")
        ends = np.append(first[1:], len(grader))
        # A workbook hides the column that tells ballots apart; a CSV file does without where there is one.
        puzzling = {"ballot"} if self.given["form_type"] == "csv" and form["ballot"][:1] == [FIRST_BALLOT] else {}
        for name, begin, end in zip(names, first.tolist(), ends.tolist(), strict=True):
            part = {column: cells[begin:end] for column, cells in form.items() if column not in puzzling}
            self.forms[folder / name] = table_bytes(folder / name, part, FORM)
        return names

    def _note_missing_addresses(self, letters: Path, graders: Sequence[int]) -> None:
        roster = self.roster
        without = [roster.students[g] for g in graders if not roster.email[g]]
        if graders and "email" not in roster.columns:
            text = _("{roster} has no column email, so {file} has no e-mail addresses")
            self.notes.append(text.format(roster=roster.path, file=letters))
        elif without:
            text = _("{file}: no e-mail address for {names}")
            self.notes.append(text.format(file=roster.path, names=shortlist(without)))

    def _inputs(self) -> dict[str, dict[str, Any]]:
        """Return the name and the hash of every file that was read."""
        paths: dict[str, Path] = {}
        for role in ("roster", "conflicts", "extend", "handout", "top_up"):
            paths |= numbered(role, as_paths(self.given[role]))
        return {role: {"file": path.name, "sha256": fingerprint(path)} for role, path in paths.items()}

    def write(self) -> list[Path]:
        """Write everything, or nothing: files take their places when all are complete.

        The hand-out comes last, because the others depend on it; then its provenance.
        """
        out = self.given["out"]
        if out not in self.files:
            return []
        order = [*(path for path in self.files if path != out), out]
        contents = {path: self.files[path] for path in order}
        contents[provenance_path(out)] = provenance_bytes(self.provenance)
        with ExitStack() as places:
            for path in reversed(contents):
                new, content = places.enter_context(replaced(path)), contents[path]
                if isinstance(content, bytes):
                    new.write_bytes(content)
                else:
                    content.write(new, path)
            if self.forms:
                self.given["forms"].mkdir(parents=True, exist_ok=True)
            for path, form in self.forms.items():
                write_bytes(path, form)
        return [self.given["forms"], *order] if self.forms else order


def open_handout(given: dict[str, Any]) -> HandoutFiles:
    """Read and check everything that a hand-out needs, and that its outputs can be written.

    ``given`` has the parameters of ``peerorder assign`` by their names, and gets what was found out about these.
    """
    seed = secrets.randbits(SEED_BITS) if given["seed"] is None else given["seed"]
    child(seed)
    lenient = given["lenient"]
    before = as_paths(given["extend"]) or given["handout"]
    given["codes"] = given["codes"] or _codes_beside(before[0] if before else given["out"])
    _check_outputs(given)
    roster = read_roster(given["roster"], lenient)
    notes, dropped = [*roster.notes], [*map(str, roster.dropped)]
    past = previous_settings(before, given["conflicts"] is not None)
    notes += past.notes
    given["conflicts"] = as_paths(given["conflicts"]) or past.conflicts
    given["excused"] = [*given["excused"], *(who for who in past.excused if who in roster.student_number)]
    conflicts: dict[tuple[int, int], None] = {}
    for read in read_all(given["conflicts"], lambda path: read_conflicts(path, roster, lenient)):
        conflicts |= dict.fromkeys(read.pairs)
        notes += read.notes
        dropped += map(str, read.dropped)
    excused = np.zeros(len(roster.student_ids), bool)
    for who in given["excused"]:
        if who not in roster.student_number:
            cause, cure = roster.no_student(who, _("correct it"))
            raise InputError(_("`excused` {cause}; {cure}").format(cause=cause, cure=cure))
        excused[roster.student_number[who]] = True
    known = _known_codes(given, roster, before)
    others = sum(paper not in roster.paper_number for paper in (known or {}).values())
    if others:
        text = ngettext(
            "{file}: {count} of its papers is not on the roster; its code does not change",
            "{file}: {count} of its papers are not on the roster; their codes do not change",
            others,
        )
        notes.append(text.format(file=given["codes"], count=others))
    ids = Texts(roster.student_ids), Texts(roster.paper_ids)
    people = Participants(*ids, roster.authored, tuple(conflicts), excused)
    handed = read_all_handouts(before, known, lenient, roster)
    if handed is not None:
        if known is None and not given["no_codes"] and not {*handed.papers} <= {*roster.papers}:
            raise InputError(
                _("{file} does not exist, but {handout} holds codes; give the file of codes with `codes`").format(
                    file=given["codes"], handout=handed.path
                )
            )
        rows = handed.rows(roster.student_ids, roster.paper_ids)
        notes += handed.notes
        dropped += map(str, handed.dropped)
        gone = len(handed) - len(rows.grader)
        if gone == len(handed):
            raise InputError(
                _("{file}: no row has a grader and a paper of the roster {roster}; check both files").format(
                    file=handed.path, roster=roster.path
                )
            )
        if gone:
            text = ngettext(
                "{file}: {count:,} row has graders or papers that are not (or no longer) on {roster}",
                "{file}: {count:,} rows have graders or papers that are not (or no longer) on {roster}",
                gone,
            )
            notes.append(text.format(file=handed.path, count=gone, roster=roster.path))
        people = replace(people, rows=rows[:2])
    # Arrow keeps the memory that it needed for reading, which may be larger than the hand-out.
    pa.default_memory_pool().release_unused()
    return HandoutFiles(roster, people, handed, known, seed, given, notes, dropped)


def _codes_beside(handout: Path) -> Path:
    """Return the file of codes next to a hand-out; by default a workbook next to a workbook, which keeps zeros."""
    names = ("codes.xlsx", "codes.csv") if handout.suffix.lower() == ".xlsx" else ("codes.csv", "codes.xlsx")
    paths = [handout.with_name(name) for name in names]
    return next((path for path in paths if path.exists()), paths[0])


def _check_outputs(given: dict[str, Any]) -> None:
    outputs = {"`out`": (given["out"], HANDOUT)}
    if not given["no_codes"]:
        outputs["`codes`"] = given["codes"], CODES
    if given["letters"] is not None:
        outputs["`letters`"] = given["letters"], MAIL_MERGE
    if given["forms"] is not None:
        _check_folder(given["forms"])
    elif given["letters"] is not None:
        outputs[_("the form of `letters`")] = form_path(given["letters"]), FORM
    seen: dict[Path, str] = {}
    for option, (path, kind) in outputs.items():
        check_output(path, option, kind)
        if path.resolve() in seen:
            text = _("{parameter} and {other} are the same file, {file}; give each its own name")
            raise InputError(text.format(parameter=option, other=seen[path.resolve()], file=path))
        seen[path.resolve()] = option
    for name in ("roster", "conflicts", "extend", "top_up", "handout"):
        for path in as_paths(given[name]):
            # Late joiners may be added in place, by force.
            if path.resolve() in seen and (name, seen[path.resolve()]) != ("extend", "`out`"):
                text = _("{parameter} {file} would overwrite an input; choose another name")
                raise InputError(text.format(parameter=seen[path.resolve()], file=path))
    for option, (path, _kind) in outputs.items():
        # Codes that are there are used again. Anything else may have been sent, and no draw gives the same again.
        if path.exists() and option != "`codes`" and not given["force"]:
            text = _(
                "{parameter} {file} already exists, and may have been sent to people; choose another name, or add "
                "`force` to overwrite it"
            )
            raise InputError(text.format(parameter=option, file=path))


def _check_folder(folder: Path) -> None:
    """Raise InputError if a folder cannot be created, or has other forms in it."""
    try:
        there = folder.exists()
        taken = there and (not folder.is_dir() or any(folder.iterdir()))
        if not there:
            # Only to see whether it can be; nothing is left where something else is wrong.
            folder.mkdir(parents=True)
            folder.rmdir()
    except OSError as error:
        raise InputError(
            _("`forms` {folder} cannot be written to ({error}); choose another name").format(
                folder=folder, error=error.strerror
            )
        ) from None
    if taken:
        raise InputError(
            _("`forms` {folder} already exists and is not empty; give the name of a new folder").format(folder=folder)
        )


def _known_codes(given: dict[str, Any], roster: Roster, before: Sequence[Path]) -> Mapping[str, str] | None:
    """Return the existing codes, none yet, or None where ids are handed out."""
    if given["no_codes"]:
        return None
    if given["codes"].exists():
        return read_codes(given["codes"], roster)
    # What was handed out without codes goes on so.
    return None if before else {}
