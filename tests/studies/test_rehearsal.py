import pytest

from peerorder import InputError, Profile, pairwise_accuracy
from peerorder.core.randomness import child
from peerorder.files import read_handout, read_rankings, read_roster, write_table
from peerorder.noise import NOISES
from peerorder.rules import RULES
from peerorder.studies import rehearsal

N = 30


@pytest.fixture
def class_(tmp_path):
    """A class in files: everybody ranks the next six students' papers."""
    students = rehearsal.roster(N, 1)
    write_table(tmp_path / "roster.csv", students)
    names = students["student"]
    pairs = [(names[g], names[(g + d) % N]) for g in range(N) for d in (1, 2, 4, 7, 11, 13)]
    write_table(tmp_path / "handout.csv", {"grader": [g for g, _ in pairs], "paper": [p for _, p in pairs]})
    return tmp_path


def answered(class_, noise, seed=0, codes=None):
    handout, people = read_handout(class_ / "handout.csv"), read_roster(class_ / "roster.csv")
    return rehearsal.answers(handout, people, codes, NOISES.parse(noise), seed)


def read_back(class_, table):
    write_table(class_ / "rankings.csv", table)
    return read_rankings(class_ / "rankings.csv", roster=read_roster(class_ / "roster.csv"))


def test_perfect_students_tell_the_truth(class_):
    rankings = read_back(class_, answered(class_, "perfect"))
    truth = child(0, "rehearsal", "truth").permutation(N)
    assert isinstance(rankings.profile, Profile)
    for ballot in range(len(rankings.profile)):
        places = truth[rankings.profile[ballot]].tolist()
        assert places == sorted(places)
    found = RULES["posterior"].aggregate(rankings.profile, 0)
    assert pairwise_accuracy(truth, found.places) > 0.95


def test_who_does_not_come_leaves_the_form_empty(class_):
    table = answered(class_, "condorcet:missing=0.5")
    rankings = read_back(class_, table)
    assert len(table["rank"]) == 6 * N
    assert 0 < len(rankings.profile) < N
    assert len(rankings.blank) == N - len(rankings.profile)


def test_the_truth_goes_with_the_ids_and_not_with_the_codes(class_):
    plain = answered(class_, "condorcet:level=50,tied=yes")
    papers = rehearsal.roster(N, 1)["student"]
    codes = {f"K{at}": paper for at, paper in enumerate(reversed(papers))}
    coded = {paper: code for code, paper in codes.items()}
    text = (class_ / "handout.csv").read_text().splitlines()
    rows = [row.split(",") for row in text[1:]]
    (class_ / "handout.csv").write_text("grader,paper\n" + "".join(f"{g},{coded[p]}\n" for g, p in rows))
    hidden = answered(class_, "condorcet:level=50,tied=yes", codes=codes)
    assert [codes[paper] for paper in hidden["paper"]] == plain["paper"]
    assert hidden["rank"] == plain["rank"]


def test_the_seed_decides(class_):
    assert answered(class_, "condorcet", 1) == answered(class_, "condorcet", 1)
    assert answered(class_, "condorcet", 1) != answered(class_, "condorcet", 2)


def test_a_gradebook_has_a_row_for_every_student_below_the_points():
    students = rehearsal.roster(5, 0)
    book = rehearsal.gradebook(students)
    assert book["SIS User ID"][1:] == students["student"]
    assert book["Essay (4711)"] == ["100", "", "", "", "", ""]
    assert {len(column) for column in book.values()} == {6}


def test_classes_that_cannot_be(class_):
    with pytest.raises(InputError, match="1 to 1,000,000 students"):
        rehearsal.roster(0, 0)
    (class_ / "handout.csv").write_text("grader,paper\n")
    with pytest.raises(InputError, match="hand-out is empty"):
        answered(class_, "perfect")
