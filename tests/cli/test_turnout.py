import pytest

ROSTER = "student,role\nann,\nbea,\ncid,\ndan,\neve,staff\n"
HANDOUT = "grader,paper\n" + "".join(f"{g},{p}\n" for g in ("ann", "bea", "cid") for p in ("dan", "fay", "gil"))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "roster.csv").write_text(ROSTER + "fay,\ngil,\n")
    (tmp_path / "handout.csv").write_text(HANDOUT)
    ballots = "ann,dan,1\nann,fay,2\nann,gil,2\nbea,dan,1\nbea,gil,2\nbea,fay,\n"
    (tmp_path / "rankings.csv").write_text("grader,paper,rank\n" + ballots)
    return tmp_path


def test_who_handed_in_nothing_or_a_part_and_who_has_ties_is_named(peerorder, folder):
    files = ("rankings.csv", "--roster", "roster.csv", "--rule", "borda")
    said = peerorder("grade", *files, "--handout", "handout.csv").out
    assert "1 grader handed in nothing: cid." in said
    assert "1 grader did not judge all of their papers: bea (2 of 3)." in said
    assert "1 grader gave papers the same rank, which is a tie: ann." in said


def test_without_a_hand_out_all_students_of_the_roster_were_asked(peerorder, folder):
    said = peerorder("grade", "rankings.csv", "--roster", "roster.csv", "--rule", "borda").out
    assert "4 graders handed in nothing: cid, dan, fay, gil." in said
    assert "did not judge all" not in said


def test_where_nothing_is_known_nothing_is_said(peerorder, folder):
    (folder / "rankings.csv").write_text("grader,paper,rank\nx,dan,1\nx,fay,2\ny,fay,1\ny,dan,2\n")
    said = peerorder("grade", "rankings.csv", "--rule", "borda").out
    assert not any(words in said for words in ("handed in nothing", "did not judge", "tie"))
