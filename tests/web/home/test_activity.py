"""What the page of a person says about what they did."""

from datetime import timedelta

import pytest
from django.utils import timezone

from peerorder.web.assignments.models import Assignment, Extension, Stage
from peerorder.web.courses.models import Member
from peerorder.web.home.activity import activities, course_mails
from peerorder.web.mail.models import Mail
from peerorder.web.papers.models import Version
from peerorder.web.ranking.models import Problem, Slot
from peerorder.web.ranking.services import report
from tests.web.monitor.conftest import finish, hand_in, ranking  # noqa: F401 -- a fixture


def activity_of(member):
    return activities(member, course_mails(member), timezone.now())


def mail_to(member, key, **about):
    return Mail.objects.create(
        person_id=member.person_id, course_id=member.course_id, key=key, subject=f"About {key}", body="Secret", **about
    )


@pytest.fixture
def page(course):
    def page(client, member):
        return client.get(f"/courses/{course.pk}/people/{member.pk}/").content.decode()

    return page


def test_papers_rankings_problems_and_mails(ranking, students, course):  # noqa: F811
    bo = students[0]
    finish(ranking, bo)
    paper = bo.authorships.get().paper
    paper.current = Version.objects.create(paper=paper, kind="text", digest="1" * 64, size=7, handed_in_by=bo)
    paper.save()
    slot = Slot.objects.filter(grader=bo).first()
    report(slot, Problem.Kind.EMPTY, "Nothing there.", bo.person)
    about, other = mail_to(bo, "a", assignment_id=ranking.pk), mail_to(bo, "b")
    Mail.objects.create(person_id=bo.person_id, key="c", subject="Elsewhere", body="")
    (done,) = activity_of(bo)
    assert (done.state.state, done.state.ranked, done.paper) == ("done", ranking.papers_each, paper)
    assert [version.digest[0] for version in done.versions] == ["1", "0"]
    assert done.ranking_submitted_at is not None
    assert [problem.kind for problem in done.problems] == ["empty"]
    assert done.mails == [about]
    assert course_mails(bo) == [other, about]
    (nothing,) = activity_of(students[-1])
    assert (nothing.state.state, nothing.paper, nothing.versions) == ("no-paper", None, [])
    assert (nothing.ranking_submitted_at, nothing.problems, nothing.mails) == (None, [], [])


def test_nothing_of_staff_and_of_those_who_left(ranking, students, assistant):  # noqa: F811
    assert activity_of(assistant) == []
    Member.objects.filter(pk=students[0].pk).update(removed_at=timezone.now())
    assert activity_of(Member.objects.get(pk=students[0].pk)) == []


def test_what_staff_may_not_see_is_not_there(ranking, students, instructor, assistant, enter, page):  # noqa: F811
    """Nobody sees how somebody ranked or what an e-mail says; extensions and receipts are for instructors."""
    bo = students[0]
    finish(ranking, bo)
    Extension.objects.create(
        assignment=ranking, member=bo, rank_by=timezone.now() + timedelta(days=2), note="Ill until Monday."
    )
    mail_to(bo, "a", assignment_id=ranking.pk)
    for who, sees in ((instructor, True), (assistant, False)):
        text = page(enter(who), bo)
        assert ("Ill until Monday." in text) == ("0" * 12 in text) == sees
        assert "About a" in text
        assert "Secret" not in text
        for slot in Slot.objects.filter(grader=bo).select_related("paper"):
            assert slot.token not in text
            assert slot.paper.code not in text


def test_many_assignments_take_no_more_queries(
    ranking,  # noqa: F811
    students,
    django_assert_max_num_queries,
):
    for number in range(5):
        more = Assignment.objects.create(
            course=ranking.course, title=f"More {number}", stage=Stage.HANDING_IN, papers_each=3
        )
        hand_in(more, students[0])
    with django_assert_max_num_queries(12):
        assert len(activity_of(students[0])) == 6
