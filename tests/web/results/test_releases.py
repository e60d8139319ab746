"""Releases are signed off, published when they are due, and withdrawn."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from peerorder.web.assignments.models import Assignment, Stage
from peerorder.web.audit.models import Event
from peerorder.web.courses.services.courses import archive, bring_back
from peerorder.web.errors import Refused
from peerorder.web.home.erasure import erase_member
from peerorder.web.lifecycle.services import move
from peerorder.web.mail.models import Mail
from peerorder.web.results import services
from peerorder.web.results.mark_sheets import release_in_force, released_sheet
from peerorder.web.results.models import Decision, HiddenComment, Look, Release, Thanks
from peerorder.web.results.release_audience import changes, count_audience, draft_release, visible_to_students
from peerorder.web.results.release_warnings import release_warnings
from peerorder.web.results.releases import GRACE, publish_due, withdraw
from tests.web.factories import run_waiting
from tests.web.results.conftest import compute, release_now, set_scale, sign_off

MARK = Decision.Kind.MARK


def stage(assignment):
    return Assignment.objects.get(pk=assignment.pk).stage


def mails():
    """Whom an e-mail was written to, and about what."""
    return sorted(Mail.objects.filter(key__startswith="release").values_list("to", "subject"))


def addressed(about):
    return sorted(
        Mail.objects.filter(key__startswith="release", subject__contains=about).values_list("person_id", flat=True)
    )


def people_of(members):
    return sorted(member.person_id for member in members)


def marks_in_force(assignment):
    release = release_in_force(assignment)
    return {} if release is None else {pk: row.mark for pk, row in released_sheet(release).students.items()}


def test_nobody_sees_anything_for_ten_minutes(marked, instructor):
    now = timezone.now()
    release = sign_off(marked, instructor.person, now=now)
    assert release.due_at == now + GRACE
    assert publish_due(release.due_at - timedelta(seconds=1)) == 0
    assert (release_in_force(marked), Mail.objects.count(), stage(marked)) == (None, 0, Stage.REVIEW)


def test_marks_e_mails_and_the_stage_come_together(marked, instructor, students):
    release = sign_off(marked, instructor.person)
    assert publish_due(release.due_at) == 1
    assert release_in_force(marked) == release
    assert stage(marked) == Stage.RELEASED
    assert addressed("Your result is ready") == people_of(students)
    assert publish_due(release.due_at) == 0
    assert Mail.objects.count() == len(students)


def test_an_e_mail_has_no_mark(marked, instructor, papers, students):
    services.decide(marked, MARK, papers[0], "47.5", "Marked by hand.", instructor.person)
    release_now(marked, instructor.person)
    assert not any("47.5" in mail.subject + mail.body for mail in Mail.objects.all())


def test_it_waits_for_a_later_time(marked, instructor):
    later = timezone.now() + timedelta(days=3)
    assert sign_off(marked, instructor.person, at=later).due_at == later
    assert publish_due(later - timedelta(minutes=1)) == 0
    assert publish_due(later) == 1


def test_a_time_that_is_over_still_leaves_ten_minutes(marked, instructor):
    now = timezone.now()
    assert sign_off(marked, instructor.person, at=now - timedelta(days=1), now=now).due_at == now + GRACE


def test_of_two_who_sign_off_the_second_is_told(marked, instructor):
    sign_off(marked, instructor.person)
    with pytest.raises(Refused):
        sign_off(marked, instructor.person)
    assert Release.objects.count() == 1


def test_nobody_signs_off_what_they_have_not_seen(marked, instructor, papers):
    with pytest.raises(Refused):
        sign_off(
            marked,
            instructor.person,
            meanwhile=lambda: services.decide(marked, MARK, papers[0], "3", "why", instructor.person),
        )
    assert not Release.objects.exists()


def test_there_is_nothing_to_release_without_marks(result, ranked, instructor):
    with pytest.raises(Refused):
        sign_off(ranked, instructor.person)
    sign_off(ranked, instructor.person, marks=False)


def test_nothing_is_released_before_ranking_is_over(assignment, instructor):
    with pytest.raises(Refused):
        sign_off(assignment, instructor.person, marks=False)


def test_withdrawn_before_it_is_published(marked, instructor):
    release = sign_off(marked, instructor.person)
    assert withdraw(release, instructor.person, "", timezone.now())
    assert publish_due(release.due_at) == 0
    assert (release_in_force(marked), Mail.objects.count(), stage(marked)) == (None, 0, Stage.REVIEW)
    assert sign_off(marked, instructor.person).number == 2


def test_withdrawing_what_is_published_needs_a_reason(marked, instructor):
    release = release_now(marked, instructor.person)
    with pytest.raises(Refused):
        withdraw(release, instructor.person, " ", timezone.now())
    assert release_in_force(marked) == release
    assert withdraw(release, instructor.person, "Wrong scale.", timezone.now())
    assert not withdraw(release, instructor.person, "Wrong scale.", timezone.now())
    assert (release_in_force(marked), stage(marked)) == (None, Stage.REVIEW)
    # No message that was not sent yet leads to what is gone.
    assert not Mail.objects.exists()


def test_messages_that_were_sent_stay(marked, instructor):
    release = release_now(marked, instructor.person)
    sent = Mail.objects.order_by("pk")[0]
    Mail.objects.filter(pk=sent.pk).update(sent_at=timezone.now())
    withdraw(release, instructor.person, "Wrong scale.", timezone.now())
    assert list(Mail.objects.values_list("pk", flat=True)) == [sent.pk]


def test_a_second_release_tells_those_whose_marks_change(marked, instructor, papers, students):
    first = release_now(marked, instructor.person)
    services.decide(marked, MARK, papers[2], "11", "why", instructor.person)
    assert marks_in_force(marked)[students[2].pk] != 11, "it is a draft"
    draft = draft_release(marked)
    (change,) = changes(draft, visible_to_students(draft))
    assert (change.member, change.after.mark) == (students[2].pk, 11)
    assert change.before.mark == marks_in_force(marked)[students[2].pk]
    second = release_now(marked, instructor.person)
    assert (second.number, marks_in_force(marked)[students[2].pk]) == (2, 11)
    assert addressed("corrected") == [students[2].person_id]
    assert len(mails()) == len(students) + 1
    with pytest.raises(Refused):
        withdraw(first, instructor.person, "It is old.", timezone.now())


def test_after_a_withdrawal_everybody_is_told_again(marked, instructor, papers, students):
    withdraw(release_now(marked, instructor.person), instructor.person, "why", timezone.now())
    services.decide(marked, MARK, papers[2], "11", "why", instructor.person)
    release_now(marked, instructor.person)
    assert addressed("corrected") == [students[2].person_id]
    assert addressed("is ready") == people_of(each for each in students if each != students[2])


def test_comments_alone(ranked, instructor, students, papers):
    for slot in ranked.slots.filter(paper=papers[0]):
        HiddenComment.objects.create(slot=slot, reason="Rude.")
    numbers = count_audience(draft := draft_release(ranked, marks=False), visible_to_students(draft))
    assert (numbers.marks, numbers.review_marks, numbers.nothing) == (0, 0, len(students) - numbers.comments)
    release = release_now(ranked, instructor.person, marks=False)
    assert released_sheet(release) is None
    assert len(mails()) == numbers.comments
    assert students[0].person_id not in addressed("is ready")
    # Marks may follow, and then they are news to everybody.
    compute(ranked, instructor.person)
    set_scale(ranked, instructor.person, marks="percentile")
    release_now(ranked, instructor.person)
    assert len(mails()) == numbers.comments + len(students)
    assert not addressed("corrected")


def test_marks_that_are_given_elsewhere(ranked, instructor):
    release_now(ranked, instructor.person, marks=False, comments=False)
    assert (stage(ranked), Mail.objects.count()) == (Stage.RELEASED, 0)


def test_nobody_is_told_without_the_tick(marked, instructor):
    release_now(marked, instructor.person, tells=False)
    assert (stage(marked), Mail.objects.count()) == (Stage.RELEASED, 0)


def test_the_numbers(marked, instructor, students):
    students[0].person.email = ""
    students[0].person.save()
    draft = draft_release(marked)
    numbers = count_audience(draft, visible_to_students(draft))
    assert (numbers.students, numbers.marks, numbers.nothing) == (8, 8, 0)
    assert (numbers.told, numbers.without_address) == (7, 1)
    release_now(marked, instructor.person)
    assert len(mails()) == numbers.told


def test_a_release_that_is_due_in_an_archived_course_is_withdrawn(marked, instructor, course, enter):
    release = sign_off(marked, instructor.person)
    archive(course, instructor.person)
    assert publish_due(release.due_at - timedelta(seconds=1)) == publish_due(release.due_at) == 0
    bring_back(course, instructor.person)
    assert publish_due(release.due_at) == 0
    release.refresh_from_db()
    assert release.withdrawn_because
    page = enter(instructor).get(reverse("results:one-release", args=[marked.pk, 1])).content.decode()
    assert release.withdrawn_because in page
    assert "None" not in page
    # Whoever wants it signs it off again.
    release_now(marked, instructor.person)


def test_a_course_that_comes_back_in_time_publishes(marked, instructor, course):
    release = sign_off(marked, instructor.person)
    archive(course, instructor.person)
    assert publish_due(release.due_at - timedelta(seconds=1)) == 0
    bring_back(course, instructor.person)
    assert publish_due(release.due_at) == 1


def test_nothing_is_written_when_a_student_looks_in_an_archived_course(marked, instructor, course, students, enter):
    release = release_now(marked, instructor.person)
    Release.objects.update(published_at=release.published_at - timedelta(days=30))
    archive(course, instructor.person)
    client, address = enter(students[0]), reverse("results:my-result", args=[marked.pk])
    assert client.get(address).status_code == 200
    assert not Look.objects.exists()
    assert not Thanks.objects.exists()
    bring_back(course, instructor.person)
    client.get(address)
    assert (Look.objects.count(), Thanks.objects.count()) == (1, 1)


def test_one_that_fails_keeps_no_other_back(marked, instructor, monkeypatch):
    release = sign_off(marked, instructor.person)
    monkeypatch.setattr("peerorder.web.results.releases.message_kinds", lambda *_: 1 / 0)
    assert publish_due(release.due_at) == 0
    assert (release_in_force(marked), stage(marked)) == (None, Stage.REVIEW)
    monkeypatch.undo()
    assert publish_due(release.due_at) == 1


def test_stages_follow_releases_and_no_button(marked, instructor):
    now, by = timezone.now(), instructor.person
    with pytest.raises(Refused):
        move(marked, Stage.RELEASED, by, now)
    waiting = sign_off(marked, by)
    with pytest.raises(Refused):
        move(marked, Stage.RANKING, by, now)
    publish_due(waiting.due_at)
    marked.refresh_from_db()
    with pytest.raises(Refused):
        move(marked, Stage.REVIEW, by, now)
    moved = Event.objects.filter(verb="moved").values_list("details__was", "details__to")
    assert list(moved) == [("review", "released")]


def test_an_assignment_that_was_finished_by_an_older_version(ranked, instructor, students):
    """It has no release: it can go back to the review, or get its first release."""
    Assignment.objects.update(stage=Stage.RELEASED)
    ranked.refresh_from_db()
    compute(ranked, instructor.person)
    set_scale(ranked, instructor.person, marks="percentile")
    assert stage(ranked) == Stage.RELEASED
    release_now(ranked, instructor.person)
    assert len(marks_in_force(ranked)) == len(students)
    assert stage(ranked) == Stage.RELEASED
    withdraw(release_in_force(ranked), instructor.person, "why", timezone.now())
    assert stage(ranked) == Stage.REVIEW


def test_it_can_go_back_to_the_review_where_there_is_no_release(ranked, instructor):
    Assignment.objects.update(stage=Stage.RELEASED)
    ranked.refresh_from_db()
    assert move(ranked, Stage.REVIEW, instructor.person, timezone.now())


def test_erasure_after_release(marked, instructor, papers, students):
    """All others keep their marks, the erased one gets no e-mail any more, and a new release tells nobody twice."""
    release_now(marked, instructor.person)
    before = marks_in_force(marked)
    erase_member(students[3], instructor.person)
    assert marks_in_force(marked) == before
    assert students[3].person_id not in addressed("is ready")
    services.decide(marked, MARK, papers[3], "1", "why", instructor.person)
    services.decide(marked, MARK, papers[4], "2", "why", instructor.person)
    draft = draft_release(marked)
    assert [each.member for each in changes(draft, visible_to_students(draft))] == [students[4].pk]
    release_now(marked, instructor.person)
    assert addressed("corrected") == [students[4].person_id]


def test_what_speaks_against_a_release(marked, instructor, papers, students):
    now = timezone.now()
    assert release_warnings(draft_release(marked), now) == []
    services.decide(marked, Decision.Kind.EXCLUDE, students[0], "", "By length.", instructor.person)
    marked.extensions.create(member=students[1], rank_by=now + timedelta(days=1))
    slots = list(marked.slots.filter(paper=papers[1]))
    slots[0].problems.create(kind="other", text="It is odd.")
    HiddenComment.objects.create(slot=slots[1], reason="Rude.")
    slots[2].comment_feedback.create(member=students[1], kind="report")
    papers[2].withdrawn_at = now
    papers[2].save()
    compute(marked, instructor.person)
    assert len(release_warnings(draft_release(marked), now)) == 7
    assert len(release_warnings(draft_release(marked, marks=False, comments=False), now)) == 2


def test_a_result_without_a_ranking_that_counts_again_is_nothing_to_choose(marked, instructor, students):
    now = timezone.now()
    services.exclude(marked, students[0], "By length.", instructor.person)
    run_waiting()
    assert len(release_warnings(draft_release(marked), now)) == 2
    services.include_again(Decision.objects.get(), instructor.person, "A try.")
    assert release_warnings(draft_release(marked), now) == []
