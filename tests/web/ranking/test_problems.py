"""Problems with papers."""

import re

import pytest

from peerorder.web.assignments.models import Assignment
from peerorder.web.audit.models import Event
from peerorder.web.ranking import services
from peerorder.web.ranking.models import Problem, Slot


@pytest.fixture
def address(round_, tokens):
    return f"/assignments/{round_.pk}/ranking/problems/{tokens[0]}/"


def test_a_problem_is_reported_answered_and_read(enter, round_, grader, instructor, address, tokens):
    client = enter(grader)
    assert client.get(address).status_code == 200
    answer = client.post(address, {"kind": "identity", "text": "The name is on top."})
    assert answer["Location"].endswith(f"#paper-{tokens[0]}")
    problem = Problem.objects.get()
    assert problem.slot.token == tokens[0]
    assert "not answered" in client.get(f"/assignments/{round_.pk}/ranking/").content.decode()
    client = enter(instructor)
    page = client.get(f"/assignments/{round_.pk}/problems/").content.decode()
    assert "The name is on top." in page
    assert f"/assignments/{round_.pk}/papers/{problem.slot.paper_id}/" in page
    author = problem.slot.paper.authorships.get().member
    assert str(author) in page
    assert str(grader) in page
    answer = client.post(f"/assignments/{round_.pk}/problems/{problem.pk}/", {f"p{problem.pk}-answer": "It is gone."})
    assert answer.status_code == 302
    assert client.get(answer["Location"]).context["waiting"] == []
    page = enter(grader).get(f"/assignments/{round_.pk}/ranking/").content.decode()
    assert "It is gone." in page
    assert "not answered" not in page
    assert set(Event.objects.values_list("verb", flat=True)) >= {"problem reported", "problem answered"}


def test_the_form_says_what_happens_next(enter, grader, address):
    page = enter(grader).get(address).content.decode()
    assert re.search(r"<legend>[^<]+</legend>", page)
    assert page.count('type="radio" name="kind"') == len(Problem.Kind.values)
    assert '<textarea name="text"' in page
    assert "“Cannot judge”" in page
    Assignment.objects.update(cannot_judge=False)
    assert "“Cannot judge”" not in enter(grader).get(address).content.decode()


def test_a_kind_is_needed(enter, grader, address):
    answer = enter(grader).post(address, {"text": "Hm."})
    assert [*answer.context["form"].errors] == ["kind"]
    assert 'class="errorlist"' in answer.content.decode()
    assert not Problem.objects.exists()


def test_something_else_needs_words(enter, grader, address):
    answer = enter(grader).post(address, {"kind": "other", "text": ""})
    assert answer.status_code == 200
    assert "text" in answer.context["form"].errors
    assert not Problem.objects.exists()


def test_too_long_or_of_no_kind(enter, grader, address):
    assert enter(grader).post(address, {"kind": "empty", "text": "x" * 2001}).status_code == 200
    assert enter(grader).post(address, {"kind": "x", "text": ""}).status_code == 200
    assert not Problem.objects.exists()


def test_not_over_and_over(enter, grader, address):
    for _ in range(services.MOST_OPEN + 3):
        enter(grader).post(address, {"kind": "empty"})
    assert Problem.objects.count() == services.MOST_OPEN


def test_an_empty_answer_is_refused(enter, instructor, round_, tokens):
    problem = Problem.objects.create(slot=Slot.objects.get(token=tokens[0]), kind="empty")
    enter(instructor).post(f"/assignments/{round_.pk}/problems/{problem.pk}/", {f"p{problem.pk}-answer": " "})
    problem.refresh_from_db()
    assert problem.answered_at is None


def test_nobody_reports_on_the_papers_of_others(enter, round_, grader, outsider, instructor, address):
    other = Slot.objects.exclude(grader=grader).first().token
    assert enter(grader).get(address.replace(address.split("/")[-2], other)).status_code == 404
    assert enter(outsider).get(address).status_code == 404
    assert enter(instructor).get(address).status_code == 403


def test_the_inbox_is_for_staff(enter, round_, grader, assistant, outsider, tokens):
    address = f"/assignments/{round_.pk}/problems/"
    page = enter(assistant).get(address)
    assert (page.context["waiting"], page.context["answered"]) == ([], [])
    assert "<article" not in page.content.decode()
    problem = Problem.objects.create(slot=Slot.objects.get(token=tokens[0]), kind="empty")
    for member, status in ((grader, 403), (outsider, 404)):
        assert enter(member).get(address).status_code == status
        assert enter(member).post(f"{address}{problem.pk}/", {}).status_code == status
