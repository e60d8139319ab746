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
    assert "1 grader submitted nothing: cid." in said
    assert "1 grader did not rank all of their papers: bea (2 of 3)." in said
    assert "1 grader gave papers the same rank, which is a tie: ann." in said


def test_who_judged_no_paper_is_told_from_who_handed_in_nothing(peerorder, folder):
    rankings = folder / "rankings.csv"
    rankings.write_text(rankings.read_text() + "cid,dan,\ncid,fay,\ncid,gil,\n")
    line = ("--roster", "roster.csv", "--handout", "handout.csv", "--rule", "borda", "--report", "report.html")
    said = peerorder("grade", "rankings.csv", *line).out
    assert "1 grader ranked none of their papers: cid." in said
    assert "handed in nothing" not in said
    report = (folder / "report.html").read_text()
    assert "1 grader ranked none of their papers: cid." in report
    assert "handed in nothing" not in report


def test_without_a_hand_out_all_students_of_the_roster_were_asked(peerorder, folder):
    said = peerorder("grade", "rankings.csv", "--roster", "roster.csv", "--rule", "borda").out
    assert "4 graders submitted nothing: cid, dan, fay, gil." in said
    assert "did not judge all" not in said


def test_where_nothing_is_known_nothing_is_said(peerorder, folder):
    (folder / "rankings.csv").write_text("grader,paper,rank\nx,dan,1\nx,fay,2\ny,fay,1\ny,dan,2\n")
    said = peerorder("grade", "rankings.csv", "--rule", "borda").out
    assert not any(words in said for words in ("handed in nothing", "did not judge", "tie"))


def test_who_ties_all_papers_is_named_once_and_has_no_reliability(peerorder, folder):
    rankings = folder / "rankings.csv"
    rankings.write_text(rankings.read_text() + "cid,dan,1\ncid,fay,1\ncid,gil,1\n")
    line = ("grade", "rankings.csv", "--roster", "roster.csv", "--handout", "handout.csv", "--graders", "graders.csv")
    said = peerorder(*line, "--marks", "percentile", "--students", "marks.csv", "--report", "report.html").out
    assert "1 grader tied all of their papers, so their ballot does not count: cid." in said
    assert "1 grader gave papers the same rank, which is a tie: ann." in said
    assert "cid,,,,1,tied" in (folder / "graders.csv").read_text().splitlines()
    marks = dict(row.split(",")[::3] for row in (folder / "marks.csv").read_text().splitlines())
    assert float(marks["cid"]) == 70
    assert float(marks["ann"]) > 95
    assert "Tied all of their papers" in (folder / "report.html").read_text()


def test_where_all_papers_are_tied_there_is_no_order(refused, folder):
    (folder / "rankings.csv").write_text("grader,paper,rank\nann,dan,1\nann,fay,1\nbea,fay,2\nbea,gil,2\n")
    assert "no paper is above another" in refused("grade", "rankings.csv")
    assert not (folder / "grades.csv").exists()
    line = ("assign", "roster.csv", "--top-up", "rankings.csv", "--handout", "handout.csv", "--out", "more.csv")
    assert "nobody has put a paper above another" in refused(*line, "--no-codes")


def test_a_paper_that_is_only_on_tied_ballots_is_compared_with_nothing(peerorder, folder):
    (folder / "rankings.csv").write_text("grader,paper,rank\nann,dan,1\nann,fay,2\nbea,fay,1\nbea,gil,1\n")
    said = " ".join(peerorder("grade", "rankings.csv", "--rule", "borda", "--marks", "percentile").out.split())
    assert "compared with no other paper, so its place is a guess: gil." in said
    assert [
        row.rsplit(",", 1)[1] != "" for row in (folder / "grades.csv").read_text().splitlines() if "gil" in row
    ] == [False]


def test_who_ranks_a_single_paper_is_named_and_the_paper_is_ranked_but_not_compared(peerorder, folder):
    (folder / "more.csv").write_text("grader,paper,rank\nann,eve,1\n")
    line = ("grade", "rankings.csv", "more.csv", "--rule", "borda", "--marks", "percentile", "--report", "r.html")
    said = " ".join(peerorder(*line).out.split())
    assert "a ballot by ann has a single paper" in said
    assert "eve has no mark, because nobody compared it" in said
    assert "compared with no other paper, so its place is a guess: eve." in said
    assert "None" not in said
    page = (folder / "r.html").read_text()
    assert "1 paper was compared with no other" in page
    assert not any(words in text for words in ("by nobody", "nobody ranked it") for text in (said, page))
