"""Results are computed and kept, marks are made of them, and cases decided."""

from contextlib import suppress

import pytest
from django.db import transaction

from peerorder.core.errors import InputError
from peerorder.rounds import GradeSettings, grade
from peerorder.web.errors import Refused
from peerorder.web.jobs.models import Job
from peerorder.web.ranking.round_snapshot import load_round
from peerorder.web.results import services
from peerorder.web.results.mark_sheets import draft_sheet, sheet_of, with_names
from peerorder.web.results.models import Basis, Decision, Result
from tests.web.results.conftest import compute, set_scale

MARK, ANCHOR, PENALTY, EXCLUDE = Decision.Kind


def same_tables(one, other, *tables):
    for table in tables:
        pairs = zip(getattr(one, table)().items(), getattr(other, table)().items(), strict=True)
        for (name, mine), (its_name, its) in pairs:
            assert (name, str(list(mine))) == (its_name, str(list(its)))


def marks_of(assignment):
    return {pk: each.mark for pk, each in draft_sheet(assignment).students.items()}


@pytest.mark.parametrize("rule", ["borda", "posterior"])
def test_a_kept_result_is_what_the_library_finds(ranked, instructor, rule):
    result = compute(ranked, instructor.person, rule)
    assert result.is_ready, result.problem
    settings = {"marks": "curve:mean=70,sd=10", "penalty": 10.0}
    kept = with_names(sheet_of(result, settings), ranked)
    found = grade(load_round(ranked), GradeSettings(rule, **settings))
    assert kept.outcome == found.outcome
    same_tables(kept, found, "grades", "graders", "students", "mail_merge")
    assert result.digest == load_round(ranked).digest


def test_every_result_is_kept(result, ranked, instructor):
    other = compute(ranked, instructor.person, "plackett-luce")
    assert [each.number for each in Result.objects.filter(assignment=ranked).order_by("number")] == [1, 2]
    assert Basis.objects.get(assignment=ranked).result == result
    services.choose_result(ranked, other, instructor.person, 1)
    assert Basis.objects.get(assignment=ranked).result == other
    with pytest.raises(Refused):
        services.choose_result(ranked, result, instructor.person, 1)


def test_a_rule_that_cannot_merge_these_rankings_says_why(ranked, instructor, monkeypatch):
    def refuse(*_):
        raise InputError("it cannot be")

    monkeypatch.setattr("peerorder.rounds.grading.merge", refuse)
    result = compute(ranked, instructor.person)
    assert (result.is_ready, result.problem) == (False, "it cannot be")
    assert Job.objects.get(kind="result").state == Job.State.FAILED


def test_there_is_no_result_before_ranking_is_over(assignment, instructor):
    with pytest.raises(Refused):
        services.request_result(assignment, instructor.person)


def test_a_job_that_runs_twice_keeps_one_result(result, ranked):
    job = Job.objects.get(kind="result")
    before = result.finished_at
    services.compute_result(job, lambda *_: None)
    result.refresh_from_db()
    assert result.finished_at == before
    assert result.data.count() == 1


def test_setting_a_mark_moves_one_student(marked, instructor, papers, students):
    before = marks_of(marked)
    services.decide(marked, MARK, papers[3], "12", "It answers another question.", instructor.person)
    after = marks_of(marked)
    assert {pk for pk in after if after[pk] != before[pk]} == {students[3].pk}
    assert after[students[3].pk] == 12


def test_an_anchor_moves_the_scale(result, ranked, instructor, papers, students):
    for paper, mark in ((papers[0], "90"), (papers[-1], "40")):
        services.decide(ranked, ANCHOR, paper, mark, "Marked by staff.", instructor.person)
    set_scale(ranked, instructor.person, marks="anchors")
    before = marks_of(ranked)
    services.decide(ranked, ANCHOR, papers[4], "85", "Marked by staff.", instructor.person)
    after = marks_of(ranked)
    assert len({pk for pk in after if after[pk] != before[pk]}) > 1


def test_a_penalty_takes_points_off(marked, instructor, papers, students):
    before = marks_of(marked)[students[0].pk]
    services.decide(marked, PENALTY, papers[0], "5", "A day late.", instructor.person)
    assert marks_of(marked)[students[0].pk] == before - 5


def test_an_excluded_ranking_is_missing_in_the_next_result(result, ranked, instructor, students):
    services.decide(ranked, EXCLUDE, students[0], "", "Ranked by length.", instructor.person)
    other = compute(ranked, instructor.person)
    ballots = [len(sheet_of(each, {}).graded.outcome.profile) for each in (result, other)]
    assert ballots == [7, 6]
    assert with_names(sheet_of(other, {}), ranked).round.overrides[0].reason == "Ranked by length."


def test_a_decision_that_is_undone_leaves_no_trace_in_marks(marked, instructor, papers):
    before = marks_of(marked)
    decision = services.decide(marked, MARK, papers[3], "12", "A mistake.", instructor.person)
    assert services.undo(decision, instructor.person, "It was another paper.")
    assert not services.undo(decision, instructor.person, "It was another paper.")
    assert marks_of(marked) == before


@pytest.mark.parametrize(
    ("kind", "value", "reason"),
    [(MARK, "101", "why"), (MARK, "x", "why"), (MARK, "50", " "), (PENALTY, "-1", "why"), (ANCHOR, "400", "why")],
)
def test_decisions_that_cannot_be(marked, instructor, papers, kind, value, reason):
    with pytest.raises(Refused):
        services.decide(marked, kind, papers[0], value, reason, instructor.person)
    assert not Decision.objects.exists()


def test_of_two_tabs_that_decide_one_case_the_second_is_told(marked, instructor, papers):
    first = services.decide(marked, MARK, papers[0], "50", "why", instructor.person)
    with pytest.raises(Refused):
        services.decide(marked, MARK, papers[0], "60", "why", instructor.person)
    second = services.decide(marked, MARK, papers[0], "60", "why not", instructor.person, seen=first.pk)
    assert Decision.objects.get(undone_at=None) == second


def test_a_scale_that_does_not_go_with_decisions_is_refused(marked, instructor, papers, students):
    services.decide(marked, MARK, papers[0], "50", "why", instructor.person)
    with pytest.raises(Refused):
        set_scale(marked, instructor.person, marks="bands:A=50,B=50")
    assert marks_of(marked)[students[0].pk] == 50


def test_a_decision_that_failed_leaves_nothing_to_the_next_of_its_number(marked, instructor, papers, students):
    """SQLite gives the number again: a sheet that was kept under it had the mark of the one that failed."""
    failed = []
    with suppress(ZeroDivisionError), transaction.atomic():
        failed.append(services.decide(marked, MARK, papers[0], "11", "why", instructor.person).pk)
        assert marks_of(marked)[students[0].pk] == 11
        raise ZeroDivisionError
    Decision.objects.bulk_create(
        [Decision(pk=failed[0], assignment=marked, kind=MARK, paper=papers[0], value="22", reason="why")]
    )
    assert marks_of(marked)[students[0].pk] == 22
