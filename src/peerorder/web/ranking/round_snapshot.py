"""A round as the library sees it: papers and graders by number, what was handed out, and what came back."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from django.db.models import Q
from numpy.typing import ArrayLike, NDArray

from peerorder.core.arrays import IntArray
from peerorder.web.assignments.models import Assignment
from peerorder.web.assignments.queries import students_of
from peerorder.web.courses.models import Member, Role
from peerorder.web.database.batches import batches
from peerorder.web.papers.models import Authorship, Paper, State
from peerorder.web.ranking.content import verdicts
from peerorder.web.ranking.models import Ballot, Comment, Handout, Slot

if TYPE_CHECKING:
    from peerorder.core import Profile
    from peerorder.rounds import Participants, Round


@dataclass(frozen=True, eq=False)
class RoundSnapshot:
    """Papers that are to be ranked, and everybody who ranks or was asked to, numbered in order of their ids."""

    papers: list[int]
    codes: list[str]
    members: list[int]
    names: list[str]
    """Names of the graders, as staff know them."""
    authored: IntArray
    """The paper that each grader wrote, by its number; -1 for none."""
    excused: NDArray[np.bool_]
    """Graders who get no more papers: removed, or without a paper that counts."""
    rows: tuple[IntArray, IntArray]
    """Grader and paper of every slot."""
    next_position: dict[int, int]
    """By the id of a member, where the next paper goes."""
    handouts: int
    parts: int
    """Number of top-ups so far."""
    unreadable: int
    """Number of papers left out because they cannot be shown."""

    @property
    def participants(self) -> "Participants":
        """The same for the library, which calls papers by their codes."""
        from peerorder.rounds import Participants

        return Participants(self.names, self.codes, self.authored, excused=self.excused, rows=self.rows)

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
    handed_out = {paper for _, paper, _ in slots}
    authored: dict[int, int] = {}
    code: dict[int, str] = {}
    unreadable = set()
    for member, paper, paper_code, state in written:
        if state == State.BROKEN and paper not in handed_out:
            unreadable.add(paper)
        # A paper whose authors have all left is ranked on where people have it already.
        elif member in takes_part or paper in handed_out:
            authored[member] = paper
            code[paper] = paper_code
    papers = sorted(code)
    number = {paper: index for index, paper in enumerate(papers)}
    members = sorted({*(member for member in authored if member in takes_part), *(grader for grader, _, _ in slots)})
    grader_number = {member: index for index, member in enumerate(members)}
    rows = np.array([(grader_number[g], number[p]) for g, p, _ in slots if p in number], np.int64).reshape(-1, 2)
    next_position: dict[int, int] = defaultdict(int)
    for grader, _, position in slots:
        next_position[grader] = max(next_position[grader], position + 1)
    reasons = list(Handout.objects.filter(assignment=assignment, ready_at__isnull=False).values_list("why", flat=True))
    student_ids = dict(
        Member.objects.filter(course=assignment.course_id, pk__in=takes_part).values_list("pk", "student")
    )
    return RoundSnapshot(
        papers=papers,
        codes=[code[paper] for paper in papers],
        members=members,
        names=[student_ids.get(member) or str(member) for member in members],
        authored=np.array([number[authored[member]] if member in authored else -1 for member in members], np.int64),
        excused=np.array([member not in takes_part or member not in authored for member in members], bool),
        rows=(rows[:, 0].copy(), rows[:, 1].copy()),
        next_position=dict(next_position),
        handouts=len(reasons),
        parts=reasons.count(Handout.Why.TOP_UP),
        unreadable=len(unreadable),
    )


@dataclass(frozen=True)
class Judgement:
    """The verdict of one ballot on one paper."""

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
    slot_of = {token: (part, paper) for token, part, paper in slots}
    ballots = Ballot.objects.filter(assignment=assignment, submission__isnull=False).order_by("grader")
    for some in batches(ballots.values_list("grader", "submission__content").iterator()):
        contents = [content for _, content in some]
        if with_comments:
            contents = Comment.objects.put_back(contents)
        for (grader, _), content in zip(some, contents, strict=True):
            for verdict in verdicts(content):
                comment = verdict.comment if with_comments else ""
                yield Judgement(grader, *slot_of[verdict.token], verdict.rank, verdict.is_judged, comment)


def load_profile(assignment: Assignment, snapshot: RoundSnapshot | None = None) -> "Profile":
    """Return what was handed in, by the numbers of a snapshot; papers that no longer count are left out."""
    snapshot = snapshot or load_snapshot(assignment)
    return _profile(assignment, snapshot.paper_number, snapshot.member_number, snapshot.authored)[0]


def _profile(
    assignment: Assignment, papers: Mapping[int, int], graders: Mapping[int, int], authored: ArrayLike
) -> tuple["Profile", list[int]]:
    """Return what was handed in, by the numbers of papers and graders, and the graders who could judge no paper."""
    from peerorder.core import Profile

    ballots: dict[tuple[int, int], dict[int, list[int]]] = {}
    judging: set[int] = set()
    for judgement in load_judgements(assignment):
        if not judgement.is_judged or judgement.paper not in papers:
            continue
        judging.add(graders[judgement.grader])
        if judgement.rank is not None:
            ballot = ballots.setdefault((graders[judgement.grader], judgement.part), {})
            ballot.setdefault(judgement.rank, []).append(papers[judgement.paper])
    order = sorted(ballots)
    profile = Profile.from_ballots(
        [list(ballots[key].values()) for key in order],
        len(papers),
        grader=[grader for grader, _ in order],
        authored=authored,
    )
    return profile, sorted(judging - {grader for grader, _ in order})


class NamedMember(NamedTuple):
    """A student of a round, as staff know them."""

    pk: int
    student: str
    """The id in files."""
    name: str
    email: str
    section: str


class RoundNames:
    """Names of people and papers: in the files of an export, and in the round that the library grades."""

    def __init__(self, assignment: Assignment) -> None:
        # As values, because a class may have ten thousand students and a page waits for this.
        wrote = Authorship.objects.filter(assignment=assignment).order_by("pk")
        written = list(wrote.values_list("member", "paper", "member__team"))
        self.paper_of = {member: paper for member, paper, _ in written}
        graders = Slot.objects.filter(assignment=assignment).order_by().values("grader")
        sections = [section.pk for section in assignment.sections.all()]
        asked = Q(removed_at=None) & (Q(section__in=sections) if sections else Q())
        took_part = Q(pk__in=wrote.values("member")) | Q(pk__in=graders)
        members = Member.objects.filter(took_part | asked, course=assignment.course_id, role=Role.STUDENT)
        self._members = members.select_related("person", "section").order_by("student", "pk")
        # People without an id get one that cannot be on a roster twice.
        self.people = [
            NamedMember(pk, student or f"member-{pk}", name, email, section or "")
            for pk, student, name, email, section in self._members.values_list(
                "pk", "student", "person__name", "person__email", "section__name"
            )
        ]
        self.student = {each.pk: each.student for each in self.people}
        self._papers = Paper.objects.filter(assignment=assignment).select_related("current").order_by("pk")
        papers = list(self._papers.values_list("pk", "code", "withdrawn_at"))
        self.code = {paper: code for paper, code, _ in papers}
        self.authors: dict[int, list[int]] = {}
        """By the id of a paper, the members who wrote it."""
        teams = {}
        for member, paper, team in written:
            self.authors.setdefault(paper, []).append(member)
            teams[member] = team
        self.paper: dict[int, str] = {}
        students, used = set(self.student.values()), set()
        for paper, code in self.code.items():
            who = self.authors.get(paper, [])
            # A paper of one's own is called like its author, one of a team like the team; never two alike.
            name = self.student.get(who[0], "") if len(who) == 1 else teams[who[0]] if who else ""
            if not name or name in used or (name in students and name not in map(self.student.get, who)):
                name = code
            used.add(name)
            self.paper[paper] = name
        self.withdrawn = {paper for paper, _, withdrawn_at in papers if withdrawn_at is not None}

    @cached_property
    def members(self) -> list[Member]:
        """The same people, in the same order, with everything known about each."""
        return list(self._members)

    @cached_property
    def papers(self) -> list[Paper]:
        """All papers, with what was handed in last."""
        return list(self._papers)

    def counting_paper(self, member: int) -> int | None:
        """Return the id of the paper that a member wrote, None where there is none or staff took it out."""
        paper = self.paper_of.get(member)
        return None if paper in self.withdrawn else paper


def slots_of(assignment: Assignment) -> Iterator[tuple[int, int, int]]:
    """Yield grader, paper and part of everything that was handed out, but for papers that staff took out."""
    slots = Slot.objects.filter(assignment=assignment, paper__withdrawn_at=None).order_by("grader_id", "position")
    yield from slots.values_list("grader", "paper", "part")


def load_round(assignment: Assignment) -> "Round":
    """Return what the library grades: the same as is read from the files of an export."""
    return load_round_and_ids(assignment)[0]


def load_round_and_ids(assignment: Assignment) -> tuple["Round", list[int], list[int]]:
    """Return what the library grades, and the ids in the database of its papers and of its graders, in its order."""
    from peerorder.files.formats.arrow import strings
    from peerorder.rounds import HandoutRows, People, Round

    names = RoundNames(assignment)
    grader_number = {each.pk: number for number, each in enumerate(names.people)}
    authored = [names.counting_paper(each.pk) for each in names.people]
    papers = list(dict.fromkeys(paper for paper in authored if paper is not None))
    paper_number = {paper: number for number, paper in enumerate(papers)}
    rows = np.array([(grader_number[g], paper_number[p], part) for g, p, part in slots_of(assignment)], np.int64)
    grader, paper, part = rows.reshape(-1, 3).T
    own = [-1 if each is None else paper_number[each] for each in authored]
    profile, blank = _profile(assignment, paper_number, grader_number, own)
    round_ = Round(
        profile=profile,
        paper_ids=strings(names.paper[paper] for paper in papers),
        grader_ids=strings(each.student for each in names.people),
        staff=np.zeros(len(names.people), bool),
        people=People(
            tuple(each.name for each in names.people),
            tuple(each.email for each in names.people),
            ("",) * len(papers),
        ),
        handout=HandoutRows(grader, paper, part > 0),
        codes={code: names.paper[paper] for paper, code in names.code.items() if paper in paper_number},
        blank=tuple(names.people[number].student for number in blank),
    )
    return round_, papers, [each.pk for each in names.people]
