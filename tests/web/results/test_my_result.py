"""The page of a student: there while a release is in force; feedback on comments, and thanks for them."""

from datetime import timedelta

import pytest
from django.utils import timezone

from peerorder.web.results.comments import comment_key, comment_texts
from peerorder.web.results.feedback import QUIET
from peerorder.web.results.mark_sheets import decisions_in_force, released_sheet
from peerorder.web.results.models import Basis, CommentFeedback, HiddenComment, Look, Release, Thanks
from peerorder.web.results.student_result import mark_text
from tests.web.results.conftest import set_scale


def release(assignment, **fields) -> Release:
    """Published just now, by what is chosen."""
    basis = Basis.objects.get(assignment=assignment)
    made = {"result": basis.result, "settings": basis.settings, "decisions": decisions_in_force(assignment)}
    now = timezone.now()
    number = Release.objects.filter(assignment=assignment).count() + 1
    return Release.objects.create(
        assignment=assignment, number=number, **{**made, "due_at": now, "published_at": now, **fields}
    )


@pytest.fixture
def released(marked) -> Release:
    return release(marked)


@pytest.fixture
def page(marked) -> str:
    return f"/assignments/{marked.pk}/my-result/"


@pytest.fixture
def slot(marked, papers) -> int:
    """Of a comment on the first paper."""
    return next(iter(comment_texts(papers[0].pk)))


def sentence(release, member) -> str:
    return f"Your mark is {mark_text(released_sheet(release).students[member.pk].mark)}."


def say(client, page, slot, kind, text=""):
    return client.post(f"{page}feedback/", {"comment": comment_key(slot), "kind": kind, "text": text})


def test_nothing_is_there_before_a_release_is_published(marked, enter, students, page):
    release(marked, published_at=None)
    response = enter(students[0]).get(page)
    assert response.status_code == 404
    assert f'href="/assignments/{marked.pk}/"' in response.content.decode()
    assert "my-result" not in enter(students[0]).get(f"/assignments/{marked.pk}/").content.decode()
    assert "my-result" not in enter(students[0]).get("/").content.decode()


def test_the_result_and_the_ways_to_it(released, marked, enter, students, page, papers):
    client = enter(students[0])
    text = client.get(page).content.decode()
    assert sentence(released, students[0]) in text
    for comment in comment_texts(papers[0].pk).values():
        assert comment in text
    for address in ("/", f"/courses/{marked.course_id}/", f"/assignments/{marked.pk}/"):
        assert page in client.get(address).content.decode()


def test_the_result_leads_to_the_paper_and_to_the_ranking(released, marked, enter, students, page):
    paper, ranking = f"/assignments/{marked.pk}/my-paper/", f"/assignments/{marked.pk}/ranking/receipt/"
    for student, ranked in ((students[0], True), (students[-1], False)):
        text = enter(student).get(page).content.decode()
        assert paper in text
        assert (ranking in text) is ranked


def test_on_the_first_page_results_stand_apart_and_a_withdrawn_one_says_so(released, marked, enter, students, page):
    client = enter(students[0])
    assert [each.assignment for each in client.get("/").context["results"]] == [marked]
    released.withdrawn_at = timezone.now()
    released.save()
    for address in ("/", f"/courses/{marked.course_id}/"):
        assert "withdrawn" in client.get(address).content.decode()
        assert page in client.get(address).content.decode()
    assert client.get("/").context["results"] == []
    release(marked)
    assert "withdrawn" not in client.get("/").content.decode()


def test_the_first_look_is_remembered(released, enter, students, page):
    client = enter(students[0])
    client.head(page)
    assert not Look.objects.exists()
    client.get(page)
    first = Look.objects.get()
    assert (first.release, first.member) == (released, students[0])
    client.get(page)
    assert Look.objects.get().at == first.at


def test_a_withdrawn_release_says_so(released, marked, enter, students, page):
    released.withdrawn_at, released.withdrawn_because = timezone.now(), "A scale was mistaken."
    released.save()
    text = enter(students[0]).get(page).content.decode()
    assert "A scale was mistaken." in text
    assert sentence(released, students[0]) not in text
    assert "withdrawn" in enter(students[0]).get(f"/assignments/{marked.pk}/").content.decode()


def test_what_changes_after_a_release_is_not_shown(released, marked, instructor, enter, students, page):
    before = enter(students[0]).get(page).content.decode()
    set_scale(marked, instructor.person, marks="bands:A=50,B=50")
    assert before.count("Your mark is 93.75.") == enter(students[0]).get(page).content.decode().count(
        "Your mark is 93.75."
    )


def test_a_release_of_comments_alone(marked, enter, students, page, papers):
    release(marked, marks=False)
    text = enter(students[0]).get(page).content.decode()
    assert "Your mark is" not in text
    assert next(iter(comment_texts(papers[0].pk).values())) in text


def test_a_release_that_only_ends_the_assignment(marked, enter, students, page):
    release(marked, marks=False, comments=False)
    assert "A remark" not in enter(students[0]).get(page).content.decode()
    assert page not in enter(students[0]).get("/").content.decode()


def test_feedback_can_be_changed_and_taken_back(released, enter, students, page, slot):
    client = enter(students[0])
    assert say(client, page, slot, "helpful").status_code == 302
    assert 'aria-pressed="true">Helpful' in client.get(page).content.decode()
    say(client, page, slot, "report", "It is rude.")
    given = CommentFeedback.objects.get()
    assert (given.kind, given.text, given.member) == ("report", "It is rude.", students[0])
    say(client, page, slot, "unhelpful", "dropped")
    assert CommentFeedback.objects.get().text == ""
    say(client, page, slot, "")
    assert not CommentFeedback.objects.exists()


def test_staff_are_told_of_reports_until_the_comment_is_hidden(
    released, marked, enter, instructor, students, page, slot
):
    say(enter(students[0]), page, slot, "report", "It is rude.")
    address, told = f"/assignments/{marked.pk}/", f"/assignments/{marked.pk}/comments/?only=reported"
    assert told in enter(instructor).get(address).content.decode()
    HiddenComment.objects.create(slot_id=slot, reason="It is.")
    assert told not in enter(instructor).get(address).content.decode()


def test_a_report_is_shown_in_place_of_the_form_until_it_is_taken_back(released, enter, students, page, slot):
    client = enter(students[0])
    before = client.get(page).content.decode().count("<textarea")
    say(client, page, slot, "report", "It is rude.")
    text = client.get(page).content.decode()
    assert "It is rude." in text
    assert text.count("<textarea") == before - 1
    say(client, page, slot, "")
    assert client.get(page).content.decode().count("<textarea") == before


@pytest.mark.parametrize(("kind", "text"), [("report", " "), ("report", "x" * 501), ("wonderful", "")])
def test_feedback_that_cannot_be(released, enter, students, page, slot, kind, text):
    assert say(enter(students[0]), page, slot, kind, text).status_code == 409
    assert not CommentFeedback.objects.exists()


def test_only_authors_say_something_about_a_comment_and_only_once_it_is_released(marked, enter, students, page, slot):
    assert say(enter(students[0]), page, slot, "helpful").status_code == 409
    release(marked, comments=False)
    assert say(enter(students[0]), page, slot, "helpful").status_code == 409
    release(marked)
    assert say(enter(students[1]), page, slot, "helpful").status_code == 409
    assert say(enter(students[0]), page, slot, "helpful").status_code == 302


def test_thanks_come_a_week_later_and_never_change(released, enter, students, page, slot, papers):
    grader = next(each for each in students if each.pk == papers[0].slots.get(pk=slot).grader_id)
    say(enter(students[0]), page, slot, "helpful")
    assert "Thank you:" not in enter(grader).get(page).content.decode()
    released.published_at = timezone.now() - QUIET - timedelta(hours=1)
    released.save()
    assert "Thank you:" in enter(grader).get(page).content.decode()
    say(enter(students[0]), page, slot, "unhelpful")
    assert "Thank you:" in enter(grader).get(page).content.decode()
    assert Thanks.objects.get(member=grader).helpful == 1
