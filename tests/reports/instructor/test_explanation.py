import numpy as np
import pyarrow as pa
import pytest

from peerorder.core import InputError, Profile, child
from peerorder.files.rounds import read_round
from peerorder.reports.instructor import explain, in_words, select_papers
from peerorder.rounds import Round
from peerorder.rules import RULES
from tests.reports.instructor.rounds import from_rows, graded

BALLOTS = """
ann  x 1
ann  y 2
ann  z 3
ben  y 1
ben  z 2
ben  x 2
cleo x 1
cleo z 2
"""


def why(found, paper):
    return explain(found, select_papers(found.round, [paper]))[0][1]


def test_who_put_it_where_beside_whom(tmp_path):
    found = why(from_rows(tmp_path, BALLOTS), "x")
    assert (found.paper, found.of, found.interval) == ("x", 3, None)
    votes = {vote.grader: vote for vote in found.votes}
    assert set(votes) == {"ann", "ben", "cleo"}
    assert (votes["ann"].rank, votes["ann"].of, votes["ann"].worse) == (1, 3, ("y", "z"))
    assert (votes["ben"].rank, votes["ben"].better, votes["ben"].equal) == (2, ("y",), ("z",))
    assert votes["cleo"].better == ()
    # Wins over y, z and z; a tie with z; a loss to y.
    assert (found.won, found.compared) == (3.5, 5)


def test_the_rank_that_the_order_says_is_among_the_papers_of_the_ballot(tmp_path):
    found = from_rows(tmp_path, BALLOTS)
    places = dict(zip(found.round.papers, found.outcome.places.tolist(), strict=True))
    for paper in "xyz":
        for vote in why(found, paper).votes:
            others = (*vote.better, *vote.equal, *vote.worse)
            assert vote.expected == 1 + sum(places[other] < places[paper] for other in others)


@pytest.mark.parametrize("rule", ["borda", "copeland"])
def test_without_a_grader_is_what_the_rule_says_without_her_rows(rule, tmp_path):
    found = graded(tmp_path, rule=rule, n=15, k=4)
    paper = 3
    lines = (tmp_path / "rankings.csv").read_text().splitlines()
    for vote in explain(found, [paper])[0][1].votes:
        kept = [line for line in lines if not line.startswith(f"{vote.grader},")]
        (tmp_path / "rankings.csv").write_text("\n".join(kept) + "\n")
        from peerorder.rounds.grading import grade

        again = grade(
            read_round(tmp_path / "rankings.csv", roster=tmp_path / "roster.csv", handout=tmp_path / "handout.csv"),
            found.settings,
        )
        assert vote.without == again.outcome.ranks[paper]
        assert vote.gain == vote.without - found.outcome.ranks[paper]


def test_votes_that_helped_most_come_first_and_everybody_who_ranked_it_is_there(tmp_path):
    found = graded(tmp_path, rule="borda", n=20, k=5)
    for paper, each in explain(found, range(20)):
        gains = [vote.gain for vote in each.votes]
        assert gains == sorted(gains, reverse=True)
        assert len(each.votes) == found.round.profile.rankings[paper]
        authors = {found.round.graders[at] for at in np.flatnonzero(found.round.profile.authored == paper)}
        assert {grader for grader, _ in each.own} <= authors


def test_the_default_rule_is_run_again_too_and_says_what_may_be_chance(tmp_path):
    found = graded(tmp_path, n=12, k=4, staff=1)
    each = explain(found, [0])[0][1]
    assert not each.estimated
    assert each.chance > 0
    vote = each.votes[0]
    who = found.round.graders.index(vote.grader)
    times = np.where(found.round.staff, 3, 1)
    times[who] = 0
    again = RULES["posterior"].aggregate(found.round.profile.reweighted(times), child(0, "grade"))
    assert vote.without == again.places[0] + 1
    assert "due to chance" in " ".join(in_words(each))


def test_where_it_takes_too_long_the_samples_estimate(tmp_path, monkeypatch):
    monkeypatch.setattr("peerorder.rounds.explanation.AGAIN_BY_SAMPLES", 10)
    found = graded(tmp_path, n=12, k=4)
    each = explain(found, [0])[0][1]
    assert each.estimated
    for vote in each.votes:
        assert vote.without is None
        assert vote.gain == pytest.approx(found.outcome.influence(found.round.graders.index(vote.grader), 0))
    assert "rough estimate" in " ".join(in_words(each))


def test_for_a_page_that_somebody_waits_for_less_is_too_long(tmp_path, monkeypatch):
    monkeypatch.setattr("peerorder.rounds.explanation.QUICK_BY_SAMPLES", 10)
    found = graded(tmp_path, n=12, k=4)
    assert [explain(found, [0], quick=quick)[0][1].estimated for quick in (False, True)] == [False, True]


def test_where_it_takes_too_long_and_there_are_no_samples_nothing_is_claimed(tmp_path, monkeypatch):
    monkeypatch.setattr("peerorder.rounds.explanation.AGAIN", 10)
    each = why(from_rows(tmp_path, BALLOTS), "x")
    assert [vote.gain for vote in each.votes] == [None] * 3
    assert [vote.grader for vote in each.votes] == ["ann", "cleo", "ben"]
    assert "computed again" not in " ".join(in_words(each))


def test_a_single_grader_cannot_be_left_out(tmp_path):
    each = why(from_rows(tmp_path, "ann x 1\nann y 2"), "x")
    assert [(vote.gain, vote.without) for vote in each.votes] == [(None, None)]


def test_a_paper_that_nobody_ranked(tmp_path):
    roster = "student,paper\nann,\nben,z\ncleo,x\ndan,y\n"
    each = why(from_rows(tmp_path, "ann x 1\nann y 2", roster=roster), "z")
    assert each.votes == ()
    assert "Nobody ranked it" in " ".join(in_words(each))


def test_authors_who_ranked_others_are_told_what_their_ballots_did(tmp_path):
    rows = "a b 1\na c 2\nb c 1\nb a 2\nc a 1\nc b 2"
    each = why(from_rows(tmp_path, rows), "a")
    assert [grader for grader, _ in each.own] == ["a"]
    assert "by its author a" in " ".join(in_words(each))


def round_of(*papers, codes=None):
    """A round of these papers, of which nothing else is known."""
    nobody = pa.array([], pa.string())
    profile = Profile.from_ballots([], len(papers), authored=[])
    return Round(profile, pa.array(papers, pa.string()), nobody, np.zeros(0, bool), codes=codes)


def test_papers_are_chosen_by_id_once_each_or_all():
    assert select_papers(round_of("x", "y", "z"), ["z", "x", "z"]) == [2, 0]
    assert select_papers(round_of("x", "y"), ["all"]) == [0, 1]
    assert select_papers(round_of("x", "all"), ["all"]) == [1]
    assert select_papers(round_of("x"), []) == []


def test_papers_by_their_codes():
    coded = round_of("Group 1", "Group 12", codes={"V793": "Group 12", "PC9W": "Group 1"})
    assert select_papers(coded, ["v793", "Group 1"]) == [1, 0]
    with pytest.raises(InputError, match="no such paper; write the ID of a paper, or its code"):
        select_papers(coded, ["V794"])


def test_an_author_is_told_what_they_wrote(tmp_path):
    (tmp_path / "roster.csv").write_text("student,paper\n0312082,Group 1\n")
    (tmp_path / "rankings.csv").write_text("grader,paper,rank\n")
    read = read_round(tmp_path / "rankings.csv", roster=tmp_path / "roster.csv")
    with pytest.raises(InputError, match="`explain` 0312082: no such paper; 0312082 wrote Group 1"):
        select_papers(read, ["0312082"])


def test_unknown_papers_are_answered_with_the_nearest():
    with pytest.raises(InputError, match=r"`explain` smth: no such paper; the nearest are smith"):
        select_papers(round_of("smith", "jones"), ["smth"])
    with pytest.raises(InputError, match="as in the rankings"):
        select_papers(round_of("smith"), ["qqqq"])


def test_too_many_papers_are_refused():
    many = [str(at) for at in range(301)]
    with pytest.raises(InputError, match="up to 300 papers, but there are 301; name the papers"):
        select_papers(round_of(*many), ["all"])
    with pytest.raises(InputError, match="up to 300 papers"):
        select_papers(round_of(*many), many)


def test_progress_is_told(tmp_path):
    seen = []
    found = from_rows(tmp_path, BALLOTS)
    explain(found, [0], lambda done, total: seen.append((done, total)))
    assert seen == [(0, 3), (1, 3), (2, 3)]
