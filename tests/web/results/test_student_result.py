"""What a student is shown: enough to understand the mark, and nothing about single graders."""

from itertools import combinations

import numpy as np
import pytest
from django.utils import timezone

from peerorder.core import Profile
from peerorder.web.papers.models import Authorship, Paper
from peerorder.web.ranking.models import Slot
from peerorder.web.results import services
from peerorder.web.results.comments import comment_texts, received_comments
from peerorder.web.results.mark_sheets import draft_sheet
from peerorder.web.results.models import Decision, HiddenComment, Release
from peerorder.web.results.student_result import FEWEST, StudentResult, UpperHalf, agreement, student_result, upper_half
from tests.web.factories import enrol
from tests.web.results.conftest import compute, set_scale

MARK, ANCHOR, PENALTY, EXCLUDE = Decision.Kind


def result_of(assignment, member, **release) -> StudentResult:
    return student_result(assignment, member, draft_sheet(assignment), Release(assignment=assignment, **release))


@pytest.fixture
def author(ranked, papers, students):
    """The author of a paper that three have ranked."""
    missing = Slot.objects.filter(grader=students[-1]).values_list("paper", flat=True)
    return next(student for student, paper in zip(students, papers, strict=True) if paper.pk not in missing)


def test_three_sentences_a_picture_and_a_summary(ranked, instructor, author):
    compute(ranked, instructor.person, "posterior")
    set_scale(ranked, instructor.person, marks="curve:mean=70,sd=10")
    seen = result_of(ranked, author)
    mark = draft_sheet(ranked).students[author.pk]
    assert f"{mark.mark:g}" == seen.mark
    assert len(seen.sentences) == 3
    assert seen.mark in seen.sentences[0]
    assert f"{mark.mark_low:g}" in seen.sentences[1]
    assert f"{mark.mark_high:g}" in seen.sentences[2] or f"{mark.mark_low:g}" in seen.sentences[2]
    assert f" {mark.place} of 8" in seen.rank
    assert (f" {mark.low} to rank {mark.high}" in seen.rank) is (mark.low != mark.high)
    assert "<svg" in seen.picture
    assert 0 <= seen.summary.upper <= seen.summary.of == 3


def test_letters(ranked, instructor, students, author):
    compute(ranked, instructor.person, "posterior")
    set_scale(ranked, instructor.person, marks="bands:A=25,B=50,C=25")
    # Who gets which depends on who ranked whom, which is drawn anew.
    assert sorted(result_of(ranked, each).mark for each in students) == ["A", "A", "B", "B", "B", "B", "C", "C"]
    seen = result_of(ranked, author)
    assert "<svg" in seen.picture
    assert f" {draft_sheet(ranked).students[author.pk].place} of 8" in seen.rank


def test_what_it_takes_to_change_a_letter_is_on_the_scale(ranked, instructor, students, author):
    """Of 16 letters for 8 papers nobody's interval has both ends; the neighbours are counted from the ends."""
    compute(ranked, instructor.person, "posterior")
    set_scale(ranked, instructor.person, marks="bands:A=12.5,B=75,C=12.5")
    seen = result_of(ranked, author)
    student = draft_sheet(ranked).students[author.pk]
    said = seen.sentences[2]
    assert ("above" in said) is (student.mark_high != "A")
    assert ("below" in said) is (student.mark_low != "C")


def test_a_team_has_one_mark_and_each_of_them_the_points_off(marked, instructor, papers, students):
    Authorship.objects.filter(member=students[-1]).update(paper=papers[0])
    Paper.objects.filter(pk=papers[-1].pk).update(withdrawn_at=timezone.now())
    result = compute(marked, instructor.person)
    services.choose_result(marked, result, instructor.person, 2)
    set_scale(marked, instructor.person, marks="percentile", penalty=4.0)
    one, other = (result_of(marked, each) for each in (students[0], students[-1]))
    assert one.team
    assert "team" in one.sentences[0]
    assert (len(one.deductions), len(other.deductions)) == (0, 2)
    assert float(one.mark) == float(other.mark) + 4
    assert one.comments == other.comments


@pytest.mark.parametrize(
    ("ballots", "upper"),
    [
        ([[0, 1], [1, 0], [0, 1]], 2),
        # The middle one of three is in neither half; of two that are tied, neither is.
        ([[1, 0, 2], [0, 1, 2], [2, 1, 0]], 1),
        ([[[0, 1]], [[0, 1], 2], [1, 2, [0, 3]]], 1),
    ],
)
def test_the_upper_half(ballots, upper):
    profile = Profile.from_ballots(ballots, 4, authored=[-1, -1, -1])
    assert upper_half(profile, 0) == UpperHalf(upper, 3)
    assert upper_half(profile, 3) is None


def test_agreement_counts_pairs_that_both_put_in_order():
    profile = Profile.from_ballots([[0, 1, 2], [[0, 1], 2], [0, 1]], 3, authored=[-1, -1, -1])
    scores = np.array([3.0, 1.0, 2.0])
    assert [agreement(profile, grader, scores) for grader in range(3)] == [67, 50, None]


def test_a_rule_without_intervals_gives_the_mark_all_the_same(marked, students):
    seen = result_of(marked, students[0])
    assert (len(seen.sentences), seen.picture) == (3, None)


def test_a_rank_is_given_only_where_the_page_implies_it(ranked, instructor, author):
    """A letter without an interval leaves it open, and so does a mark that several ranks share."""
    compute(ranked, instructor.person)
    for scale, shows in (
        ("percentile", True),
        ("curve", True),
        ("curve:mean=70,sd=0", False),
        ("bands:A=25,B=50,C=25", False),
    ):
        set_scale(ranked, instructor.person, marks=scale)
        assert bool(result_of(ranked, author).rank) is shows


def test_few_rankings_are_not_counted(ranked, instructor, students, author):
    slots = Slot.objects.filter(paper__authorships__member=author)
    graders = [each for each in students if slots.filter(grader=each).exists()]
    compute(ranked, instructor.person)
    set_scale(ranked, instructor.person, marks="percentile")
    before = result_of(ranked, author)
    assert before.summary.of == len(graders) == FEWEST
    services.decide(ranked, EXCLUDE, graders[0], "", "why", instructor.person)
    other = compute(ranked, instructor.person, "posterior")
    services.choose_result(ranked, other, instructor.person, 2)
    seen = result_of(ranked, author)
    assert seen.summary is None
    assert seen.mark
    assert " of 8" not in " ".join(seen.sentences)
    assert (bool(before.rank), bool(seen.rank)) == (True, False)
    # The grader is told that their ranking is left out; nothing is said of how it agrees.
    theirs = result_of(ranked, graders[0])
    assert (theirs.excluded, theirs.agreement) == (True, None)


def test_a_mark_that_staff_set_says_so_and_keeps_the_reason(marked, instructor, papers, students):
    services.decide(marked, MARK, papers[3], "12", "Zebra reason.", instructor.person)
    services.decide(marked, PENALTY, papers[2], "5", "Okapi reason.", instructor.person)
    seen = result_of(marked, students[3])
    assert (seen.mark, seen.picture) == ("12", None)
    assert "instructors set it" in seen.sentences[1]
    late = result_of(marked, students[2])
    assert " 5 points" in late.deductions[0]
    assert f"{float(late.mark) + 5:g} \N{MINUS SIGN} 5 = {late.mark}." in late.deductions[1]
    assert not seen.rank
    assert not any(word in f"{seen}{late}" for word in ("Zebra", "Okapi"))


def test_points_off_for_ranking_less_than_asked(marked, instructor, students):
    set_scale(marked, instructor.person, marks="percentile", penalty=4.0)
    reason, calculation = result_of(marked, students[-1]).deductions
    assert " 4 points" in reason
    assert "did not rank" in reason
    assert " \N{MINUS SIGN} 4 = " in calculation
    assert result_of(marked, students[0]).deductions == ()


def test_the_mark_for_ranking_says_what_it_is_made_of(ranked, instructor, students):
    compute(ranked, instructor.person, "posterior")
    set_scale(ranked, instructor.person, marks="percentile", review="done=80,reliable=20")
    idle, busy = result_of(ranked, students[-1]), result_of(ranked, students[0])
    assert (idle.review_mark, len(idle.review_reasons)) == ("0", 1)
    assert "none of the papers" in idle.review_reasons[0]
    assert ["80%" in each and "20%" in each for each in busy.review_reasons] == [True]


def test_a_rule_that_says_nothing_about_graders_counts_what_was_ranked(marked, students):
    seen = result_of(marked, students[0])
    assert (seen.review_mark, len(seen.review_reasons)) == ("100", 1)
    assert "percentage" in seen.review_reasons[0]


def test_without_a_paper_or_with_one_that_was_taken_out(marked, instructor, papers, students):
    Paper.objects.filter(pk=papers[4].pk).update(withdrawn_at=timezone.now())
    newcomer = enrol(marked.course, "Jo")
    result = compute(marked, instructor.person)
    services.choose_result(marked, result, instructor.person, 2)
    seen = result_of(marked, students[4])
    assert (seen.mark, seen.comments, len(seen.sentences)) == ("", [], 1)
    assert "withdrew your paper" in seen.sentences[0]
    assert "not handed in" in result_of(marked, newcomer).sentences[0]


def test_how_well_an_order_agreed(marked, students):
    sheet, ranked = draft_sheet(marked), Slot.objects.filter(grader=students[0]).values_list("paper", flat=True)
    # Best first; which these are, and so how well they can agree, is drawn anew.
    scores = [sheet.graded.outcome.scores[sheet.paper_number[paper]] for paper in sorted(ranked)]
    pairs = [above > below for above, below in combinations(scores, 2) if above != below]
    assert result_of(marked, students[0]).agreement == (round(100 * sum(pairs) / len(pairs)) if pairs else None)
    assert result_of(marked, students[-1]).agreement is None
    assert result_of(marked, students[0]).review_mark == "100"
    assert result_of(marked, students[-1]).review_mark == "0"


def test_comments_come_without_anything_that_tells_whose_they_are(marked, papers, students):
    texts = comment_texts(papers[0].pk)
    seen = result_of(marked, students[0])
    assert sorted(each.text for each in seen.comments) == sorted(texts.values())
    assert [each.key for each in seen.comments] == sorted(each.key for each in seen.comments)
    told = {str(value) for slot in Slot.objects.filter(paper=papers[0]) for value in (slot.token, slot.pk)}
    assert told.isdisjoint(each.key for each in seen.comments)
    assert result_of(marked, students[0], comments=False).comments == []


def test_hidden_comments_are_left_out(marked, papers, students):
    slot, text = next(iter(comment_texts(papers[0].pk).items()))
    HiddenComment.objects.create(slot_id=slot, reason="It insults.")
    assert text not in [each.text for each in received_comments(papers[0].pk)]


@pytest.mark.parametrize("marks", [True, False])
def test_a_release_without_marks_shows_none(marked, students, marks):
    seen = result_of(marked, students[0], marks=marks)
    assert bool(seen.sentences) is marks
    assert bool(seen.review_mark) is marks
    assert seen.comments
