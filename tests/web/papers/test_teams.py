"""Teams hand in together, and may change meanwhile."""

import pytest

from peerorder.web.audit.models import Event
from peerorder.web.papers.authors import add_team_authors, paper_of
from peerorder.web.papers.models import Authorship, Paper
from peerorder.web.ranking.models import Handout, Slot
from tests.web.papers.conftest import address, send, take


def put(team, *members):
    for member in members:
        member.team = team
        member.save()


def authors(paper):
    return {authorship.member for authorship in Authorship.objects.filter(paper=paper)}


@pytest.fixture
def teams(assignment, students):
    """Two teams of two; the others are alone."""
    assignment.in_teams = True
    assignment.save()
    put("one", *students[:2])
    put("two", *students[2:4])
    return students


def test_any_member_hands_in_for_all(enter, assignment, teams):
    bo, cy, di, _ed, fay, *_ = teams
    assert send(enter(bo), assignment, "text", "from Bo").status_code == 302
    paper = Paper.objects.get()
    assert authors(paper) == {bo, cy}
    page = enter(cy).get(address(assignment)).content.decode()
    assert "Bo handed in" in page
    assert "from Bo</textarea>" in page
    assert "Bo" in enter(cy).get(address(assignment, "receipt/")).content.decode()
    send(enter(cy), assignment, "text", "from Cy")
    paper.refresh_from_db()
    assert [version.handed_in_by for version in paper.versions.order_by("pk")] == [bo, cy]
    assert paper_of(assignment, di) is None
    assert paper_of(assignment, fay) is None


def test_teams_mean_nothing_where_everybody_works_alone(assignment, teams):
    assignment.in_teams = False
    assignment.save()
    take(assignment, teams[0])
    assert paper_of(assignment, teams[1]) is None


def test_who_joins_later_is_an_author_too(enter, assignment, teams):
    bo, cy, _di, _ed, fay, *_ = teams
    paper = take(assignment, bo).paper
    put("one", fay)
    assert "from" not in enter(fay).get(address(assignment, "receipt/")).content.decode()
    assert paper_of(assignment, fay) == paper
    assert add_team_authors(assignment) == 1
    assert add_team_authors(assignment) == 0
    assert authors(paper) == {bo, cy, fay}
    assert Event.objects.filter(verb="author joined").count() == 3


def test_who_changes_teams_goes_to_the_paper_of_the_new_one(assignment, teams):
    bo, cy, di, ed, *_ = teams
    first, second = take(assignment, bo).paper, take(assignment, di).paper
    put("two", cy)
    add_team_authors(assignment)
    assert authors(first) == {bo}
    assert authors(second) == {cy, di, ed}


def test_who_leaves_keeps_the_paper_until_there_is_another(assignment, teams):
    bo, cy, *_ = teams
    first = take(assignment, bo).paper
    put("", cy)
    add_team_authors(assignment)
    assert authors(first) == {bo, cy}
    second = take(assignment, cy, "mine alone").paper
    assert (authors(first), authors(second)) == ({bo}, {cy})
    first.refresh_from_db()
    assert first.withdrawn_at is None


def test_a_team_with_another_name_keeps_its_paper(assignment, teams):
    bo, cy, *_ = teams
    first = take(assignment, bo).paper
    put("a better name", bo, cy)
    assert take(assignment, cy, "new words").paper == first
    assert authors(first) == {bo, cy}


def test_two_who_handed_in_alone_become_a_team(assignment, teams):
    *_, hal, ivy = teams
    first, second = take(assignment, hal).paper, take(assignment, ivy, "other words").paper
    put("three", hal, ivy)
    # Which one counts, the team says by handing in.
    assert add_team_authors(assignment) == 0
    assert (authors(first), authors(second)) == ({hal}, {ivy})
    assert take(assignment, hal, "words of both").paper == first
    assert authors(first) == {hal, ivy}
    second.refresh_from_db()
    assert second.withdrawn_at is not None
    assert second.versions.get().text == "other words"


def test_who_is_no_longer_in_the_course_takes_no_paper_away(assignment, teams):
    bo, cy, *_ = teams
    first = take(assignment, bo).paper
    cy.removed_at = assignment.created_at
    cy.save()
    assert take(assignment, bo, "new words").paper == first


def test_papers_that_graders_have_stay_with_their_authors(assignment, teams):
    bo, cy, di, *_ = teams
    first, second = take(assignment, bo).paper, take(assignment, di).paper
    handout = Handout.objects.create(assignment=assignment, why="first")
    Slot.written.create(assignment=assignment, handout=handout, grader=teams[5], paper=first, position=0)
    put("two", cy)
    add_team_authors(assignment)
    assert authors(first) == {bo, cy}
    assert cy not in authors(second)
    assert paper_of(assignment, cy) == first


def test_an_outsider_with_the_same_team(enter, assignment, teams, outsider):
    put("one", outsider)
    take(assignment, teams[0])
    assert outsider not in authors(Paper.objects.get())
    assert enter(outsider).get(address(assignment)).status_code == 404
