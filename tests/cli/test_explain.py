"""``peerorder grade`` with ``--explain`` and ``--report``."""

import json

import pytest


@pytest.fixture
def rankings(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = ["a b 1", "a c 2", "b c 1", "b a 2", "b d 3", "c a 1", "c d 2", "d a 1", "d b 1", "d c 2"]
    text = "".join(row.replace(" ", ",") + "\n" for row in rows)
    (tmp_path / "rankings.csv").write_text("grader,paper,rank\n" + text)
    return tmp_path / "rankings.csv"


def test_a_paper_is_explained_by_its_ballots(rankings, peerorder):
    result = peerorder("grade", "rankings.csv", "--rule", "borda", "--explain", "a")
    assert result.code == 0, result
    said = " ".join(result.out.split())
    assert "a. Place" in said
    assert "3 rankings include it. It won 3.5 of 5 comparisons" in said
    assert "1st of 3, tied" in said
    assert "place without" in said


def test_the_default_rule_says_how_reliable_they_are(rankings, peerorder):
    result = peerorder("grade", "rankings.csv", "--explain", "a")
    assert "The 90% interval for its place" in " ".join(result.out.split())
    assert "reliability" in result.out


def test_explanations_for_machines(rankings, peerorder):
    result = peerorder("grade", "rankings.csv", "--rule", "borda", "--explain", "a", "--explain", "d", "--json")
    first, second = json.loads(result.out)["explained"]
    assert (first["paper"], second["paper"]) == ("a", "d")
    assert {vote["grader"] for vote in second["votes"]} == {"b", "c"}
    assert "explained" not in json.loads(peerorder("grade", "rankings.csv", "--rule", "borda", "--json").out)


def test_the_report_is_written_with_its_provenance(rankings, peerorder):
    names = ("--out", "g.csv", "--report", "report.html")
    result = peerorder("grade", "rankings.csv", "--rule", "borda", *names, "--explain", "all")
    assert result.code == 0, result
    assert "report.html" in result.out
    page = (rankings.parent / "report.html").read_text("utf-8")
    assert page.count("<details") == 4
    assert "peerorder grade --verify g.csv rankings.csv" in page
    about = [json.loads((rankings.parent / f"{name}.provenance.json").read_text()) for name in ("report.html", "g.csv")]
    assert [each.pop("table") for each in about] == ["report", "grades"]
    assert about[0] == about[1]


def test_a_question_writes_nothing(rankings, peerorder):
    """What was graded with marks before stays as it is."""
    line = ("grade", "rankings.csv", "--rule", "borda")
    assert peerorder(*line, "--marks", "percentile").code == 0
    before = {path: path.read_bytes() for path in rankings.parent.iterdir()}
    result = peerorder(*line, "--explain", "a")
    assert (result.code, "Wrote" in result.out) == (0, False)
    assert {path: path.read_bytes() for path in rankings.parent.iterdir()} == before
    # Files that are named are written, and no other.
    assert peerorder(*line, "--explain", "a", "--report", "r.html").code == 0
    new = {path.name for path in rankings.parent.iterdir()} - {path.name for path in before}
    assert new == {"r.html", "r.html.provenance.json"}
    assert "--verify" not in (rankings.parent / "r.html").read_text("utf-8")


def test_an_answer_for_the_student_names_no_grader(tmp_path, monkeypatch, peerorder, refused):
    monkeypatch.chdir(tmp_path)
    people = ["anna", "berta", "carl", "dora"]
    (tmp_path / "roster.csv").write_text("student,name,role\n" + "".join(f"{x},{x} Miller,\n" for x in people))
    handout = "".join(f"{x},{y}\n" for x in people for y in people if x != y)
    (tmp_path / "handout.csv").write_text("grader,paper\n" + handout)
    rows = [
        f"{grader},{paper},{rank}\n"
        for at, grader in enumerate(people)
        for rank, paper in enumerate([x for x in people[at:] + people[:at] if x != grader], 1)
    ]
    (tmp_path / "rankings.csv").write_text("grader,paper,rank\n" + "".join(rows[2:]))
    files = (
        "rankings.csv",
        "--roster",
        "roster.csv",
        "--handout",
        "handout.csv",
        "--marks",
        "percentile",
        "--penalty",
        9,
    )
    line = ("grade", *files, "--rule", "borda", "--explain", "anna", "--no-names")
    said = peerorder(*line).out
    told = peerorder(*line, "--json").out
    for text in (said, told):
        assert "anna" in text
        assert not [name for name in (*people[1:], "Miller") if name in text]
    (explained,) = json.loads(told)["explained"]
    assert [(who, off) for who, _, off in explained["penalised"]] == [("Its author", "6.0")]
    assert [vote["grader"] for vote in explained["votes"]] == ["A", "B", "C"]
    assert {path.name for path in tmp_path.iterdir()} == {"roster.csv", "handout.csv", "rankings.csv"}
    assert "--no-names goes with --explain" in refused("grade", "rankings.csv", "--no-names")
    assert "--report writes a file that names people" in refused(*line, "--report", "r.html")


def test_many_papers_are_for_the_report(rankings, peerorder):
    rows = "".join(f"g,p{at},{at + 1}\n" for at in range(30))
    rankings.write_text("grader,paper,rank\n" + rows)
    plain = peerorder("grade", "rankings.csv", "--rule", "borda", "--explain", "all")
    assert "10 of 30 papers; --report FILE explains all" in " ".join(plain.out.split())
    told = peerorder("grade", "rankings.csv", "--rule", "borda", "--explain", "all", "--report", "r.html")
    assert "10 of 30 papers; all are in the report" in " ".join(told.out.split())


def test_nothing_is_written_where_a_paper_does_not_exist(rankings, refused):
    said = refused("grade", "rankings.csv", "--rule", "borda", "--explain", "zz", "--report", "report.html")
    assert "--explain zz: no such paper" in said
    assert [path.name for path in rankings.parent.iterdir()] == ["rankings.csv"]


def test_the_report_needs_a_file_of_its_own(rankings, refused):
    assert "overwrite --out, g.csv" in refused("grade", "rankings.csv", "--out", "g.csv", "--report", "g.csv")
    assert "is a folder" in refused("grade", "rankings.csv", "--report", ".")


def test_an_answer_for_a_team_says_that_a_penalty_comes_after_it(tmp_path, monkeypatch, peerorder):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "roster.csv").write_text("student,team\nann,T\nbob,T\ncid,\ndan,\n")
    (tmp_path / "handout.csv").write_text("grader,paper\nann,cid\nann,dan\nbob,cid\nbob,dan\ncid,T\ncid,dan\n")
    (tmp_path / "rankings.csv").write_text("grader,paper,rank\nann,cid,1\nann,dan,2\ncid,T,1\ncid,dan,2\n")
    files = ("rankings.csv", "--roster", "roster.csv", "--handout", "handout.csv", "--marks", "percentile")
    line = ("grade", *files, "--rule", "borda", "--explain", "T", "--no-names", "--json")
    (told,) = json.loads(peerorder(*line, "--penalty", 9).out)["explained"]
    (without,) = json.loads(peerorder(*line).out)["explained"]
    assert told["penalised"] == []
    assert told["mark"] == without["mark"]
    assert "before points are taken off" in told["mark_source"]
    assert "before points" not in without["mark_source"]
