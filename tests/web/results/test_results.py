"""The pages of results: what there is, what one says, who moves by another, and rankings that are excluded."""

import re
from dataclasses import asdict
from datetime import timedelta

import pytest
from django.utils import timezone
from django.utils.html import escape

from peerorder.core.errors import InputError
from peerorder.rounds import GradeSettings
from peerorder.rules import RULES
from peerorder.web.assignments.models import Assignment, Stage
from peerorder.web.jobs.models import Job
from peerorder.web.lifecycle.services import move
from peerorder.web.ranking.models import Ballot
from peerorder.web.results import services
from peerorder.web.results.mark_sheets import draft_sheet, trial_sheet
from peerorder.web.results.models import Basis, Decision, Result
from peerorder.web.results.result_data import load
from tests.web.factories import enrol, run_waiting
from tests.web.results.conftest import compute, set_scale

EXCLUDE = Decision.Kind.EXCLUDE


def address(assignment, more=""):
    return f"/assignments/{assignment.pk}/results/{more}"


def page(client, assignment, more="", **headers):
    answer = client.get(address(assignment, more), headers=headers)
    assert answer.status_code == 200
    return answer.content.decode()


def order_of(result):
    """The papers of a result, the best first."""
    kept = load(result)
    return [kept.papers[number] for number in kept.outcome.order]


def papers_in(html):
    """The papers that link to their explanations, in order."""
    return [int(found) for found in re.findall(r"/papers/(\d+)/", html)]


# All results.


def test_before_ranking_is_over_there_is_none(assignment, enter, instructor):
    shown = page(enter(instructor), assignment)
    assert "not over" in shown
    assert address(assignment, "compute/") not in shown
    assert enter(instructor).post(address(assignment, "compute/"), {"rule": "borda", "seed": 0}).status_code == 409
    assert not Result.objects.exists()


def test_the_first_result_is_requested_at_the_review_and_only_then(ranked, instructor):
    Assignment.objects.filter(pk=ranked.pk).update(stage=Stage.RANKING)
    ranked.refresh_from_db()
    move(ranked, Stage.REVIEW, instructor.person, timezone.now())
    result = Result.objects.get()
    assert (result.settings["rule"], result.requested_by) == ("posterior", None)
    move(ranked, Stage.RANKING, instructor.person, timezone.now())
    move(ranked, Stage.REVIEW, instructor.person, timezone.now())
    assert Result.objects.get() == result


def test_a_result_that_is_computed_shows_its_progress(ranked, enter, instructor):
    result = services.request_result(ranked, None, "borda")
    job = Job.objects.get(kind="result")
    client = enter(instructor)
    for more in ("", f"{result.number}/", f"{result.number}/compared-with/{result.number}/"):
        assert f"/jobs/{job.pk}/" in page(client, ranked, more)
    assert client.post(address(ranked, "1/choose/"), {"revision": 0}).status_code == 409
    run_waiting()
    assert f"/jobs/{job.pk}/" not in page(client, ranked)


@pytest.mark.parametrize("stage", [Stage.REVIEW, Stage.RELEASED])
def test_staff_come_to_results_from_the_assignment(result, ranked, enter, assistant, stage):
    Assignment.objects.filter(pk=ranked.pk).update(stage=stage)
    assert (
        f'class="button" href="{address(ranked)}"'
        in enter(assistant).get(f"/assignments/{ranked.pk}/").content.decode()
    )


def test_another_result_by_any_rule(result, ranked, enter, instructor):
    sent = {"rule": "plackett-luce", "options": "prior=0.1", "seed": 7, "upside_down": "on"}
    assert enter(instructor).post(address(ranked, "compute/"), sent).status_code == 302
    other = Result.objects.get(number=2)
    chosen = GradeSettings("plackett-luce:prior=0.1", seed=7, upside_down=True)
    assert other.settings == asdict(chosen)
    assert other.requested_by == instructor.person


@pytest.mark.parametrize(
    "sent",
    [
        {"rule": "no-such-rule", "seed": 0},
        {"rule": "borda", "options": "prior=1", "seed": 0},
        {"rule": "plackett-luce", "options": "prior=x", "seed": 0},
        {"rule": "borda", "seed": -1},
        {"rule": "borda", "seed": "x"},
    ],
)
def test_a_rule_or_options_that_are_not_there(result, ranked, enter, instructor, sent):
    answer = enter(instructor).post(address(ranked, "compute/"), sent)
    assert answer.status_code == 400
    assert 'id="problems"' in answer.content.decode()
    assert Result.objects.count() == 1


def test_a_rule_that_fails_says_why(result, ranked, enter, instructor, monkeypatch):
    def refuse(*_):
        raise InputError("these rankings do not hang together")

    monkeypatch.setattr("peerorder.rounds.grading.merge", refuse)
    compute(ranked, instructor.person, "rsd")
    client = enter(instructor)
    for more in ("", "2/", "2/graders/", "2/compared-with/1/"):
        assert "these rankings do not hang together" in page(client, ranked, more)
    assert client.post(address(ranked, "2/choose/"), {"revision": 1}).status_code == 409
    assert Basis.objects.get().result == result


def test_a_job_that_was_given_up_is_no_result_either(ranked, enter, instructor):
    services.request_result(ranked, None, "borda")
    Job.objects.filter(kind="result").update(
        state=Job.State.FAILED, finished_at=timezone.now(), message="The worker stopped 3 times."
    )
    assert "The worker stopped 3 times." in page(enter(instructor), ranked)


def test_rankings_that_changed_are_noticed(result, ranked, enter, instructor, students):
    client = enter(instructor)
    assert 'form="again"' not in page(client, ranked)
    result.requested_at = Ballot.objects.get(grader=students[0]).submission.at - timedelta(seconds=1)
    result.save()
    assert 'form="again"' in page(client, ranked)
    assert client.post(address(ranked, "compute/")).status_code == 302
    assert Result.objects.get(number=2).settings == result.settings


def test_papers_that_were_taken_out_are_noticed(result, ranked, enter, instructor, papers):
    papers[0].withdrawn_at = timezone.now()
    papers[0].save()
    assert 'form="again"' in page(enter(instructor), ranked)


def test_assistants_look_and_do_not_choose(result, ranked, enter, assistant, students):
    client = enter(assistant)
    for more in ("", "1/graders/", "1/compared-with/1/"):
        shown = page(client, ranked, more).split("</header>")[1]
        assert 'method="post"' not in shown
        assert "/exclude/" not in shown
    for more in ("compute/", "1/choose/", f"1/graders/{students[0].pk}/exclude/"):
        assert client.post(address(ranked, more), {"reason": "why"}).status_code == 403


# One result.


def test_the_order_is_that_of_the_result(result, ranked, enter, assistant):
    assert papers_in(page(enter(assistant), ranked, "1/")) == order_of(result)


def test_the_order_is_sorted_by_every_column(marked, result, enter, assistant, papers, students):
    client, pks, order = enter(assistant), [paper.pk for paper in papers], order_of(result)
    assert papers_in(page(client, marked, "1/?sort=-place")) == order[::-1]
    assert papers_in(page(client, marked, "1/?sort=paper")) == pks
    assert papers_in(page(client, marked, "1/?sort=-paper")) == pks[::-1]
    services.decide(marked, Decision.Kind.MARK, papers[-1], "100", "Excellent.", students[0].person)
    assert papers_in(page(client, marked, "1/?sort=mark"))[0] == pks[-1]
    assert papers_in(page(client, marked, "1/?sort=score")) == order
    for nonsense in ("?sort=nonsense", "?page=x", "?page=99", "?sort=low"):
        assert papers_in(page(client, marked, f"1/{nonsense}")) == order


def test_the_order_is_searched_by_paper_author_id_and_section(result, ranked, enter, assistant, papers, students):
    client = enter(assistant)
    students[3].section = ranked.course.sections.create(name="Friday")
    students[3].save()
    # No word stands in a code by chance.
    for number, paper in enumerate(papers):
        paper.code = f"0{number}0"
        paper.save()
    for words in (students[3].student, "ED", "friday", papers[3].code, "fri ed"):
        assert papers_in(page(client, ranked, f"1/?q={words}")) == [papers[3].pk], words
    assert papers_in(page(client, ranked, "1/?q=nobody")) == []


def test_the_table_is_renewed_without_the_page(result, ranked, enter, assistant, monkeypatch):
    monkeypatch.setattr("peerorder.web.results.order_table.ROWS", 3)
    client, order = enter(assistant), order_of(result)
    part = page(client, ranked, "1/?page=3", HX_Request="true")
    assert "<html" not in part
    assert papers_in(part) == order[6:]
    assert "<html" in page(client, ranked, "1/?page=3", HX_Request="true", HX_History_Restore_Request="true")
    assert papers_in(page(client, ranked, "1/?page=2&sort=-place")) == order[4:1:-1]


@pytest.mark.parametrize("rule", ["borda", "posterior"])
def test_every_part_of_a_result(ranked, enter, instructor, students, papers, rule):
    compute(ranked, instructor.person, rule)
    client = enter(instructor)
    order = page(client, ranked, "1/")
    assert ('class="plot"' in order) == (rule == "posterior")
    # The last student ranked nothing, and the summary leads to those.
    assert f'href="{address(ranked, "1/graders/")}"' in order
    assert students[-1].student in page(client, ranked, "1/graders/")
    assert 'class="plot low"' in page(client, ranked, "1/coverage/")
    assert "agree on" in page(client, ranked, "1/contrast/")
    assert Result.objects.get().digest in page(client, ranked, "1/provenance/")
    why = page(client, ranked, f"1/papers/{papers[0].pk}/")
    graders = Ballot.objects.filter(grader__slots__paper=papers[0], submission__isnull=False)
    for grader in graders.values_list("grader", flat=True):
        assert address(ranked, f"1/graders/{grader}/exclude/") in why


def test_results_of_others_are_not_there(result, ranked, enter, instructor, papers):
    other = Assignment.objects.create(course=ranked.course, title="Poem", stage=Stage.REVIEW)
    client = enter(instructor)
    for more in ("1/", "1/graders/", f"1/papers/{papers[0].pk}/", "1/compared-with/1/"):
        assert client.get(address(other, more)).status_code == 404
    assert client.post(address(other, "1/choose/"), {"revision": 0}).status_code == 404
    assert client.get(address(ranked, f"1/papers/{10**12}/")).status_code == 404


def test_people_who_are_erased_have_no_name_there(result, ranked, enter, instructor, students):
    students[0].person.name = ""
    students[0].person.save()
    students[0].student = ""
    students[0].save()
    assert f"member-{students[0].pk}" in page(enter(instructor), ranked, "1/?sort=paper")


# Two results.


def turned_round(ranked, instructor):
    return compute(ranked, instructor.person, upside_down=True)


def test_who_moves_by_another_result(marked, enter, instructor, students):
    turned_round(marked, instructor)
    html = page(enter(instructor), marked, "2/compared-with/1/")
    moves = [int(by) for by in re.findall(r">(?:up|down) (\d+)", html)]
    assert moves == sorted(moves, reverse=True)
    assert len(moves) > len(students) / 2
    only = page(enter(instructor), marked, "2/compared-with/1/?only=marks")
    assert only.count("→") >= len(moves)
    for more in ("?only=marks", "?only=ranking", "?only=nonsense"):
        assert papers_in(page(enter(instructor), marked, f"1/compared-with/1/{more}")) == []


def test_choosing_a_result_changes_marks_once(marked, enter, instructor, students):
    before = {pk: each.mark for pk, each in draft_sheet(marked).students.items()}
    turned_round(marked, instructor)
    client, revision = enter(instructor), Basis.objects.get().revision
    assert client.post(address(marked, "2/choose/"), {"revision": revision}).status_code == 302
    after = {pk: each.mark for pk, each in draft_sheet(marked).students.items()}
    assert before[students[0].pk] > before[students[-1].pk]
    assert after[students[0].pk] < after[students[-1].pk]
    for stale in (revision, "", "x"):
        assert client.post(address(marked, "1/choose/"), {"revision": stale}).status_code == 409
    assert Basis.objects.get().result.number == 2


def test_a_result_without_marks_where_decisions_do_not_go_with_the_scale(marked, enter, instructor, papers):
    """A comparison is shown even where one of the two cannot be chosen."""
    services.decide(marked, Decision.Kind.MARK, papers[0], "50", "why", instructor.person)
    Basis.objects.update(settings={"marks": "bands:A=50,B=50"})
    turned_round(marked, instructor)
    page(enter(instructor), marked, "2/compared-with/1/")
    answer = enter(instructor).post(address(marked, "2/choose/"), {"revision": Basis.objects.get().revision})
    assert answer.status_code == 409


# Rankings that are excluded.


def excluded_by_page(client, ranked, student):
    answer = client.post(address(ranked, f"1/graders/{student.pk}/exclude/"), {"reason": "By length."})
    assert answer.status_code == 302
    run_waiting()
    return answer.url


def test_excluding_a_ranking_shows_who_moves_before_marks_change(marked, enter, instructor, students):
    client, before = enter(instructor), draft_sheet(marked)
    page(client, marked, f"1/graders/{students[0].pk}/exclude/")
    compared = excluded_by_page(client, marked, students[0])
    assert compared == address(marked, "2/compared-with/1/")
    decision = Decision.objects.get()
    assert (decision.reason, Result.objects.get(number=2).excluded) == ("By length.", [decision.pk])
    html = client.get(compared).content.decode()
    assert "By length." in html
    assert f"exclusions/{decision.pk}/undo/" in html
    assert draft_sheet(marked) is before
    client.post(address(marked, "2/choose/"), {"revision": Basis.objects.get().revision})
    assert students[0].pk in draft_sheet(marked).students
    assert len(draft_sheet(marked).graded.outcome.profile) == len(before.graded.outcome.profile) - 1


def test_a_result_without_a_job_of_its_own_is_listed_while_it_is_computed(ranked, enter, instructor):
    """As in the sample course, where one job computes all results."""
    Job.objects.all().delete()
    services.new_result(ranked, instructor.person, "borda")
    client = enter(instructor)
    assert "Result 1" in page(client, ranked)
    assert "Result 1" in page(client, ranked, "1/")


def test_rules_are_chosen_by_their_names_and_described_beside(result, ranked, enter, instructor):
    shown = page(enter(instructor), ranked)
    assert '<option value="borda">Borda</option>' in shown
    assert len(re.findall("<option ", shown)) == len(RULES)
    for rule in RULES.values():
        assert escape(rule.summary[1:]) in shown


def test_every_grader_who_ranked_is_listed_and_found(result, ranked, enter, instructor, students):
    """Also where nobody stands out."""
    client = enter(instructor)

    def excludable(more=""):
        return set(re.findall(r"/graders/(\d+)/exclude/", page(client, ranked, f"1/graders/{more}")))

    assert excludable() == {str(student.pk) for student in students[:-1]}
    assert excludable("?q=cy") == {str(students[1].pk)}
    assert excludable("?q=nobody") == set()
    rows = client.get(address(ranked, "1/graders/?q=cy"), headers={"HX-Request": "true"}).content.decode()
    assert "<html" not in rows
    assert set(re.findall(r"/graders/(\d+)/exclude/", rows)) == {str(students[1].pk)}
    excluded_by_page(client, ranked, students[1])
    shown = page(client, ranked, "1/graders/?q=cy")
    assert f"exclusions/{Decision.objects.get().pk}/undo/" in shown
    assert "/exclude/" not in shown


def test_before_an_exclusion_its_page_shows_the_ranking_and_the_loss(marked, enter, instructor, students, papers):
    set_scale(marked, instructor.person, marks="percentile", penalty=10)
    client, grader = enter(instructor), students[0]
    shown = page(client, marked, f"1/graders/{grader.pk}/exclude/?paper={papers[1].pk}")
    ranked = marked.slots.filter(grader=grader).values_list("paper", flat=True)
    assert papers_in(shown.partition("<table")[2].partition("</table>")[0]) == sorted(ranked)
    assert "10 points" in shown
    # Cancel leads back to where one came from.
    assert address(marked, f"1/papers/{papers[1].pk}/") in shown
    assert address(marked, "1/graders/") in page(client, marked, f"1/graders/{grader.pk}/exclude/?paper=x")


def test_an_exclusion_that_marks_do_not_know_yet_is_named(result, ranked, enter, instructor, students):
    client = enter(instructor)
    compared = excluded_by_page(client, ranked, students[0])
    assert compared in page(client, ranked)
    assert client.get(address(ranked)).context["differing"] == [str(students[0])]
    undo = address(ranked, f"exclusions/{Decision.objects.get().pk}/undo/")
    assert client.get(compared).content.decode().count(undo) == 2
    client.post(undo, {"reason": "A mistake."})
    assert client.get(address(ranked)).context["differing"] == []


def test_an_exclusion_is_undone_before_and_after_it_counts(result, ranked, enter, instructor, students):
    client = enter(instructor)
    excluded_by_page(client, ranked, students[0])
    undo = address(ranked, f"exclusions/{Decision.objects.get().pk}/undo/")
    page(client, ranked, f"exclusions/{Decision.objects.get().pk}/undo/")
    # The chosen result has this ranking, so no other is needed.
    assert client.post(undo, {"reason": "A mistake."}).url == address(ranked)
    assert Result.objects.count() == 2
    excluded_by_page(client, ranked, students[0])
    client.post(address(ranked, "3/choose/"), {"revision": Basis.objects.get().revision})
    last = Decision.objects.get(undone_at=None)
    answer = client.post(address(ranked, f"exclusions/{last.pk}/undo/"), {"reason": "A mistake."})
    assert answer.url == address(ranked, "4/compared-with/3/")
    assert Result.objects.get(number=4).excluded == []


def test_exclusions_that_cannot_be(result, ranked, enter, instructor, students):
    client = enter(instructor)
    for student, sent, status in (
        (students[0], {"reason": " "}, 400),
        (students[-1], {"reason": "why"}, 404),
        (enrol(ranked.course, "New"), {"reason": "why"}, 404),
    ):
        assert client.post(address(ranked, f"1/graders/{student.pk}/exclude/"), sent).status_code == status
    excluded_by_page(client, ranked, students[0])
    answer = client.post(address(ranked, f"1/graders/{students[0].pk}/exclude/"), {"reason": "again"})
    assert answer.status_code == 409
    assert Decision.objects.count() == 1
    undo = address(ranked, f"exclusions/{Decision.objects.get().pk}/undo/")
    assert client.post(undo, {"reason": ""}).status_code == 400
    assert Decision.objects.get().undone_at is None


def test_when_nothing_is_left_the_page_says_so(result, ranked, enter, instructor, students):
    for student in students[:-2]:
        services.decide(ranked, EXCLUDE, student, "", "why", instructor.person)
    compared = excluded_by_page(enter(instructor), ranked, students[-2])
    assert "exclusions/" in enter(instructor).get(compared).content.decode()
    assert not Result.objects.get(number=2).is_ready


def test_the_exclusion_of_somebody_who_judged_nothing_changes_nothing(marked, result, instructor, students):
    """As where all papers that they ranked were taken out since."""
    services.decide(marked, EXCLUDE, students[-1], "", "why", instructor.person)
    other = compute(marked, instructor.person)
    assert other.is_ready, other.problem
    assert order_of(other) == order_of(result)
    assert trial_sheet(other).students.keys() == draft_sheet(marked).students.keys()
