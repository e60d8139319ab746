"""``Round``: one peer-grading exercise, wherever it came from, with papers and graders by number and by id."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from peerorder.core.arrays import IntArray, frozen
from peerorder.core.profile import Profile
from peerorder.core.text import shortlist
from peerorder.rounds.marking import StaffMarks
from peerorder.rounds.overrides import EXCLUDE, Override

__all__ = ["HandoutRows", "Input", "People", "Round", "ids_at"]


@dataclass(frozen=True)
class Input:
    """Something that a round was read from, known by its name and its digest."""

    name: str
    sha256: str
    bytes: int
    top_up: bool = False
    """Whether it is a hand-out that asked people who did their work for more."""
    location: str = ""
    """Where it was found, for messages; no part of what it is."""

    def __str__(self) -> str:
        return self.location or self.name

    @property
    def record(self) -> dict[str, Any]:
        """What provenance says about it."""
        top_up = {"top_up": True} if self.top_up else {}
        return {"file": self.name, "sha256": self.sha256, "bytes": self.bytes, **top_up}


@dataclass(frozen=True, eq=False)
class People:
    """What a roster says about everybody who takes part, by the numbers of graders and papers."""

    names: tuple[str, ...]
    emails: tuple[str, ...]
    links: tuple[str, ...]
    """Where every paper can be read; empty where that is not known."""


class HandoutRows(NamedTuple):
    """Who was asked to rank what, one paper for one grader a row."""

    grader: IntArray
    paper: IntArray
    favour: NDArray[np.bool_]
    """Which rows ask for a favour: those of a top-up, which asks people who did their work for more."""


@dataclass(frozen=True, eq=False)
class Round:
    """Who ranked what how, and where it is known who takes part, who was asked, and what staff gave.

    Ids of a million papers stay an arrow array; ``papers`` and ``graders`` make Python's texts of them when asked.
    """

    profile: Profile
    paper_ids: Any
    """The id of every paper, as an arrow array."""
    grader_ids: Any
    """The id of every grader, likewise."""
    staff: NDArray[np.bool_]
    """Which graders are staff."""
    people: People | None = None
    """Everybody who takes part; None where only those are known who ranked or were asked."""
    handout: HandoutRows | None = None
    codes: Mapping[str, str] | None = None
    """The paper behind every code that graders see; None where they see ids."""
    anchors: StaffMarks | None = None
    overrides: tuple[Override, ...] = ()
    """What staff decided about marks and ballots."""
    inputs: Mapping[str, Input] = field(default_factory=dict)
    """What it was read from, by its role: rankings, roster, handout and so on; several are ``handout 2`` and on."""
    reading_notes: tuple[str, ...] = ()
    """What to say about how it was read."""
    dropped: tuple[object, ...] = ()
    """What was wrong and therefore left out; each as text is a line about it."""
    lost: tuple[str, ...] = ()
    """Graders of whom nothing was read, because everything they said was wrong."""
    part: tuple[str, ...] = ()
    """Graders of whom a part was left out."""
    blank: tuple[str, ...] = ()
    """Graders who are in the rankings, without a rank for any paper: they could judge none, or left a form empty."""

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
        """What provenance says about every input."""
        return {role: each.record for role, each in self.inputs.items()}

    def name_of(self, role: str) -> str:
        """What to call the input of a role in a message."""
        return str(self.inputs.get(role, f"the {role}"))

    def paper_in_words(self, student: str) -> str:
        """What a student of this id wrote, for somebody who took the id for that of a paper."""
        authored = int(self.profile.authored[self.grader_number[student]])
        return f"{student} wrote {'nothing' if authored < 0 else self.papers[authored]}"

    @cached_property
    def digest(self) -> str:
        """A hash of everything that counts for grades: two rounds with the same digest are graded alike."""
        hashed = hashlib.blake2b(self.profile.digest.encode(), digest_size=16)
        for data in self._counting():
            hashed.update(len(data).to_bytes(8, "little"))
            hashed.update(data)
        return hashed.hexdigest()

    def _counting(self) -> Iterator[bytes]:
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
        """Turn all ballots upside down, for graders who took rank 1 for the worst."""
        return replace(self, profile=self.profile.reversed())

    @cached_property
    def judged(self) -> IntArray:
        """How many papers every grader put in order."""
        papers = np.bincount(self.profile.grader, self.profile.sizes, self.profile.n_graders)
        return frozen(papers.astype(np.int64))

    @cached_property
    def asked(self) -> IntArray | None:
        """How many papers every grader had to rank, by ``duties``; None without a hand-out."""
        return None if self.duties is None else frozen(np.bincount(self.duties[0], minlength=self.profile.n_graders))

    @cached_property
    def silent(self) -> NDArray[np.bool_]:
        """Who was asked and judged nothing; without a hand-out, all who take part but staff are taken as asked."""
        nothing = (self.judged == 0) & ~self.unread & ~self.excluded
        if self.asked is not None:
            return frozen((self.asked > 0) & nothing)
        return frozen(~self.staff & nothing & (self.people is not None))

    @cached_property
    def absent(self) -> tuple[IntArray, IntArray]:
        """The silent by number: those who are in no rankings, and those who judged none of their papers."""
        came = self._named(self.blank)
        return np.flatnonzero(self.silent & ~came), np.flatnonzero(self.silent & came)

    @cached_property
    def excluded(self) -> NDArray[np.bool_]:
        """Whose ballots staff excluded."""
        return self._named(each.person for each in self.overrides if each.decision == EXCLUDE)

    @cached_property
    def unread(self) -> NDArray[np.bool_]:
        """Who handed in something of which no row could be read."""
        return self._named(self.lost)

    def _named(self, names: Iterable[str]) -> NDArray[np.bool_]:
        """Which graders have one of these ids; a million ids are not read where there are no names."""
        found = np.zeros(self.profile.n_graders, bool)
        for name in names:
            if name in self.grader_number:
                found[self.grader_number[name]] = True
        return frozen(found)

    @cached_property
    def partly(self) -> NDArray[np.bool_]:
        """Who judged some of the papers that they had to, and not all."""
        nobody = np.zeros(self.profile.n_graders, bool)
        return frozen(nobody if self.asked is None else (self.judged > 0) & (self.judged < self.asked))

    @cached_property
    def ordered(self) -> NDArray[np.bool_]:
        """Who put a paper above another."""
        return self._handed_in(self.profile.telling)

    @cached_property
    def tied(self) -> NDArray[np.bool_]:
        """Who ranked several papers and put none above another, so that their ballots say nothing."""
        return frozen(self._handed_in(self.profile.sizes > 1) & ~self.ordered)

    def _handed_in(self, ballots: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Who handed in one of these ballots."""
        return frozen(np.bincount(self.profile.grader[ballots], minlength=self.profile.n_graders) > 0)

    @cached_property
    def duties(self) -> tuple[IntArray, IntArray] | None:
        """The hand-out without favours that nobody did: what somebody is asked besides never counts against them."""
        if self.handout is None:
            return None
        grader, paper, favour = self.handout
        if not favour.any():
            return grader, paper
        said, many = np.repeat(self.profile.grader.astype(np.int64), self.profile.sizes), self.profile.n_papers
        counts = ~favour | np.isin(grader * many + paper, said * many + self.profile.papers)
        return frozen(grader[counts]), frozen(paper[counts])

    @property
    def notes(self) -> tuple[str, ...]:
        """What people should know about what was read."""
        return (*self.reading_notes, *self._about_single_papers)

    @cached_property
    def _about_single_papers(self) -> tuple[str, ...]:
        """Who handed in a ballot of one paper, as when papers join late and only the new one is filled in."""
        who = np.unique(self.profile.grader[self.profile.sizes == 1]).tolist()
        if not who:
            return ()
        names = shortlist([self.graders[at] for at in who])
        return (
            f"a ballot of {names} has a single paper, which is compared with nothing; ask for one ranking of it "
            "together with their other papers",
        )


def ids_at(ids: Any, at: IntArray) -> Any:
    """Return some of the ids, as an arrow array; arrow's own way in would load pandas where it is installed."""
    at = np.ascontiguousarray(at, np.int64)
    return ids.take(pa.Array.from_buffers(pa.int64(), len(at), [None, pa.py_buffer(at)]))


def _bytes_of(ids: Any) -> Iterator[bytes]:
    """Yield what tells these ids from others: where each begins, and all of their characters."""
    texts = ids.cast(pa.large_string())
    _, offsets, characters = texts.buffers()
    begin = (
        np.frombuffer(offsets, np.int64)[texts.offset : texts.offset + len(texts) + 1] if len(texts) else np.zeros(1)
    )
    yield (begin - begin[0]).tobytes()
    yield characters.to_pybytes()[int(begin[0]) : int(begin[-1])] if characters is not None else b""
