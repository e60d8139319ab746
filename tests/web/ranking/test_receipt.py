"""The receipt of a ranking, and undoing what was changed after it was handed in."""

import re
from datetime import timedelta

import pytest
from django.utils import timezone

from peerorder.web.assignments.models import Assignment
from peerorder.web.papers.models import Paper
from peerorder.web.ranking.models import Ballot, Save
from tests.web.factories import save_ranking, submit_ranking
from tests.web.ranking.conftest import content


@pytest.fixture
def changed(round_, grader, tokens):
    """Handed in, and changed since."""
    Assignment.objects.update(comments=True)
    round_.refresh_from_db()
    submit_ranking(round_, grader, content(tokens, comments={tokens[0]: "Well done."}))
    save_ranking(round_, grader, content(tokens[::-1], comments={tokens[0]: "Badly done."}))
    return round_


def address(assignment, what="receipt"):
    return f"/assignments/{assignment.pk}/ranking/{what}/"


def _places(page):
    return re.findall(r'<li value="(\d+)">Paper (\w)', page)


def test_it_says_what_was_handed_in_and_when(enter, grader, round_, tokens):
    submit_ranking(round_, grader, content(tokens))
    client = enter(grader)
    page = client.get(address(round_)).content.decode()
    assert Ballot.objects.get().submission.at.astimezone().strftime(":%M:%S") in page
    assert _places(page) == [("1", "A"), ("2", "B"), ("3", "C")]
    assert address(round_) in client.get(f"/assignments/{round_.pk}/").content.decode()


def test_tied_papers_have_the_same_number(enter, grader, round_, tokens):
    first, *others = tokens
    submit_ranking(round_, grader, {**content(tokens), "orders": {"0": [[first], others]}})
    page = enter(grader).get(address(round_)).content.decode()
    assert _places(page) == [("1", "A"), ("2", "B"), ("2", "C")]


def test_it_shows_what_counts_and_not_what_was_changed_since(changed, enter, grader):
    page = enter(grader).get(address(changed)).content.decode()
    assert "Well done." in page
    assert "Badly done." not in page
    assert "hand in again" in page
    Assignment.objects.update(rank_by=timezone.now() - timedelta(seconds=1))
    page = enter(grader).get(address(changed)).content.decode()
    assert "do not count" in page
    assert "hand in again" not in page


def test_it_lists_earlier_ones_and_papers_that_were_taken_out(changed, enter, grader, tokens):
    submit_ranking(changed, grader, content(tokens[::-1]))
    Paper.objects.filter(slots__token=tokens[0]).update(withdrawn_at=timezone.now())
    page = enter(grader).get(address(changed)).content.decode()
    assert "Handed in before" in page
    assert _places(page) == [("1", "C"), ("2", "B"), ("3", "A")]
    assert "withdrawn since" in page


def test_without_a_ranking_there_is_none(enter, grader, round_):
    assert enter(grader).get(address(round_)).url == f"/assignments/{round_.pk}/ranking/"


def test_changes_can_be_undone(changed, enter, grader, tokens):
    client = enter(grader)
    assert address(changed, "undo") in client.get(f"/assignments/{changed.pk}/ranking/").content.decode()
    assert client.post(address(changed, "undo")).status_code == 302
    ballot = Ballot.objects.get()
    assert ballot.content == content(tokens, comments={tokens[0]: "Well done."})
    assert ballot.has_submitted(ballot.content)
    assert client.get("/").context["to_do"] == []
    # It is a change like any other: nothing that was saved goes.
    assert [kept.hands_in for kept in Save.objects.order_by("pk")] == [True, False, False]


def test_after_the_deadline_nothing_is_undone(changed, enter, grader, tokens):
    Assignment.objects.update(rank_by=timezone.now() - timedelta(seconds=1))
    assert "ranking/closed.html" in {each.name for each in enter(grader).post(address(changed, "undo")).templates}
    assert Ballot.objects.get().content["orders"] == content(tokens[::-1])["orders"]


def test_what_was_not_handed_in_cannot_be_undone(round_, enter, grader, tokens):
    save_ranking(round_, grader, content(tokens))
    assert enter(grader).post(address(round_, "undo")).status_code == 302
    assert Ballot.objects.get().content == content(tokens)


def test_who_closed_early_is_not_called_a_deadline(changed, enter, grader):
    ended = timezone.now()
    Assignment.objects.update(stage="review", rank_ended_at=ended)
    page = enter(grader).get(f"/assignments/{changed.pk}/ranking/").content.decode()
    assert "Your instructor closed ranking on" in page
    assert "The deadline was" not in page
    Assignment.objects.update(rank_by=ended - timedelta(hours=1))
    assert "The deadline was" in enter(grader).get(f"/assignments/{changed.pk}/ranking/").content.decode()
