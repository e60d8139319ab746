"""Nobody can tell whose a comment is, or which placement came with it, from all that a student sees over a round.

The attacker has everything that the author of a paper sees in two releases (between them a ranking is excluded, and in
some rounds a comment is hidden), the roster, and c graders of the paper who say which comments and placements are
theirs. They even know who the other g graders are, and for each attack the order of these by something that might have
left a trace: the roster, ids, times, labels, placements. What is said in a comment itself is out of play.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta

import numpy as np
import pyarrow as pa
import pytest
from django.utils import timezone

import peerorder.rounds
from peerorder.core import Profile
from peerorder.rounds import GradeSettings, Override, People, grade
from peerorder.web.assignments.models import Assignment, Stage
from peerorder.web.courses.models import Member
from peerorder.web.papers.models import Authorship, Paper, Version
from peerorder.web.ranking.models import Ballot, Comment, Handout, Save, Slot
from peerorder.web.results import comments
from peerorder.web.results.mark_sheets import Sheet
from peerorder.web.results.models import Decision, HiddenComment, Release
from peerorder.web.results.student_result import StudentResult, student_result
from tests.web.factories import enrol

ROUNDS, CLASS, EACH = 200, 8, 4
# Ids of our own, and so the same digests in every run.
FIRST_ID = 5_000_000


@dataclass(frozen=True)
class Grader:
    """Somebody who ranked the paper, with everything that might leave a trace; ``text`` is the comment."""

    member: int
    slot: int
    handed_in: float
    label: int
    placement: int
    text: str


@dataclass(frozen=True)
class Round:
    """What is known of a round: the graders, and what the author sees of the first release and of the second."""

    graders: list[Grader]
    colluding: int
    seen: tuple[StudentResult, StudentResult]
    excluded: Grader

    @property
    def others(self) -> list[Grader]:
        """The graders who do not collude, those whose comments are shown."""
        shown = {comment.text for each in self.seen for comment in each.comments}
        return [each for each in self.graders[self.colluding :] if each.text in shown]

    def shown(self, release: int = 0) -> list[str]:
        """The comments of these, in the order in which the author sees them."""
        theirs = {each.text for each in self.others}
        return [comment.text for comment in self.seen[release].comments if comment.text in theirs]


def play(members: list[Member], course) -> Iterator[Round]:
    """All rounds, as the app keeps them; the first student's paper is looked at."""
    rng, now = np.random.default_rng(16), timezone.now()
    made: dict[type, list] = {model: [] for model in (Paper, Version, Authorship, Slot, Ballot, Save, Comment)}
    ids = iter(range(FIRST_ID, FIRST_ID + 10**6))
    rounds = []
    for number in range(ROUNDS):
        assignment = Assignment.objects.create(
            course=course, title=f"Round {number}", stage=Stage.REVIEW, papers_each=EACH, comments=True
        )
        handout = Handout.objects.create(assignment=assignment, why=Handout.Why.FIRST, ready_at=now)
        papers = [next(ids) for _ in members]
        quality = rng.permutation(CLASS)
        for paper, member in zip(papers, members, strict=True):
            version = Version(pk=next(ids), paper_id=paper, kind="text", digest="x", size=1, handed_in_by=member)
            made[Paper].append(Paper(pk=paper, assignment=assignment, current_id=version.pk))
            made[Version].append(version)
            made[Authorship].append(Authorship(assignment=assignment, paper_id=paper, member=member))
        graders, ballots, order = [], [], rng.permutation(CLASS)
        for at, member in enumerate(members):
            place = int(np.flatnonzero(order == at)[0])
            bundle = rng.permutation([order[(place + step) % CLASS] for step in range(1, EACH + 1)])
            slots = [
                Slot(
                    pk=next(ids),
                    assignment=assignment,
                    handout=handout,
                    grader=member,
                    paper_id=papers[paper],
                    position=position,
                    token=f"{number}-{at}-{position}",
                )
                for position, paper in enumerate(bundle)
            ]
            ranked = sorted(range(EACH), key=lambda i, bundle=bundle: quality[bundle[i]] + 2 * rng.standard_normal())
            ballots.append([int(bundle[i]) for i in ranked])
            texts = {slot.token: f"Remark {rng.integers(10**12)}" for slot in slots}
            content = {"orders": {"0": [[slots[i].token] for i in ranked]}, "unjudged": [], "comments": {}}
            content["comments"] = {token: f"{token}:{text}" for token, text in texts.items()}
            handed_in = rng.random()
            ballot, save = next(ids), next(ids)
            made[Ballot].append(
                Ballot(pk=ballot, assignment=assignment, grader=member, submission_id=save, content=content)
            )
            at_time = now - timedelta(hours=handed_in)
            made[Save].append(Save(pk=save, ballot_id=ballot, revision=1, content=content, at=at_time, hands_in=True))
            for slot in slots:
                text = texts[slot.token]
                digest = content["comments"][slot.token]
                made[Comment].append(Comment(digest=digest, ballot_id=ballot, token=slot.token, text=text))
            made[Slot] += slots
            if 0 in bundle:
                position = int(np.flatnonzero(bundle == 0)[0])
                slot = slots[position]
                graders.append(
                    Grader(member.pk, slot.pk, handed_in, position, ranked.index(position), texts[slot.token])
                )
        rounds.append((assignment, papers, ballots, [graders[i] for i in rng.permutation(len(graders))]))
    for model, rows in made.items():
        getattr(model, "written", model._default_manager).bulk_create(rows)
    for assignment, papers, ballots, graders in rounds:
        colluding = int(rng.integers(0, EACH - 1))
        excluded = graders[int(rng.integers(colluding, EACH))]
        if rng.random() < 0.3 and EACH - colluding > 2:
            hidden = graders[int(rng.integers(colluding, EACH))]
            HiddenComment.objects.create(slot_id=hidden.slot, reason="why")
        first = look(assignment, 1, papers, members, ballots)
        Decision.objects.create(assignment=assignment, kind="exclude", grader_id=excluded.member, reason="why")
        second = look(assignment, 2, papers, members, ballots)
        yield Round(graders, colluding, (first, second), excluded)


def look(assignment: Assignment, number: int, papers: list[int], members: list[Member], ballots: list) -> StudentResult:
    """What the first author sees of a release of all rankings that are not excluded."""
    names = tuple(str(member.pk) for member in members)
    excluded = Decision.objects.filter(assignment=assignment).values_list("grader", "pk")
    round_ = peerorder.rounds.Round(
        profile=Profile.from_ballots(ballots, CLASS, authored=np.arange(CLASS)),
        paper_ids=pa.array(map(str, papers), pa.string()),
        grader_ids=pa.array(names, pa.string()),
        staff=np.zeros(CLASS, bool),
        people=People(("",) * CLASS, ("",) * CLASS, ("",) * CLASS),
        overrides=tuple(Override(str(grader), "exclude", "", str(pk)) for grader, pk in excluded),
    )
    graded = grade(round_, GradeSettings("borda", marks="percentile"))
    sheet = Sheet(graded, tuple(papers), tuple(member.pk for member in members))
    return student_result(assignment, members[0], sheet, Release(assignment=assignment, number=number))


# Attacks: each returns the grader or comment it guesses, and the right one.

Attack = Callable[[Round], tuple[object, object]]


def by_order(trace: Callable[[Grader], float], step: int = 1) -> Attack:
    """Take the comments for being in the order of the graders by some trace; a round in which it cannot be told is
    lost or won by the first comment."""

    def attack(round_: Round) -> tuple[object, object]:
        graders = sorted(round_.others, key=trace)[::step]
        return round_.shown()[0], graders[0].text

    return attack


def by_change(round_: Round) -> tuple[object, object]:
    """Take the comment that moved or vanished with the excluded ranking for that grader's."""
    before, after = round_.shown(0), round_.shown(1)
    moved = [text for i, text in enumerate(before) if after[i : i + 1] != [text]]
    return (moved or before)[-1], round_.excluded.text


def by_summary(round_: Round) -> tuple[object, object]:
    """Guess from the counts whether the excluded ranking had the paper high, and take an end of the list."""
    before, after = (each.summary for each in round_.seen)
    high = before is not None and after is not None and after.upper < before.upper
    return round_.shown()[0 if high else -1], round_.excluded.text


ATTACKS: dict[str, Attack] = {
    "roster": by_order(lambda grader: grader.member),
    "roster backwards": by_order(lambda grader: grader.member, -1),
    "ids": by_order(lambda grader: grader.slot),
    "time": by_order(lambda grader: grader.handed_in),
    "time backwards": by_order(lambda grader: grader.handed_in, -1),
    "label": by_order(lambda grader: grader.label),
    "placement": by_order(lambda grader: grader.placement),
    "placement backwards": by_order(lambda grader: grader.placement, -1),
    "change": by_change,
    "summary": by_summary,
}


def rates(rounds: list[Round]) -> dict[str, tuple[float, float, float]]:
    """For every attack, the two ends of the 95% interval (Wilson's) of its rate of success, and chance."""
    found = {}
    for name, attack in ATTACKS.items():
        played = [each for each in rounds if len(each.others) >= 2]
        if attack in (by_change, by_summary):
            played = [each for each in played if each.excluded in each.others]
        hits = [guess == right for guess, right in map(attack, played)]
        chance = float(np.mean([1 / len(each.others) for each in played]))
        n, rate, z = len(hits), float(np.mean(hits)), 1.96
        middle = (rate + z * z / (2 * n)) / (1 + z * z / n)
        half = z * math.sqrt(rate * (1 - rate) / n + z * z / (4 * n * n)) / (1 + z * z / n)
        found[name] = (middle - half, middle + half, chance)
    return found


@pytest.fixture
def members(course, settings) -> list[Member]:
    settings.SECRET_KEY = "the same in every run"
    return [enrol(course, f"Student{number}") for number in range(CLASS)]


def test_no_attack_is_better_than_chance(members, course):
    rounds = list(play(members, course))
    assert len(rounds) == ROUNDS
    assert {len(each.others) for each in rounds} == {2, 3, 4}
    assert all(each.seen[0].summary is not None and each.seen[1].summary is not None for each in rounds)
    wrong = {name: found for name, found in rates(rounds).items() if not found[0] <= found[2] <= found[1]}
    assert not wrong


def test_the_attacks_find_an_order_that_tells(members, course, monkeypatch):
    """A test of the test: comments in the order of the hand-out, and of their numbers, give graders away."""
    monkeypatch.setattr(comments, "comment_key", lambda slot: f"{slot:020d}")
    monkeypatch.setattr("tests.web.results.test_linkage.ROUNDS", 40)
    found = rates(list(play(members, course)))
    for name in ("roster", "ids"):
        assert found[name][0] > found[name][2]
