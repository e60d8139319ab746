"""``Round``: one peer-grading exercise, wherever it came from, with papers and graders by number and by id."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from peerorder.core.arrays import IntArray, freeze
from peerorder.core.profile import Profile
from peerorder.core.text import shortlist
from peerorder.core.translation import gettext as _
from peerorder.rounds.marking import StaffMarks
from peerorder.rounds.overrides import EXCLUDE, Override

__all__ = ["HandoutRows", "Input", "People", "Round", "ids_at"]


@dataclass(frozen=True)
class Input:
    """An input of a round, identified by its name and its digest."""

    name: str
    sha256: str
    bytes: int
    top_up: bool = False
    """Whether it is a top-up: a hand-out that asked people who had finished for more."""
    location: str = ""
    """Its path, for messages; not part of its identity."""
    course: str = ""
    """The course whose rows alone were read; empty where the whole input was."""

    def __str__(self) -> str:
        return self.location or self.name

    @property
    def record(self) -> dict[str, Any]:
        """The input as provenance records it."""
        top_up = {"top_up": True} if self.top_up else {}
        course = {"course": self.course} if self.course else {}
        return {"file": self.name, "sha256": self.sha256, "bytes": self.bytes, **top_up, **course}


@dataclass(frozen=True, eq=False)
class People:
    """The roster's data about everybody who takes part, by the numbers of graders and papers."""

    names: tuple[str, ...]
    emails: tuple[str, ...]
    links: tuple[str, ...]
    """A link to every paper; empty where it is not known."""


class HandoutRows(NamedTuple):
    """The hand-out: one grader and one paper per row."""

    grader: IntArray
    paper: IntArray
    favour: NDArray[np.bool_]
    """Whether each row asks for a favour: those of a top-up, which asks people who had finished for more."""


@dataclass(frozen=True, eq=False)
class Round:
    """All rankings, and where they are known the people who take part, the hand-out, and staff's marks and decisions.

    Ids of a million papers stay an arrow array; ``papers`` and ``graders`` convert them to Python strings when used.
    """

    profile: Profile
    paper_ids: Any
    """The id of every paper, as an arrow array."""
    grader_ids: Any
    """The id of every grader, likewise."""
    staff: NDArray[np.bool_]
    """Whether each grader is staff."""
    people: People | None = None
    """Everybody who takes part; None without a roster."""
    handout: HandoutRows | None = None
    codes: Mapping[str, str] | None = None
    """The paper behind every code that graders see; None where they see ids."""
    anchors: StaffMarks | None = None
    overrides: tuple[Override, ...] = ()
    """Staff decisions about marks and ballots."""
    inputs: Mapping[str, Input] = field(default_factory=dict)
    """Its inputs, by their roles: rankings, roster, handout and so on; several are ``handout 2`` and on."""
    reading_notes: tuple[str, ...] = ()
    """Notes about how it was read."""
    dropped: tuple[object, ...] = ()
    """Rows that were skipped because something was wrong; each as text is a line about it."""
    lost: tuple[str, ...] = ()
    """Graders with no readable row."""
    part: tuple[str, ...] = ()
    """Graders of whom some rows were skipped."""
    blank: tuple[str, ...] = ()
    """Graders who are in the rankings without a rank for any paper: they judged none, or left a form empty."""

    @cached_property
    def papers(self) -> tuple[str, ...]:
        """The id of every paper."""
        return tuple(self.paper_ids.to_pylist())

    @cached_property
    def graders(self) -> tuple[str, ...]:
        """The id of every grader."""
        return tuple(self.grader_ids.to_pylist())

    @cached_property
    def grader_number(self) -> dict[str, int]:
        """The number of every grader."""
        return {grader: number for number, grader in enumerate(self.graders)}

    @property
    def input_records(self) -> dict[str, dict[str, Any]]:
        """All inputs as provenance records them."""
        return {role: each.record for role, each in self.inputs.items()}

    def name_of(self, role: str) -> str:
        """Return the name of the input with this role, for messages."""
        if role in self.inputs:
            return str(self.inputs[role])
        return {"rankings": _("the rankings"), "anchors": _("the anchors")}.get(role, role)

    def paper_in_words(self, student: str) -> str:
        """Say what a student wrote, for people who confuse the student's id with that of a paper."""
        authored = int(self.profile.authored[self.grader_number[student]])
        if authored < 0:
            return _("{student} wrote nothing").format(student=student)
        return _("{student} wrote {paper}").format(student=student, paper=self.papers[authored])

    @cached_property
    def digest(self) -> str:
        """A hash of everything that counts for grades: two rounds with the same digest get the same grades."""
        hashed = hashlib.blake2b(self.profile.digest.encode(), digest_size=16)
        for data in self._digest_parts():
            hashed.update(len(data).to_bytes(8, "little"))
            hashed.update(data)
        return hashed.hexdigest()

    def _digest_parts(self) -> Iterator[bytes]:
        for ids in (self.paper_ids, self.grader_ids):
            yield from _bytes_of(ids)
        yield self.staff.tobytes()
        if self.handout is not None:
            grader, paper, favour = self.handout
            order = np.lexsort((paper, grader))
            yield from (array[order].tobytes() for array in (grader.astype(np.int64), paper.astype(np.int64), favour))
        if self.anchors is not None:
            yield self.anchors.papers.astype(np.int64).tobytes()
            yield self.anchors.marks.tobytes()
        yield from (repr(each).encode() for each in self.overrides)

    def reversed(self) -> "Round":
        """Turn all ballots upside down, for graders who gave rank 1 to the worst paper."""
        return replace(self, profile=self.profile.reversed())

    @cached_property
    def judged(self) -> IntArray:
        """The number of papers that every grader put in order."""
        papers = np.bincount(self.profile.grader, self.profile.sizes, self.profile.n_graders)
        return freeze(papers.astype(np.int64))

    @cached_property
    def asked(self) -> IntArray | None:
        """The number of papers that every grader had to rank, by ``duties``; None without a hand-out."""
        return None if self.duties is None else freeze(np.bincount(self.duties[0], minlength=self.profile.n_graders))

    @cached_property
    def silent(self) -> NDArray[np.bool_]:
        """Whether each grader was asked and ranked nothing; without a hand-out, everybody but staff counts as asked."""
        nothing = (self.judged == 0) & ~self.unread & ~self.excluded
        if self.asked is not None:
            return freeze((self.asked > 0) & nothing)
        return freeze(~self.staff & nothing & (self.people is not None))

    @cached_property
    def absent(self) -> tuple[IntArray, IntArray]:
        """Silent graders by number: those who are in no rankings, and those who ranked none of their papers."""
        came = self._graders_named(self.blank)
        return np.flatnonzero(self.silent & ~came), np.flatnonzero(self.silent & came)

    @cached_property
    def excluded(self) -> NDArray[np.bool_]:
        """Whether staff excluded each grader's ballots."""
        return self._graders_named(each.person for each in self.overrides if each.decision == EXCLUDE)

    @cached_property
    def unread(self) -> NDArray[np.bool_]:
        """Whether each grader submitted something of which no row could be read."""
        return self._graders_named(self.lost)

    def _graders_named(self, names: Iterable[str]) -> NDArray[np.bool_]:
        """Return whether each grader has one of these ids; a million ids are not read where there are no names."""
        result = np.zeros(self.profile.n_graders, bool)
        for name in names:
            if name in self.grader_number:
                result[self.grader_number[name]] = True
        return freeze(result)

    @cached_property
    def partly(self) -> NDArray[np.bool_]:
        """Whether each grader ranked some of their papers, but not all."""
        nobody = np.zeros(self.profile.n_graders, bool)
        return freeze(nobody if self.asked is None else (self.judged > 0) & (self.judged < self.asked))

    @cached_property
    def ordered(self) -> NDArray[np.bool_]:
        """Whether each grader put a paper above another."""
        return self._submitted(self.profile.informative)

    @cached_property
    def tied(self) -> NDArray[np.bool_]:
        """Whether each grader ranked several papers and put none above another, so that their ballots do not count."""
        return freeze(self._submitted(self.profile.sizes > 1) & ~self.ordered)

    def _submitted(self, ballots: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return whether each grader submitted one of these ballots."""
        return freeze(np.bincount(self.profile.grader[ballots], minlength=self.profile.n_graders) > 0)

    @cached_property
    def duties(self) -> tuple[IntArray, IntArray] | None:
        """The hand-out without favours that were not done: papers of a top-up never count against a grader."""
        if self.handout is None:
            return None
        grader, paper, favour = self.handout
        if not favour.any():
            return grader, paper
        ranked_by, n_papers = np.repeat(self.profile.grader.astype(np.int64), self.profile.sizes), self.profile.n_papers
        counts = ~favour | np.isin(grader * n_papers + paper, ranked_by * n_papers + self.profile.papers)
        return freeze(grader[counts]), freeze(paper[counts])

    @property
    def notes(self) -> tuple[str, ...]:
        """What people should know about how the round was read."""
        return (*self.reading_notes, *self._about_single_papers)

    @cached_property
    def _about_single_papers(self) -> tuple[str, ...]:
        """A note on ballots of one paper, as when only a late paper is filled in."""
        who = np.unique(self.profile.grader[self.profile.sizes == 1]).tolist()
        if not who:
            return ()
        names = shortlist([self.graders[index] for index in who])
        return (
            _(
                "a ballot by {names} has a single paper, which is compared with nothing; ask for one ranking of it "
                "together with their other papers"
            ).format(names=names),
        )


def ids_at(ids: Any, index: IntArray) -> Any:
    """Return some of the ids, as an arrow array; arrow's own way in would load pandas where it is installed."""
    index = np.ascontiguousarray(index, np.int64)
    return ids.take(pa.Array.from_buffers(pa.int64(), len(index), [None, pa.py_buffer(index)]))


def _bytes_of(ids: Any) -> Iterator[bytes]:
    """Yield the bytes that identify these ids: their offsets, and all of their characters."""
    texts = ids.cast(pa.large_string())
    _validity, offsets, characters = texts.buffers()
    begin = (
        np.frombuffer(offsets, np.int64)[texts.offset : texts.offset + len(texts) + 1] if len(texts) else np.zeros(1)
    )
    yield (begin - begin[0]).tobytes()
    yield characters.to_pybytes()[int(begin[0]) : int(begin[-1])] if characters is not None else b""
