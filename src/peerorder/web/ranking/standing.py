"""A round as the library sees it: papers and graders by number, what was handed out, and what came back."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from peerorder.core.arrays import IntArray
from peerorder.web.courses.models import Member
from peerorder.web.papers.models import Authorship, State
from peerorder.web.ranking.models import Ballot, HandOut, Slot
from peerorder.web.rounds.models import Assignment
from peerorder.web.rounds.queries import students_of

if TYPE_CHECKING:
    from peerorder.core import Profile

__all__ = ["Judgement", "Standing", "judgements_of", "profile_of", "standing_of"]


@dataclass(frozen=True, eq=False)
class Standing:
    """Papers that are to be ranked, and everybody who ranks or was asked to, numbered in order of their ids."""

    papers: list[int]
    codes: list[str]
    members: list[int]
    names: list[str]
    """What staff call the graders."""
    wrote: IntArray
    """The paper that each grader wrote, by its number; -1 for none."""
    excused: NDArray[np.bool_]
    """Who is asked nothing any more: removed, or without a paper that counts."""
    rows: tuple[IntArray, IntArray]
    """Grader and paper of every slot."""
    next_position: dict[int, int]
    """By the id of a member, where the next paper goes."""
    handouts: int
    parts: int
    """How many top-ups there were."""
    unreadable: int
    """How many papers are left out because they cannot be shown."""

    @cached_property
    def paper_number(self) -> dict[int, int]:
        """The number of a paper, by its id."""
        return {paper: number for number, paper in enumerate(self.papers)}

    @cached_property
    def member_number(self) -> dict[int, int]:
        """The number of a grader, by the id of the member."""
        return {member: number for number, member in enumerate(self.members)}


def standing_of(assignment: Assignment) -> Standing:
    """Look it all up, in a handful of queries however many there are."""
    takes_part = set(students_of(assignment).values_list("pk", flat=True))
    written = Authorship.objects.filter(
        assignment=assignment, paper__current__isnull=False, paper__withdrawn_at=None
    ).values_list("member", "paper", "paper__code", "paper__current__state")
    slots = list(Slot.objects.filter(assignment=assignment).order_by().values_list("grader", "paper", "position"))
    handed = {paper for _, paper, _ in slots}
    wrote: dict[int, int] = {}
    code: dict[int, str] = {}
    unreadable = set()
    for member, paper, called, state in written:
        if state == State.BROKEN and paper not in handed:
            unreadable.add(paper)
        # A paper whose authors have all left is ranked on where people have it already.
        elif member in takes_part or paper in handed:
            wrote[member] = paper
            code[paper] = called
    papers = sorted(code)
    number = {paper: at for at, paper in enumerate(papers)}
    members = sorted({*(member for member in wrote if member in takes_part), *(grader for grader, _, _ in slots)})
    at = {member: place for place, member in enumerate(members)}
    rows = np.array([(at[g], number[p]) for g, p, _ in slots if p in number], np.int64).reshape(-1, 2)
    following: dict[int, int] = defaultdict(int)
    for grader, _, position in slots:
        following[grader] = max(following[grader], position + 1)
    whys = list(HandOut.objects.filter(assignment=assignment, ready_at__isnull=False).values_list("why", flat=True))
    called_by = dict(Member.objects.filter(course=assignment.course_id, pk__in=takes_part).values_list("pk", "student"))
    return Standing(
        papers=papers,
        codes=[code[paper] for paper in papers],
        members=members,
        names=[called_by.get(member) or str(member) for member in members],
        wrote=np.array([number[wrote[member]] if member in wrote else -1 for member in members], np.int64),
        excused=np.array([member not in takes_part or member not in wrote for member in members], bool),
        rows=(rows[:, 0].copy(), rows[:, 1].copy()),
        next_position=dict(following),
        handouts=len(whys),
        parts=whys.count(HandOut.Why.TOP_UP),
        unreadable=len(unreadable),
    )


@dataclass(frozen=True)
class Judgement:
    """What one ballot says about one paper."""

    grader: int
    """The id of the member."""
    part: int
    """0 for the first ballot of a grader, 1 for the first top-up, and so on."""
    paper: int
    """The id of the paper."""
    rank: int | None
    """1 is best, equal ones are tied; None for a paper that was not judged."""
    comment: str


def judgements_of(assignment: Assignment) -> Iterator[Judgement]:
    """Everything that was handed in and counts, ballot by ballot, the best paper first."""
    slots = Slot.objects.filter(assignment=assignment).order_by().values_list("token", "part", "paper")
    behind = {token: (part, paper) for token, part, paper in slots}
    ballots = Ballot.objects.filter(assignment=assignment, handed_in__isnull=False).order_by("grader")
    for grader, content in ballots.values_list("grader", "handed_in"):
        if content is None:
            continue
        comments = content["comments"]
        for part in sorted(content["orders"], key=int):
            place = 1
            for tied in content["orders"][part]:
                for token in tied:
                    yield Judgement(grader, int(part), behind[token][1], place, comments.get(token, ""))
                place += len(tied)
        for token in content["unjudged"]:
            yield Judgement(grader, *behind[token], None, comments.get(token, ""))


def profile_of(assignment: Assignment, standing: Standing | None = None) -> "Profile":
    """What was handed in, by the numbers of a standing; papers that no longer count are left out."""
    from peerorder.core import Profile

    standing = standing or standing_of(assignment)
    ballots: dict[tuple[int, int], dict[int, list[int]]] = {}
    for said in judgements_of(assignment):
        number = standing.paper_number.get(said.paper)
        if said.rank is not None and number is not None:
            ballots.setdefault((said.grader, said.part), {}).setdefault(said.rank, []).append(number)
    return Profile.from_ballots(
        [list(tied.values()) for tied in ballots.values()],
        len(standing.papers),
        grader=[standing.member_number[grader] for grader, _ in ballots],
        wrote=standing.wrote,
    )
