"""Students are told when staff touch their paper."""

import pytest

from peerorder.web.mail.models import Mail
from peerorder.web.papers import services
from peerorder.web.papers.submissions import check_text
from tests.web.factories import submit_paper


@pytest.fixture
def told():
    """The people and subjects of new e-mails since the last call."""
    seen = 0

    def new() -> list[tuple[int, str]]:
        nonlocal seen
        mails = list(Mail.objects.filter(pk__gt=seen).order_by("pk"))
        seen = max([seen, *(mail.pk for mail in mails)])
        return [(mail.person_id, mail.subject) for mail in mails]

    return new


def test_an_author_is_told_of_every_act(assignment, students, assistant, instructor, enter, told):
    paper = submit_paper(assignment, students[0])
    assert told() == []
    # The attack: an assistant replaces a student's paper, and the student must not have to look for it.
    services.hand_in(assignment, students[0], check_text("Not my essay."), by=assistant)
    assert [person for person, _subject in told()] == [students[0].person_id]
    services.withdraw(paper, instructor.person, "It shows your name.")
    services.withdraw(paper, instructor.person, "Once more.")
    assert [person for person, _subject in told()] == [students[0].person_id]
    assert "It shows your name." in Mail.objects.order_by("-pk")[0].body
    services.put_back(paper, instructor.person)
    assert len(told()) == 1
    # Each time, not only once.
    services.withdraw(paper, instructor.person, "Again.")
    assert len(told()) == 1
    receipt = enter(students[0]).get(f"/assignments/{assignment.pk}/receipt/").content.decode()
    assert receipt.count("withdrew it") == 2
    assert receipt.count("</strong> put it back") == 1
    assert receipt.count("handed it in for you") == 1
    assert "Asa" in receipt
    assert "Again." in receipt


def test_a_first_paper_is_told_too(assignment, students, assistant, told):
    services.hand_in(assignment, students[0], check_text("For you."), by=assistant)
    ((person, _subject),) = told()
    assert person == students[0].person_id


def test_the_whole_team_is_told(assignment, students, assistant, told):
    assignment.in_teams = True
    assignment.save()
    for mate in students[:2]:
        mate.team = "red"
        mate.save()
    services.hand_in(assignment, students[0], check_text("For you."), by=assistant)
    assert sorted(person for person, _subject in told()) == sorted(mate.person_id for mate in students[:2])


def test_nobody_else_reads_of_it(assignment, students, assistant, enter):
    services.hand_in(assignment, students[0], check_text("For you."), by=assistant)
    submit_paper(assignment, students[1])
    receipt = enter(students[1]).get(f"/assignments/{assignment.pk}/receipt/").content.decode()
    assert "handed it in for you" not in receipt
    assert "Asa" not in receipt
