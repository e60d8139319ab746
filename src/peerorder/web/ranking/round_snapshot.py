"""A round as the library sees it: papers and graders by number, what was handed out, and what came back."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from peerorder.core.arrays import IntArray
from peerorder.web.assignments.models import Assignment
from peerorder.web.assignments.queries import students_of
from peerorder.web.courses.models import Member
from peerorder.web.database.batches import batches
from peerorder.web.papers.models import Authorship, State
from peerorder.web.ranking.content import verdicts
from peerorder.web.ranking.models import Ballot, Comment, Handout, Slot

if TYPE_CHECKING:
    from peerorder.core import Profile


@dataclass(frozen=True, eq=False)
class RoundSnapshot:
    """Papers that are to be ranked, and everybody who ranks or was asked to, numbered in order of their ids."""

    papers: list[int]
    codes: list[str]
    members: list[int]
    names: list[str]
    """What staff call the graders."""
    authored: IntArray
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


def load_snapshot(assignment: Assignment) -> RoundSnapshot:
    """Load a round, in a handful of queries however large it is."""
    takes_part = set(students_of(assignment).values_list("pk", flat=True))
    written = Authorship.objects.filter(
        assignment=assignment, paper__current__isnull=False, paper__withdrawn_at=None
    ).values_list("member", "paper", "paper__code", "paper__current__state")
    slots = list(Slot.objects.filter(assignment=assignment).order_by().values_list("grader", "paper", "position"))
    handed = {paper for _, paper, _ in slots}
    authored: dict[int, int] = {}
    code: dict[int, str] = {}
    unreadable = set()
    for member, paper, called, state in written:
        if state == State.BROKEN and paper not in handed:
            unreadable.add(paper)
        # A paper whose authors have all left is ranked on where people have it already.
        elif member in takes_part or paper in handed:
            authored[member] = paper
            code[paper] = called
    papers = sorted(code)
    number = {paper: index for index, paper in enumerate(papers)}
    members = sorted({*(member for member in authored if member in takes_part), *(grader for grader, _, _ in slots)})
    grader_number = {member: index for index, member in enumerate(members)}
    rows = np.array([(grader_number[g], number[p]) for g, p, _ in slots if p in number], np.int64).reshape(-1, 2)
    following: dict[int, int] = defaultdict(int)
    for grader, _, position in slots:
        following[grader] = max(following[grader], position + 1)
    whys = list(Handout.objects.filter(assignment=assignment, ready_at__isnull=False).values_list("why", flat=True))
    called_by = dict(Member.objects.filter(course=assignment.course_id, pk__in=takes_part).values_list("pk", "student"))
    return RoundSnapshot(
        papers=papers,
        codes=[code[paper] for paper in papers],
        members=members,
        names=[called_by.get(member) or str(member) for member in members],
        authored=np.array([number[authored[member]] if member in authored else -1 for member in members], np.int64),
        excused=np.array([member not in takes_part or member not in authored for member in members], bool),
        rows=(rows[:, 0].copy(), rows[:, 1].copy()),
        next_position=dict(following),
        handouts=len(whys),
        parts=whys.count(Handout.Why.TOP_UP),
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
    """1 is best, equal ones are tied; None for a paper that has no place."""
    is_judged: bool
    """Whether it has a place, or its grader cannot judge it. A paper that was withdrawn may only have a comment."""
    comment: str
    """Empty where comments were not asked for, or this one was erased."""


def load_judgements(assignment: Assignment, *, with_comments: bool = False) -> Iterator[Judgement]:
    """Yield everything that was handed in and counts, ballot by ballot, the best paper first.

    The texts of comments are loaded ``with_comments`` alone.
    """
    slots = Slot.objects.filter(assignment=assignment).order_by().values_list("token", "part", "paper")
    behind = {token: (part, paper) for token, part, paper in slots}
    ballots = Ballot.objects.filter(assignment=assignment, submission__isnull=False).order_by("grader")
    for some in batches(ballots.values_list("grader", "submission__content").iterator()):
        contents = [content for _, content in some]
        if with_comments:
            contents = Comment.objects.put_back(contents)
        for (grader, _), content in zip(some, contents, strict=True):
            for said in verdicts(content):
                comment = said.comment if with_comments else ""
                yield Judgement(grader, *behind[said.token], said.rank, said.is_judged, comment)


def load_profile(assignment: Assignment, snapshot: RoundSnapshot | None = None) -> "Profile":
    """Return what was handed in, by the numbers of a snapshot; papers that no longer count are left out."""
    from peerorder.core import Profile

    snapshot = snapshot or load_snapshot(assignment)
    ballots: dict[tuple[int, int], dict[int, list[int]]] = {}
    for said in load_judgements(assignment):
        number = snapshot.paper_number.get(said.paper)
        if said.rank is not None and number is not None:
            ballots.setdefault((said.grader, said.part), {}).setdefault(said.rank, []).append(number)
    return Profile.from_ballots(
        [list(tied.values()) for tied in ballots.values()],
        len(snapshot.papers),
        grader=[snapshot.member_number[grader] for grader, _ in ballots],
        authored=snapshot.authored,
    )
