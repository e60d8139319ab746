import csv
import json

import numpy as np
import pytest

from peerorder.core.randomness import child

N, K = 40, 6


@pytest.fixture
def files(tmp_path):
    """Forty students who rank well; paper p000 is the best, p039 the worst. Papers are called by codes."""
    rows, handout = ["grader,paper,rank"], ["grader,paper"]
    rng = child(0, "cli anchors")
    for grader in range(N):
        others = [paper for paper in range(N) if paper != grader]
        bundle = np.sort(rng.choice(others, K, replace=False))
        rows += [f"s{grader:03d},c{paper:03d},{rank}" for rank, paper in enumerate(bundle, 1)]
        handout += [f"s{grader:03d},c{paper:03d}" for paper in bundle]
    handout.append("s000,c040")
    contents = {
        "rankings": "\n".join(rows),
        "handout": "\n".join(handout),
        "roster": "student,paper,link\n"
        + "\n".join(f"s{at:03d},p{at:03d},https://example.edu/{at}" for at in range(N + 1)),
        "codes": "paper,code\n" + "\n".join(f"p{at:03d},c{at:03d}" for at in range(N + 1)),
    }
    for name, text in contents.items():
        (tmp_path / f"{name}.csv").write_text(text + "\n")
    return tmp_path


def arguments(files, *names):
    return [word for name in names for word in (f"--{name}", files / f"{name}.csv")]


def test_it_writes_a_list_for_staff_and_reads_it_back(peerorder, files):
    out = files / "anchors.csv"
    all_files = arguments(files, "roster", "handout", "codes")
    result = peerorder("anchors", files / "rankings.csv", *all_files, "-n", 4, "--out", out)
    assert result.code == 0, result.err
    assert "The 4 papers to mark next (of 41)" in result.out
    assert "no paper is marked yet" in result.out
    assert "1 paper was never compared" in result.out
    with out.open(encoding="utf-8-sig") as stream:
        rows = list(csv.DictReader(stream))
    assert list(rows[0]) == ["paper", "code", "link", "mark", "reason"]
    for row in rows:
        number = row["paper"][1:]
        assert (row["code"], row["link"]) == (f"c{number}", f"https://example.edu/{int(number)}")
        assert row["code"] in result.out
    assert [row["mark"] for row in rows] == [""] * 4
    assert all(row["paper"].startswith("p") and row["reason"] for row in rows)
    provenance = json.loads((files / "anchors.csv.provenance.json").read_text())
    assert provenance["command"] == "anchors"
    assert provenance["rule"] == "posterior"
    marked = out.read_text().replace(",,", ",70,")
    out.write_text(marked)
    result = peerorder("anchors", files / "rankings.csv", *all_files, "--anchors", out, "-n", 5, "--json")
    again = json.loads(result.out)
    assert len(again["anchors"]) == 5
    assert not {row["paper"] for row in rows} & {each["paper"] for each in again["anchors"]}
    assert set(again["anchors"][0]) == {"paper", "code", "link", "place", "low", "high", "reason"}
    result = peerorder("anchors", files / "rankings.csv", *all_files, "--anchors", out, "-n", 5)
    assert "in addition to the 4 already marked" in " ".join(result.out.split())


def table(path):
    with path.open(encoding="utf-8-sig") as stream:
        return list(csv.DictReader(stream))


def test_marks_in_the_file_stay_and_the_next_papers_come_below(peerorder, files, monkeypatch):
    monkeypatch.chdir(files)
    line = ("anchors", "rankings.csv", "--roster", "roster.csv", "--codes", "codes.csv", "--rule", "borda", "-n", 4)
    assert peerorder(*line, "--out", "anchors.csv").code == 0
    suggested = [row["paper"] for row in table(files / "anchors.csv")]
    typed = f'Paper,Mark,Comment\n{suggested[1]},80,fine\n{suggested[0]},,\np022,,Ida reads it\nc003,"71,5","so, so"\n'
    (files / "anchors.csv").write_text(typed)
    for more in ([], ["--anchors", "anchors.csv"]):
        result = peerorder(*line, *more, "--out", "anchors.csv")
        assert result.code == 0, result.err
        rows = table(files / "anchors.csv")
        assert [(row["paper"], row["mark"], row["comment"]) for row in rows[:3]] == [
            (suggested[1], "80", "fine"),
            ("p022", "", "Ida reads it"),
            ("c003", "71,5", "so, so"),
        ]
        assert [row["mark"] for row in rows[3:]] == [""] * 3
        assert not {suggested[1], "p003", "p022"} & {row["paper"] for row in rows[3:]}
        said = " ".join(result.out.split())
        assert "in addition to the 2 already marked" in said
        assert "Wrote anchors.csv, which keeps the 2 papers already marked in it." in said
    about = json.loads((files / "anchors.csv.provenance.json").read_text())
    assert about["inputs"]["anchors"]["file"] == "anchors.csv"


def test_no_file_is_written_over_that_cannot_be_kept(refused, files, monkeypatch):
    monkeypatch.chdir(files)
    line = ("anchors", "rankings.csv", "--rule", "borda", "--lenient", "--out")
    for name, text, message in (
        ("roster.csv", None, "already exists, and it is not a file of anchors; choose another name"),
        ("bad.csv", "paper,mark\nc001,70,what is this?\n", "row 2: it has 3 cells"),
    ):
        if text is not None:
            (files / name).write_text(text)
        before = (files / name).read_bytes()
        assert message in refused(*line, name)
        assert (files / name).read_bytes() == before


def test_marks_in_several_files_count_together(peerorder, refused, files, monkeypatch):
    monkeypatch.chdir(files)
    (files / "a.csv").write_text("paper,mark\nc001,90\nc020,60\n")
    (files / "b.csv").write_text("paper,mark\nc038,30\nc020,60\n")
    line = ("rankings.csv", "--rule", "borda", "--anchors", "a.csv", "--anchors", "b.csv")
    assert "in addition to the 3 already marked" in " ".join(peerorder("anchors", *line).out.split())
    result = peerorder("grade", *line, "--json")
    assert result.code == 0, result.err
    marks = {row["paper"]: row["mark"] for row in json.loads(result.out)["papers"]}
    assert marks["c001"] > 80
    assert marks["c038"] < 40
    assert peerorder("grade", *line, "--verify", "grades.csv").code == 0
    (files / "b.csv").write_text("paper,mark\nc038,30\nc020,61\n")
    assert "b.csv, column mark: c020 has the mark 61 here and 60 in a.csv; correct one" in refused("grade", *line)


def test_a_rule_without_intervals_will_do(peerorder, files):
    result = peerorder("anchors", files / "rankings.csv", "--rule", "borda", "-n", 1)
    assert result.code == 0
    assert "The paper to mark next" in result.out
    assert "interval" not in result.out


def test_when_everything_is_marked_it_says_so(peerorder, tmp_path):
    (tmp_path / "r.csv").write_text("grader,paper,rank\nx,a,1\nx,b,2\n")
    (tmp_path / "a.csv").write_text("paper,mark\na,80\nb,60\n")
    result = peerorder("anchors", tmp_path / "r.csv", "--rule", "borda", "--anchors", tmp_path / "a.csv")
    assert (result.code, result.out) == (0, "Every paper is marked already.\n")


def test_a_column_of_ones_own_stays_empty_for_the_next_papers(peerorder, tmp_path):
    (tmp_path / "r.csv").write_text("grader,paper,rank\nx,a,1\nx,b,2\nx,c,3\n")
    out = tmp_path / "a.csv"
    out.write_text("paper,mark,place\na,80,Room 7\n")
    assert peerorder("anchors", tmp_path / "r.csv", "--rule", "borda", "-n", 1, "--out", out).code == 0
    header, kept, new = out.read_text(encoding="utf-8-sig").splitlines()
    places = [line.split(",")[header.split(",").index("place")] for line in (kept, new)]
    assert places == ["Room 7", ""]


def test_lenient_says_what_was_left_out(peerorder, tmp_path):
    (tmp_path / "r.csv").write_text("grader,paper,rank\nx,a,1\nx,b,good\nx,c,2\n")
    result = peerorder("anchors", tmp_path / "r.csv", "--rule", "borda", "--lenient")
    assert result.code == 3
    assert "only a part remains of the rankings by 1 grader (x)" in result.err
    assert "Skipped: " in result.out
    assert "good is not a rank" in " ".join(result.out.split())


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["-n", "0"], "-n is 0; it must be at least 1"),
        (["--rule", "bordo"], "did you mean borda"),
        (["--out", "."], "is a folder"),
        (["--roster", "none.csv"], "file not found"),
    ],
)
def test_bad_input_is_refused_and_nothing_is_written(refused, files, monkeypatch, more, message):
    monkeypatch.chdir(files)
    before = sorted(files.iterdir())
    assert message in refused("anchors", "rankings.csv", *more)
    assert sorted(files.iterdir()) == before


def test_rankings_without_papers_are_refused(refused, tmp_path):
    (tmp_path / "r.csv").write_text("grader,paper,rank\n")
    assert "no paper found" in refused("anchors", tmp_path / "r.csv")


def test_grades_are_not_taken_for_a_list_to_fill_in(peerorder, refused, tmp_path, monkeypatch):
    """Grades have a paper and a mark too."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rankings.csv").write_text("grader,paper,rank\na,x,1\na,y,2\nb,y,1\nb,z,2\n")
    assert peerorder("grade", "rankings.csv", "--rule", "borda", "--marks", "percentile").code == 0
    before = (tmp_path / "grades.csv").read_bytes()
    said = refused("anchors", "rankings.csv", "--rule", "borda", "--out", "grades.csv")
    assert "--out grades.csv would overwrite grades; choose another name" in said
    assert "ends in .csv" in refused("anchors", "rankings.csv", "--rule", "borda", "--out", "x.pdf")
    assert (tmp_path / "grades.csv").read_bytes() == before
