"""Hand-outs: the first one, late ones and top-ups."""

from collections import Counter

import pytest
from django.db import IntegrityError, connection, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from peerorder.web.assignments.models import Assignment
from peerorder.web.audit.models import Event
from peerorder.web.courses.models import Member, Role
from peerorder.web.errors import Refused
from peerorder.web.jobs.models import Job
from peerorder.web.papers.models import Authorship, Paper, Version
from peerorder.web.people.models import Person
from peerorder.web.ranking import handouts
from peerorder.web.ranking.models import Handout, Problem, Slot
from tests.sizes import sized
from tests.web.factories import enrol, submit_ranking
from tests.web.ranking.conftest import at_ranking, do, hand_in_paper


def pairs(assignment):
    return set(Slot.objects.filter(assignment=assignment).values_list("grader", "paper"))


def authors(assignment):
    return set(Authorship.objects.filter(assignment=assignment).values_list("member", "paper"))


def test_everybody_gets_papers_and_nobody_their_own(round_, students):
    slots = Slot.objects.filter(assignment=round_)
    assert Counter(slot.grader_id for slot in slots) == {student.pk: 3 for student in students}
    assert set(Counter(slot.paper_id for slot in slots).values()) == {3}
    assert not pairs(round_) & authors(round_)
    for student in students:
        assert [slot.position for slot in slots.filter(grader=student)] == [0, 1, 2]
    assert {slot.part for slot in slots} == {0}
    assert Handout.objects.get().provenance["seed"] == round_.seed
    assert Event.objects.get(verb="handed out").details["slots"] == 24


def test_tokens_are_of_every_slot_alone(round_):
    assert len(set(Slot.objects.values_list("token", flat=True))) == 24


def test_the_same_seed_gives_the_same_papers(round_):
    before = list(Slot.objects.order_by("pk").values_list("grader", "paper", "position"))
    handouts.withdraw_first(round_)
    assert not Slot.written.exists()
    do(handouts.enqueue_first_handout(round_))
    assert list(Slot.objects.order_by("pk").values_list("grader", "paper", "position")) == before


def test_asking_twice_hands_out_once(round_):
    before = pairs(round_)
    assert do(handouts.enqueue_first_handout(round_)).state == Job.State.DONE
    assert pairs(round_) == before


def test_team_mates_do_not_get_their_own_paper_and_withdrawn_ones_go_to_nobody(assignment, students):
    team, withdrawn = hand_in_paper(assignment, *students[:3]), hand_in_paper(assignment, students[7])
    for student in students[3:7]:
        hand_in_paper(assignment, student)
    Paper.objects.filter(pk=withdrawn.pk).update(withdrawn_at=timezone.now())
    at_ranking(assignment)
    assert do(handouts.enqueue_first_handout(assignment)).state == Job.State.DONE
    assert not pairs(assignment) & authors(assignment)
    assert {grader for grader, _ in pairs(assignment)} == {student.pk for student in students[:7]}
    assert withdrawn.pk not in {paper for _, paper in pairs(assignment)}
    assert team.pk in {paper for _, paper in pairs(assignment)}


def test_those_who_left_and_those_without_a_paper_are_asked_nothing(assignment, students, papers):
    enrol(assignment.course, "Idle")
    Member.objects.filter(pk=students[0].pk).update(removed_at=timezone.now())
    at_ranking(assignment)
    do(handouts.enqueue_first_handout(assignment))
    assert {grader for grader, _ in pairs(assignment)} == {student.pk for student in students[1:]}
    assert papers[0].pk not in {paper for _, paper in pairs(assignment)}


def test_papers_that_cannot_be_shown_are_left_out_and_counted(assignment, students, papers):
    Version.objects.filter(paper=papers[0]).update(state="broken")
    at_ranking(assignment)
    assert "1 paper cannot be shown" in do(handouts.enqueue_first_handout(assignment)).message
    assert papers[0].pk not in {paper for _, paper in pairs(assignment)}


def test_too_few_papers_are_refused_with_the_cure(assignment, students):
    for student in students[:3]:
        hand_in_paper(assignment, student)
    at_ranking(assignment)
    job = do(handouts.enqueue_first_handout(assignment))
    assert job.state == Job.State.FAILED
    assert "choose a smaller k" in job.message
    assert not Handout.objects.exists()


def test_not_while_people_hand_in(assignment, papers):
    assert do(handouts.enqueue_first_handout(assignment)).state == Job.State.FAILED
    assert not Slot.written.exists()


def test_what_a_dead_worker_left_is_seen_by_nobody_and_begun_again(assignment, papers, students, monkeypatch):
    at_ranking(assignment)
    monkeypatch.setattr(handouts, "BATCH", 10)
    job = handouts.enqueue_first_handout(assignment)

    class Killed(BaseException):
        pass

    def killed(done, total, message=""):
        if done >= 20:
            raise Killed

    with pytest.raises(Killed):
        handouts.hand_out(job, killed)
    half = set(Slot.written.values_list("grader", "paper"))
    assert len(half) == 20
    assert not Slot.objects.exists()
    assert do(job).state == Job.State.DONE
    assert Slot.written.count() == Slot.objects.count() == 24
    assert half < pairs(assignment)


def test_late_papers_and_graders_join_and_others_keep_theirs(round_, students):
    Slot.objects.filter(position=0).update(opened_at=timezone.now())
    before = set(Slot.objects.values_list("grader", "paper", "position", "token"))
    late = [enrol(round_.course, name) for name in ("Jo", "Kim")]
    added = {hand_in_paper(round_, member).pk for member in late}
    job = do(handouts.enqueue_late_handout(round_))
    assert job.state == Job.State.DONE, job.message
    after = set(Slot.objects.values_list("grader", "paper", "position", "token"))
    assert before < after
    assert Counter(grader for grader, *_ in after)[late[0].pk] == 3
    assert added <= {paper for _, paper, *_ in after}
    assert max(Counter(grader for grader, *_ in after - before).values()) == 3
    assert not pairs(round_) & authors(round_)
    # They rank it among what they have: it is no part of its own.
    assert set(Slot.objects.values_list("part", flat=True)) == {0}
    assert "No late papers" in do(handouts.enqueue_late_handout(round_)).message
    assert Handout.objects.count() == 2


@pytest.fixture
def late_papers(round_) -> set[int]:
    """Eight papers that come while others rank, so that everybody who was there gets one more."""
    Assignment.objects.filter(pk=round_.pk).update(seed=7)
    late = [enrol(round_.course, name) for name in ("Jo", "Kim", "Lee", "Mo", "Nat", "Ola", "Pia", "Qi")]
    return {hand_in_paper(round_, member).pk for member in late}


def test_no_label_tells_which_paper_is_late(round_, students, late_papers):
    """Graders who have not begun cannot tell; one who has keeps the labels that they know."""
    begun, *others = students
    Slot.objects.filter(grader=begun, position=1).update(opened_at=timezone.now())
    known = list(Slot.objects.filter(grader=begun).values_list("token", "position"))
    assert do(handouts.enqueue_late_handout(round_)).state == Job.State.DONE
    positions = Counter()
    for member in others:
        slots = list(Slot.objects.filter(grader=member))
        assert [slot.position for slot in slots] == list(range(len(slots)))
        positions.update(slot.position for slot in slots if slot.paper_id in late_papers)
    assert positions.total() == len(others)
    assert positions[3] < len(others)
    assert len(positions) > 1
    assert list(Slot.objects.filter(grader=begun).values_list("token", "position"))[:3] == known


def test_graders_who_have_begun_are_asked_last_for_late_papers(round_, students):
    Assignment.objects.filter(pk=round_.pk).update(seed=7)
    first, *others = students
    for member in others[:6]:
        submit_ranking(round_, member)
    paper = hand_in_paper(round_, enrol(round_.course, "Jo"))
    assert do(handouts.enqueue_late_handout(round_)).state == Job.State.DONE
    graders = set(Slot.objects.filter(paper=paper).values_list("grader", flat=True))
    # Two have not begun and suffice for all but one of the three rankings.
    assert {first.pk, others[6].pk} < graders


def rank_all(assignment, members):
    for member in members:
        submit_ranking(assignment, member)


def test_a_top_up_asks_those_who_are_done_for_a_part_of_its_own(round_, students):
    rank_all(round_, students[:5])
    job = do(handouts.enqueue_top_up(round_, 3))
    assert job.state == Job.State.DONE, job.message
    more = Slot.objects.filter(part=1)
    assert more
    assert {slot.grader_id for slot in more} <= {student.pk for student in students[:5]}
    assert all(slot.position >= 3 for slot in more)
    assert min(Counter(slot.grader_id for slot in more).values()) >= 2
    assert not pairs(round_) & authors(round_)
    assert len(pairs(round_)) == Slot.objects.count()


def test_a_top_up_among_some(round_, students):
    rank_all(round_, students[:5])
    do(handouts.enqueue_top_up(round_, 3, among=[students[0].pk, students[1].pk]))
    assert {slot.grader_id for slot in Slot.objects.filter(part=1)} <= {students[0].pk, students[1].pk}


def test_a_top_up_where_nobody_is_done_is_refused(round_):
    assert do(handouts.enqueue_top_up(round_, 3)).state == Job.State.FAILED


def test_going_back_is_refused_once_somebody_began(round_, students):
    slot = Slot.objects.first()
    problem = Problem.objects.create(slot=slot, kind="empty")
    with pytest.raises(Refused, match="reported a problem"):
        handouts.withdraw_first(round_)
    problem.delete()
    rank_all(round_, students[:1])
    with pytest.raises(Refused, match="1 student has started"):
        handouts.withdraw_first(round_)
    assert Slot.objects.count() == 24


def test_the_database_knows_one_first_hand_out(round_):
    with pytest.raises(IntegrityError), transaction.atomic():
        Handout.objects.create(assignment=round_, why=Handout.Why.FIRST)


@pytest.mark.slow
@sized("n", 2_000, full=10_000)
def test_thousands_by_few_queries_with_progress(assignment, n):
    assignment.papers_each = 5
    people = Person.objects.bulk_create([Person(name=f"s{at}", password="!") for at in range(n)])
    members = Member.objects.bulk_create(
        [
            Member(course=assignment.course, person=person, role=Role.STUDENT, student=f"s{at}")
            for at, person in enumerate(people)
        ]
    )
    made = Paper.objects.bulk_create([Paper(assignment=assignment) for _ in range(n)])
    versions = Version.objects.bulk_create(
        [
            Version(paper=paper, kind="text", text="x", digest="0", size=1, handed_in_by=member)
            for paper, member in zip(made, members, strict=True)
        ]
    )
    for paper, version in zip(made, versions, strict=True):
        paper.current = version
    Paper.objects.bulk_update(made, ["current"], batch_size=2000)
    Authorship.objects.bulk_create(
        [
            Authorship(assignment=assignment, paper=paper, member=member)
            for paper, member in zip(made, members, strict=True)
        ]
    )
    at_ranking(assignment)
    job = handouts.enqueue_first_handout(assignment)
    with CaptureQueriesContext(connection) as queries:
        do(job)
    assert job.state == Job.State.DONE, job.message
    assert (job.done, job.total) == (5 * n, 5 * n)
    assert Slot.objects.count() == 5 * n
    # Slots are written by the hundred, five of them for a student.
    assert len(queries) < n / 10
