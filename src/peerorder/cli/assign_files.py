"""What ``peerorder assign`` reads and writes: all of it is read and checked first, and written last, all or nothing."""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from peerorder._version import __version__
from peerorder.core import Profile, child
from peerorder.core.arrays import AnyIntArray, Int32Array
from peerorder.core.errors import InputError
from peerorder.files import (
    Handout,
    Roster,
    check_writable,
    form_columns,
    form_names,
    form_path,
    letter_columns,
    make_codes,
    read_codes,
    read_conflicts,
    read_handout,
    read_rankings,
    read_roster,
    table_bytes,
    write_bytes,
    write_provenance,
)
from peerorder.files.ids import Alike
from peerorder.files.rounds import fingerprint

__all__ = ["Handed", "Round", "open_round"]

# Enough to be secret, and a number that every reader of JSON keeps exactly.
SEED_BITS = 53


@dataclass(frozen=True, eq=False)
class Handed:
    """A hand-out that there is, by the numbers of the roster; rows of people and papers that are not on it stay out."""

    file: Handout | None
    grader: Int32Array
    paper: Int32Array


@dataclass(eq=False)
class Round:
    """A round on disk: what was read for it, and what is to be written."""

    roster: Roster
    conflicts: tuple[tuple[int, int], ...]
    excused: Any
    handed: Handed
    known: Mapping[str, str] | None
    """The paper behind every code that there is; None where ids are handed out."""
    seed: int
    given: dict[str, Any]
    notes: list[str]
    dropped: list[str]
    files: dict[Path, bytes] = field(default_factory=dict)
    forms: dict[Path, bytes] = field(default_factory=dict)
    """One for every grader; these are named by their folder alone."""
    provenance: dict[str, Any] = field(default_factory=dict)

    @property
    def rules(self) -> dict[str, Any]:
        """Who may not get what."""
        return {"conflicts": self.conflicts, "excused": self.excused}

    @property
    def names(self) -> dict[str, Any]:
        """What to call everybody in an error."""
        return {"graders": self.roster.students, "papers": self.roster.papers}

    def usual_size(self) -> int:
        """How many papers most graders have."""
        sizes = np.bincount(self.handed.grader)
        return int(np.bincount(sizes[sizes > 0]).argmax()) if len(self.handed.grader) else 0

    def rankings(self, path: Path) -> Profile:
        """The rankings in a file, by the numbers of the roster."""
        read = read_rankings(path, roster=self.roster, codes=self.known, lenient=self.given["lenient"])
        self.notes += read.notes
        self.dropped += map(str, read.dropped)
        return read.profile

    def hand_out(
        self,
        grader: AnyIntArray,
        paper: AnyIntArray,
        about: Mapping[str, Any],
        *,
        keep: bool = False,
        ballot: str | None = None,
    ) -> None:
        """Get everything ready to be written: the hand-out, with what there is before it where that is kept."""
        out, codes = self.given["out"], self.given["codes"]
        code_of = None
        if self.known is not None:
            taken = (*self.roster.students, *self.roster.papers)
            rng = child(self.seed, "codes", len(self.known))
            code_of = make_codes(self.roster.papers, rng, known=self.known, taken=taken)
            if len(code_of) > len(self.known):
                # In random order: where a paper stands must not tell whose it is.
                order = child(self.seed, "order of codes").permutation(len(code_of))
                papers = [*code_of]
                shuffled = [papers[at] for at in order.tolist()]
                self.files[codes] = table_bytes(codes, {"paper": shuffled, "code": [code_of[p] for p in shuffled]})
        texts = self.roster.papers if code_of is None else [code_of[paper] for paper in self.roster.papers]
        linked = any(self.roster.link)
        rows = _rows(self.roster, grader, paper, texts, linked)
        if keep and self.handed.file is not None:
            rows = _after(self.handed.file, rows, code_of, self.roster, linked)
        self.files[out] = table_bytes(out, rows)
        if self.given["letters"] is not None or self.given["forms"] is not None:
            self._letters(grader, paper, texts, linked, keep, ballot)
        self.provenance = {
            "command": "assign",
            **about,
            "inputs": self._inputs(),
            "excused": list(self.given["excused"]),
            "codes": None if self.known is None else codes.name,
            "seed": self.seed,
            "version": __version__,
        }

    def _letters(
        self,
        grader: AnyIntArray,
        paper: AnyIntArray,
        texts: Any,
        linked: bool,
        keep: bool,
        ballot: str | None,
    ) -> None:
        new = None
        if keep:
            # Whoever gets something gets a letter with all of theirs, in one shuffled list.
            had = np.isin(self.handed.grader, grader)
            new = np.concatenate([np.zeros(int(had.sum()), bool), np.ones(len(grader), bool)])
            grader = np.concatenate([self.handed.grader[had], grader])
            paper = np.concatenate([self.handed.paper[had], paper])
            order = np.lexsort((child(self.seed, "letters").random(len(grader)), grader))
            grader, paper, new = grader[order], paper[order], new[order]
        shown = np.array(texts, object)[paper]
        links = np.array(self.roster.link, object)[paper] if linked else None
        letters, folder = self.given["letters"], self.given["forms"]
        form = form_columns(self.roster, grader, shown, links, ballot)
        names = None
        if folder is not None:
            who, first = np.unique(grader, return_index=True)
            who, first = who[order := np.argsort(first)], first[order]
            names = form_names([self.roster.students[g] for g in who.tolist()], f".{self.given['form_type']}")
            ends = np.append(first[1:], len(grader))
            for name, begin, end in zip(names, first.tolist(), ends.tolist(), strict=True):
                part = {column: cells[begin:end] for column, cells in form.items()}
                self.forms[folder / name] = table_bytes(folder / name, part)
        if letters is not None:
            self.files[letters] = table_bytes(letters, letter_columns(self.roster, grader, shown, links, new, names))
        if letters is not None and folder is None:
            self.files[form_path(letters)] = table_bytes(form_path(letters), form)

    def _inputs(self) -> dict[str, dict[str, Any]]:
        """The name and the hash of every file that was read."""
        roles = ("roster", "conflicts", "extend", "handout", "top_up")
        paths = {role: self.given[role] for role in roles if self.given[role] is not None}
        return {role: {"file": path.name, "sha256": fingerprint(path)} for role, path in paths.items()}

    def write(self) -> list[Path]:
        """Write everything; the hand-out comes last, because it is what the others are for."""
        out = self.given["out"]
        if out not in self.files:
            return []
        order = [*(path for path in self.files if path != out), out]
        for path, content in self.forms.items():
            write_bytes(path, content)
        for path in order:
            write_bytes(path, self.files[path])
        write_provenance(out, self.provenance)
        return [self.given["forms"], *order] if self.forms else order


def open_round(given: dict[str, Any]) -> Round:
    """Read and check everything that a round needs, and that its outputs can be written."""
    seed = secrets.randbits(SEED_BITS) if given["seed"] is None else given["seed"]
    child(seed)
    lenient = given["lenient"]
    before = given["extend"] or given["handout"]
    given["codes"] = given["codes"] or (before or given["out"]).with_name("codes.csv")
    _check_outputs(given)
    roster = read_roster(given["roster"], lenient)
    notes, dropped = [*roster.notes], [*map(str, roster.dropped)]
    conflicts: tuple[tuple[int, int], ...] = ()
    if given["conflicts"] is not None:
        read = read_conflicts(given["conflicts"], roster, lenient)
        conflicts = read.pairs
        notes += read.notes
        dropped += map(str, read.dropped)
    excused = np.zeros(len(roster.students), bool)
    for who in given["excused"]:
        if who not in roster.student_number:
            but, cure = Alike(roster.students).told(who, "correct it")
            raise InputError(f"--excused {who}: no such student is on the roster {roster.path}{but}; {cure}")
        excused[roster.student_number[who]] = True
    known = _known_codes(given, roster, before)
    if known:
        others = sum(paper not in roster.paper_number for paper in known.values())
        if others:
            notes.append(
                f"{given['codes']}: {others} of its papers are not on the roster; their codes stay as they are"
            )
    handed = Handed(None, np.zeros(0, np.int32), np.zeros(0, np.int32))
    if before is not None:
        handed, said = _handed(before, roster, known, lenient)
        notes += said
        dropped += [] if handed.file is None else map(str, handed.file.dropped)
    return Round(roster, conflicts, excused, handed, known, seed, given, notes, dropped)


def _check_outputs(given: dict[str, Any]) -> None:
    outputs = {"--out": given["out"]}
    if not given["no_codes"]:
        outputs["--codes"] = given["codes"]
    if given["letters"] is not None:
        outputs["--letters"] = given["letters"]
    if given["forms"] is not None:
        _check_folder(given["forms"])
    elif given["letters"] is not None:
        outputs["the form of --letters"] = form_path(given["letters"])
    seen: dict[Path, str] = {}
    for option, path in outputs.items():
        check_writable(path, option)
        if path.resolve() in seen:
            raise InputError(f"{option} and {seen[path.resolve()]} are the same file, {path}; give each its own name")
        seen[path.resolve()] = option
    for name in ("roster", "conflicts", "extend", "top_up", "handout"):
        path = given[name]
        # Late joiners may be added in place.
        if path is not None and path.resolve() in seen and (name, seen[path.resolve()]) != ("extend", "--out"):
            raise InputError(f"{seen[path.resolve()]} {path} would overwrite what is read; give another name")


def _check_folder(folder: Path) -> None:
    """Complain about a folder that cannot be made, or has forms of another draw in it."""
    try:
        taken = folder.exists() and (not folder.is_dir() or any(folder.iterdir()))
        if not taken:
            folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"--forms {folder} cannot be written to ({error.strerror}); choose another name") from None
    if taken:
        raise InputError(f"--forms {folder} is there already and not empty; give the name of a new folder")


def _known_codes(given: dict[str, Any], roster: Roster, before: Path | None) -> Mapping[str, str] | None:
    """The codes that there are, none yet, or None where ids are handed out."""
    path = given["codes"]
    if given["no_codes"]:
        return None
    if path.exists():
        return read_codes(path)
    if before is None:
        return {}
    handout = read_handout(before)
    if all(paper in roster.paper_number for paper in handout.papers):
        # It was handed out without codes, and goes on so.
        return None
    raise InputError(f"{path} is not there, and {before} holds codes; give the file of codes with --codes")


def _handed(path: Path, roster: Roster, known: Mapping[str, str] | None, lenient: bool) -> tuple[Handed, list[str]]:
    """A hand-out by the numbers of the roster, and what to say about it."""
    file = read_handout(path, known, lenient)
    notes = [*file.notes]
    grader = np.array([roster.student_number.get(who, -1) for who in file.graders], np.int32)[file.grader]
    paper = np.array([roster.paper_number.get(what, -1) for what in file.papers], np.int32)[file.paper]
    both = (grader >= 0) & (paper >= 0)
    if not both.any():
        raise InputError(f"{path}: no row has a grader and a paper of the roster {roster.path}; check both files")
    if not both.all():
        gone = int((~both).sum())
        notes.append(f"{path}: {gone} rows are of graders or papers that {roster.path} does not have (any more)")
    return Handed(file, grader[both], paper[both]), notes


def _rows(roster: Roster, grader: AnyIntArray, paper: AnyIntArray, texts: Any, linked: bool) -> dict[str, Any]:
    table = {"grader": _taken(roster.students, grader), "paper": _taken(texts, paper)}
    return table | {"link": _taken(roster.link, paper)} if linked else table


def _taken(texts: Any, at: AnyIntArray) -> pa.Array:
    return pa.array(texts, pa.string()).take(pa.array(at))


def _after(
    file: Handout, rows: dict[str, Any], code_of: Mapping[str, str] | None, roster: Roster, linked: bool
) -> dict[str, Any]:
    """The rows of a hand-out as they are, and then others."""
    texts = file.papers if code_of is None else [code_of[paper] for paper in file.papers]
    old = {"grader": _taken(file.graders, file.grader), "paper": _taken(texts, file.paper)}
    if linked:
        links = [roster.link[roster.paper_number[p]] if p in roster.paper_number else "" for p in file.papers]
        old["link"] = _taken(links, file.paper)
    return {name: pa.concat_arrays([old[name], rows[name]]) for name in rows}
