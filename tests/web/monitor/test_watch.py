"""The page that shows how a round is going."""

import re
from datetime import timedelta

import pytest
from django.utils import timezone

from peerorder.web.assignments.models import Assignment, Extension, Stage
from peerorder.web.courses.models import Member, Section
from peerorder.web.mail.models import Mail
from peerorder.web.monitor import forecast as forecasts, queries, services
from peerorder.web.monitor.models import Offer
from peerorder.web.papers.models import Paper
from peerorder.web.people.models import Person
from peerorder.web.ranking.models import Ballot
from tests.web.factories import complete_ranking, enrol, submit_ranking
from tests.web.monitor.conftest import finish, hand_in


def forecast(assignment):
    result, fresh = forecasts.forecast_round(assignment)
    assert fresh
    return result


def address(assignment):
    return f"/assignments/{assignment.pk}/monitor/"


def test_it_shows_who_has_come_how_far(enter, instructor, ranking, students):
    finish(ranking, students[0])
    finish(ranking, students[1])
    Ballot.objects.create(assignment=ranking, grader=students[2], revision=1)
    page = enter(instructor).get(address(ranking)).content.decode()
    assert queries.count_by_state(ranking) == {"done": 2, "middle": 1, "not-started": 4, "no-paper": 1}
    text = re.sub(r"<[^>]+>|\s+", " ", page)
    text = re.sub(r"\s+", " ", text)
    for words in (
        "Done: 2",
        "In progress: 1",
        "Not started: 4",
        "No paper handed in: 1",
        "2 of 7 students",
        "1 student is not taking part",
    ):
        assert words in text
    assert "style=" not in page


def test_when_ranking_is_over_nobody_is_awaited(enter, instructor, ranking, students):
    finish(ranking, students[0])
    page = enter(instructor).get(address(ranking)).content.decode()
    assert "if everyone finishes" in page
    assert "Rankings are due" in page
    Assignment.objects.update(stage=Stage.REVIEW, rank_ended_at=timezone.now())
    page = enter(instructor).get(address(ranking)).content.decode()
    assert "if everyone finishes" not in page
    assert "Rankings are due" not in page
    assert "Ranking ended on" in page


def test_what_was_declined_does_not_come(enter, instructor, ranking, students):
    """Finding M2: all had finished, and more was promised if all finished."""
    for student in students[:-1]:
        finish(ranking, student, judged=0)
    found = forecast(ranking)
    assert found.now == found.finished
    assert (found.now.rankings, found.complete, len(found.mute)) == (0, True, 7)
    finish(ranking, students[0], judged=1)
    finish(ranking, students[1])
    found = forecast(ranking)
    assert found.now == found.finished
    assert (found.now.rankings, len(found.mute)) == (3, 6)
    page = enter(instructor).get(address(ranking)).content.decode()
    assert all(f'href="/courses/{ranking.course_id}/people/{each.pk}/"' in page for each in students)
    page = enter(instructor).get(f"/courses/{ranking.course_id}/people/{students[0].pk}/").content.decode()
    assert "3 of 3 papers ranked (2 not judged)" in page


def test_nothing_is_expected_of_those_who_were_removed(enter, instructor, ranking, students):
    """Finding M3."""
    finish(ranking, students[0])
    assert forecast(ranking).finished.rankings == 21
    for student in students[:2]:
        Member.objects.filter(pk=student.pk).update(removed_at=timezone.now())
    found = forecast(ranking)
    assert (found.now.rankings, found.finished.rankings, found.gone) == (3, 18, 3)
    assert "3 rankings of papers" in enter(instructor).get(address(ranking)).content.decode()


def test_who_joined_later_takes_no_part_and_is_told_apart(enter, instructor, course, ranking):
    enrol(course, "Zoe")
    assert queries.count_by_state(ranking) == {"done": 0, "middle": 0, "not-started": 7, "no-paper": 1, "new": 1}
    answer = enter(instructor).get(address(ranking))
    assert [answer.context[name] for name in ("done", "total", "no_part")] == [0, 7, 2]
    page = answer.content.decode()
    assert "0 of 7 students" in page
    assert "2 students are" in page
    assert "Joined later: <strong>1</strong>" in page
    assert f"/assignments/{ranking.pk}/extensions/" in page


def test_it_shows_who_has_more_time_and_who_was_reminded(enter, instructor, ranking, students):
    soon, over = timezone.now() + timedelta(days=20), timezone.now() - timedelta(days=1)
    Extension.objects.create(assignment=ranking, member=students[0], rank_by=soon)
    Extension.objects.create(assignment=ranking, member=students[1], hand_in_by=over)
    services.remind_one(ranking, students[2], instructor.person)
    services.remind_one(ranking, students[2], instructor.person, timezone.now() + timedelta(days=1))
    lines = {
        line.member.student: line
        for line in queries.student_rows(ranking, queries.students_with_state(ranking), timezone.now())
    }
    assert (lines["bo"].rank_by, lines["bo"].hand_in_by, lines["cy"].hand_in_by) == (soon, None, None)
    assert [lines[each].reminded for each in ("bo", "cy", "di")] == [0, 0, 2]
    page = enter(instructor).get(address(ranking)).content.decode()
    assert "rank by <time" in page
    assert "(2 times)" in page


def test_while_papers_come_in_there_are_two_kinds_of_people(enter, instructor, assignment, students):
    hand_in(assignment, students[0])
    assert queries.count_by_state(assignment) == {"done": 1, "no-paper": 7}
    assert enter(instructor).get(address(assignment)).status_code == 200


def test_somebody_late_waits_for_papers(ranking, students, work_off, enter, instructor):
    hand_in(ranking, students[-1])
    assert queries.count_by_state(ranking)["late"] == 1
    client = enter(instructor)
    assert f"{address(ranking)}late/" in client.get(address(ranking)).content.decode()
    asked = client.get(f"{address(ranking)}late/").content.decode()
    assert queries.count_by_state(ranking)["late"] == 1
    assert ">Ivy</a> <span" in asked
    assert client.post(f"{address(ranking)}late/").status_code == 302
    work_off()
    assert not Mail.objects.exists()
    assert queries.count_by_state(ranking) == {"done": 0, "middle": 0, "not-started": 8, "no-paper": 0}


def test_the_accuracy_rises_to_what_it_is_if_all_finish(ranking, students):
    nothing = forecast(ranking)
    assert nothing.now.accuracy == 50
    assert nothing.now.short == nothing.papers == 7
    assert nothing.finished.groups == 1
    for student in students[:4]:
        finish(ranking, student)
    half = forecast(ranking)
    assert 50 < half.now.accuracy < half.finished.accuracy == nothing.finished.accuracy
    for student in students[4:-1]:
        finish(ranking, student)
    all_ = forecast(ranking)
    assert all_.now == all_.finished
    # M7: plain numbers, all papers that were put in order.
    each = ranking.papers_each
    assert [found.now.rankings for found in (nothing, half, all_)] == [0, 4 * each, 7 * each]
    assert {found.finished.rankings for found in (nothing, half, all_)} == {7 * each}
    assert all_.shortest == []


def test_papers_not_judged_and_papers_withdrawn_do_not_count(ranking, students):
    for student in students[:-1]:
        finish(ranking, student, judged=0)
    assert forecast(ranking).now.accuracy == 50
    Paper.objects.filter(pk=Paper.objects.first().pk).update(withdrawn_at=ranking.created_at)
    assert forecast(ranking).papers == 6


def test_a_ranking_that_ties_all_papers_compares_nothing(ranking, students):
    ranking.ties = True
    ranking.save()
    said = complete_ranking(ranking, students[0])
    said["orders"]["0"] = [[token for tied in said["orders"]["0"] for token in tied]]
    submit_ranking(ranking, students[0], said)
    assert forecasts.forecast_round(ranking)[0].now.rankings == 0
    finish(ranking, students[1])
    assert forecasts.forecast_round(ranking)[0].now.rankings > 0


def test_it_answers_again_only_where_something_changed(enter, instructor, ranking, students):
    client = enter(instructor)
    page = client.get(address(ranking)).content.decode()
    again = re.search(r'hx-get="([^"]+)"', page)[1].replace("&amp;", "&")
    assert client.get(again).status_code == 204
    finish(ranking, students[0])
    answer = client.get(again)
    assert answer.status_code == 200
    text = answer.content.decode()
    assert "<html" not in text
    assert "1 of 7 students" in text
    assert re.search(r'seen=(\w+)"', text)[1] != re.search(r'seen=(\w+)"', page)[1]


def test_a_large_class_is_looked_through_now_and_then(monkeypatch, ranking, students):
    monkeypatch.setattr(forecasts, "SHARE", 1e9)
    before = forecast(ranking)
    finish(ranking, students[0])
    assert forecasts.forecast_round(ranking) == (before, False)


def test_staff_see_whose_papers_are_short_and_who_said_yes_to_more(enter, instructor, ranking, students):
    """m8: codes instead of names; m21: answers were in the audit log alone."""
    finish(ranking, students[0])
    for student, accepted in ((students[1], True), (students[2], False)):
        answered = {"accepted": accepted, "answered_at": timezone.now()}
        Offer.objects.create(assignment=ranking, member=student, papers=2, rankings_each=2, **answered)
    Offer.objects.create(assignment=ranking, member=students[3], papers=1, rankings_each=2)
    page = enter(instructor).get(address(ranking))
    assert {authors for authors, *_numbers in page.context["shortest"]} <= {str(student) for student in students}
    text = page.content.decode()
    for words in ("agreed to rank", "declined to rank", "asked to rank"):
        assert text.count(words) == 1


def test_the_list_can_be_searched_and_filtered(enter, instructor, ranking, students):
    finish(ranking, students[0])
    client = enter(instructor)

    def listed(**query):
        return [line.member for line in client.get(address(ranking), query).context["listing"].page]

    assert listed(state="done") == [students[0]]
    assert listed(q="cY") == [students[1]]
    section = Section.objects.create(course=ranking.course, name="Monday")
    Member.objects.filter(pk=students[2].pk).update(section=section)
    assert listed(section=section.pk) == listed(sort="section")[:1] == [students[2]]
    assert listed(sort="-name")[0] == students[-1]
    assert listed(sort="progress")[0] == students[0]
    assert client.get(address(ranking), {"state": "nonsense", "page": "9999", "q": "%"}).status_code == 200


def test_a_long_list_has_pages_and_few_queries(enter, instructor, course, ranking, django_assert_max_num_queries):
    for number in range(120):
        enrol(course, f"Extra{number}")
    client = enter(instructor)
    with django_assert_max_num_queries(53):
        page = client.get(address(ranking)).content.decode()
    assert "Page 1 of 3" in page
    assert page.count('class="swatch is-no-paper"') <= 60


def test_what_can_be_done_from_a_row(enter, instructor, assistant, ranking, students):
    """m4: remind, give more time, read the paper, open the page; nobody without an address is reminded."""
    finish(ranking, students[0])
    Person.objects.filter(pk=students[1].person_id).update(email="")
    extension = Extension.objects.create(assignment=ranking, member=students[2], rank_by=timezone.now())
    page = enter(instructor).get(address(ranking)).content.decode()
    offered = {number: f'formaction="{address(ranking)}remind/{students[number].pk}/' in page for number in range(3)}
    assert offered == {0: False, 1: False, 2: True}
    assert f'href="/assignments/{ranking.pk}/extensions/?student={students[0].student}"' in page
    assert f'href="/assignments/{ranking.pk}/extensions/{extension.pk}/"' in page
    paper = Paper.objects.get(authorships__member=students[0])
    assert f'href="/assignments/{ranking.pk}/papers/{paper.pk}/"' in page
    assert f'href="/courses/{ranking.course_id}/people/{students[0].pk}/"' in page
    page = enter(assistant).get(address(ranking)).content.decode()
    assert f"/assignments/{ranking.pk}/extensions/" not in page
    assert f'formaction="{address(ranking)}remind/{students[2].pk}/' in page


def test_rows_say_how_many_papers_are_ranked(ranking, students):
    finish(ranking, students[0])
    rows = {
        row.member.pk: row
        for row in queries.student_rows(ranking, queries.students_with_state(ranking), timezone.now())
    }
    each = ranking.papers_each
    assert [(rows[who.pk].ranked, rows[who.pk].papers) for who in students[:2]] == [(each, each), (0, each)]
    assert (rows[students[-1].pk].papers, rows[students[-1].pk].paper) == (0, None)


def test_a_draft_has_nothing_to_watch(enter, instructor, assignment):
    assignment.stage = Stage.DRAFT
    assignment.save()
    assert enter(instructor).get(address(assignment)).status_code == 409


@pytest.mark.parametrize(
    ("method", "path"),
    [("get", ""), ("post", "remind/"), ("post", "remind/1/"), ("get", "more/"), ("post", "more/"), ("post", "late/")],
)
def test_it_is_for_staff(method, path, client, enter, assistant, students, outsider, assignment):
    ask = getattr(client, method)
    assert ask(address(assignment) + path).status_code in (302, 403)
    enter(students[0])
    assert ask(address(assignment) + path).status_code == 403
    enter(outsider)
    assert ask(address(assignment) + path).status_code == 404
    enter(assistant)
    assert ask(address(assignment) + path).status_code not in (403, 405)
