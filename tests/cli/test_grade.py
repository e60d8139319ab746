import csv
import json

import numpy as np
import pytest

from peerorder.noise import NOISES
from peerorder.schemes import SCHEMES, hand_out


@pytest.fixture
def class_of_40(tmp_path, monkeypatch):
    """A folder with the rankings of 40 students, 5 of them upside down; the true places are in their ids."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(7)
    bundles = SCHEMES["random"].build(40, 8, rng)
    of = hand_out(bundles, np.arange(40), rng)
    profile = NOISES.parse("condorcet:level=10").draw(bundles, np.arange(40), rng, bundle_of=of)
    rows = []
    for b in range(len(profile)):
        grader = int(profile.grader[b])
        ballot = profile[b].tolist()[::-1] if grader % 8 == 3 else profile[b].tolist()
        rows += [(f"s{grader:02d}", f"s{paper:02d}", rank) for rank, paper in enumerate(ballot, 1)]
    text = "grader,paper,rank\n" + "".join(f"{g},{p},{r}\n" for g, p, r in rows)
    (tmp_path / "rankings.csv").write_text(text)
    (tmp_path / "roster.csv").write_text("student\n" + "".join(f"s{i:02d}\n" for i in range(41)))
    return tmp_path


def rows(path):
    with path.open(encoding="utf-8-sig", newline="") as stream:
        return list(csv.DictReader(stream))


def test_a_round_is_graded(peerorder, class_of_40):
    result = peerorder("grade", "rankings.csv", "--graders", "graders.csv")
    assert result.code == 0, result.err
    assert "Order of 40 papers, by the rule posterior, from the rankings of 40 graders" in result.out
    assert "Wrote grades.csv and graders.csv" in result.out
    grades = rows(class_of_40 / "grades.csv")
    assert [row["place"] for row in grades] == [str(place) for place in range(1, 41)]
    assert grades[0]["paper"] in ("s00", "s01", "s02")
    inside = [int(row["low"]) <= int(row["paper"][1:]) + 1 <= int(row["high"]) for row in grades]
    assert np.mean(inside) > 0.8
    flagged = {row["grader"] for row in rows(class_of_40 / "graders.csv") if row["flag"] == "reversed"}
    assert flagged == {"s03", "s11", "s19", "s27", "s35"}
    assert "5 graders seem to have ranked upside down: " in result.out


def test_the_state_of_the_sampler_is_shown(peerorder, class_of_40):
    found = json.loads(peerorder("grade", "rankings.csv", "--json").out)["diagnostics"]
    assert (found["draws"], found["chains"], found["papers"]) == (256, 4, 40)
    assert 1 <= found["r_hat"] < 2
    assert 1 < found["ess_bulk"] < found["ess_bulk_median"] < 400
    assert 1 < found["ess_tail"] < found["ess_tail_median"] < 400
    line = (
        f"Sampler: 4 chains of 64 draws; largest R-hat {found['r_hat']:.2f}, smallest bulk ESS {found['ess_bulk']:.0f} "
        f"and tail ESS {found['ess_tail']:.0f}."
    )
    assert line in " ".join(peerorder("grade", "rankings.csv").out.split())
    # It is no part of what can be verified.
    assert "diagnostics" not in (class_of_40 / "grades.csv.provenance.json").read_text()


def test_a_sampler_that_looked_at_some_papers_says_so(peerorder, class_of_40, monkeypatch):
    monkeypatch.setattr("peerorder.core.diagnostics.MOST_PAPERS", 16)
    said = " ".join(peerorder("grade", "rankings.csv").out.split())
    assert "Sampler: 4 chains of 64 draws; of 16 evenly spaced papers, largest R-hat " in said


def test_a_single_chain_is_no_chains(peerorder, class_of_40):
    said = peerorder("grade", "rankings.csv", "--rule", "posterior:chains=1").out
    assert "Sampler: 1 chain of 64 draws; largest R-hat " in " ".join(said.split())


def test_chains_that_stand_still_apart_are_null_in_json(peerorder, class_of_40, monkeypatch):
    monkeypatch.setattr("peerorder.core.diagnostics.split_r_hat", lambda draws: np.array([1.0, np.inf]))
    assert json.loads(peerorder("grade", "rankings.csv", "--json").out)["diagnostics"]["r_hat"] is None
    assert "largest R-hat inf," in peerorder("grade", "rankings.csv").out


def test_a_rule_without_draws_has_no_sampler(peerorder, class_of_40):
    assert "Sampler" not in peerorder("grade", "rankings.csv", "--rule", "borda").out
    assert "diagnostics" not in json.loads(peerorder("grade", "rankings.csv", "--rule", "borda", "--json").out)


def test_the_roster_adds_who_did_nothing_and_whom_nobody_read(peerorder, class_of_40):
    result = peerorder("grade", "rankings.csv", "--roster", "roster.csv", "--rule", "borda")
    assert "1 paper was ranked by nobody, so its place is a guess: s40." in result.out
    assert "40 of 41 graders" in result.out
    assert len(rows(class_of_40 / "grades.csv")) == 41


def test_nothing_is_said_about_how_reliable_somebody_without_a_ballot_is(peerorder, class_of_40):
    line = ("grade", "rankings.csv", "--roster", "roster.csv", "--graders", "graders.csv")
    assert peerorder(*line).code == 0
    found = {row["grader"]: row for row in rows(class_of_40 / "graders.csv")}
    nobody = {"grader": "s40", "reliability": "", "low": "", "high": "", "ballots": "0", "flag": ""}
    assert found["s40"] == nobody
    assert all(found[grader]["reliability"] and found[grader]["low"] for grader in found if grader != "s40")
    said = {row["grader"]: row for row in json.loads(peerorder(*line, "--json").out)["graders"]}
    assert said["s40"]["reliability"] is said["s40"]["low"] is None
    assert said["s39"]["reliability"] > 0.5


def test_what_lenient_left_out_is_summed_up(peerorder, class_of_40):
    text = (class_of_40 / "rankings.csv").read_text().replace("\ns05,", "\nS05,")
    lines = text.splitlines()
    at = next(at for at, line in enumerate(lines) if line.startswith("s07,"))
    lines[at] = lines[at][:-1] + "good"
    (class_of_40 / "rankings.csv").write_text("\n".join(lines) + "\n")
    line = ("grade", "rankings.csv", "--roster", "roster.csv", "--rule", "borda", "--lenient")
    for more in ([], ["--json"]):
        result = peerorder(*line, *more)
        assert result.code == 3
        assert result.err == (
            "peerorder: 9 rows were skipped: nothing remains of the rankings by 1 grader (S05), only a part remains "
            "of the rankings by 1 grader (s07); correct the files and run the command again without --lenient\n"
        )
    assert len(json.loads(result.out)["dropped"]) == 9
    assert len(rows(class_of_40 / "grades.csv")) == 41


def test_a_folder_of_forms_is_read(peerorder, class_of_40):
    forms = {}
    for row in rows(class_of_40 / "rankings.csv"):
        forms.setdefault(row["grader"], []).append(",".join(row.values()))
    (class_of_40 / "forms").mkdir()
    for grader, lines in forms.items():
        (class_of_40 / "forms" / f"{grader}.csv").write_text("grader,paper,rank\n" + "\n".join(lines) + "\n")
    assert peerorder("grade", "rankings.csv", "--rule", "borda", "--out", "one.csv").code == 0
    assert peerorder("grade", "forms", "--rule", "borda", "--out", "two.csv").code == 0
    scores = [{row["paper"]: row["score"] for row in rows(class_of_40 / name)} for name in ("one.csv", "two.csv")]
    assert scores[0] == scores[1]
    assert peerorder("grade", "forms", "--verify", "two.csv").code == 0
    for grader in ("s03", "s30"):
        (class_of_40 / "forms" / f"{grader}.csv").write_text("grader,paper,rank\ns03,s01,good\n")
    result = peerorder("grade", "forms", "--rule", "borda")
    assert result.code == 2
    assert "forms/s03.csv, row 2" in result.err
    assert "forms/s30.csv, row 2" in result.err


def test_machines_get_everything(peerorder, class_of_40):
    result = peerorder("grade", "rankings.csv", "--json", "--out", "new/g.parquet")
    said = json.loads(result.out)
    assert len(said["papers"]) == len(said["graders"]) == 40
    assert said["provenance"]["settings"]["rule"] == "posterior"
    assert (class_of_40 / "new" / "g.parquet").exists()


def test_the_same_rankings_give_the_same_bytes(peerorder, class_of_40):
    for name in ("a.csv", "b.csv"):
        assert peerorder("grade", "rankings.csv", "--out", name).code == 0
    assert (class_of_40 / "a.csv").read_bytes() == (class_of_40 / "b.csv").read_bytes()
    peerorder("grade", "rankings.csv", "--out", "c.csv", "--seed", 1)
    assert (class_of_40 / "a.csv").read_bytes() != (class_of_40 / "c.csv").read_bytes()


def test_grades_are_verified(peerorder, refused, class_of_40):
    peerorder("grade", "rankings.csv", "--roster", "roster.csv")
    result = peerorder("grade", "--verify", "grades.csv", "rankings.csv", "--roster", "roster.csv")
    assert result.code == 0
    assert result.out.startswith("Verified. grades.csv is exactly what posterior with seed 0 gives for rankings.csv")
    text = (class_of_40 / "grades.csv").read_text()
    (class_of_40 / "grades.csv").write_text(text.replace("s00", "s99"))
    assert "is not what these rankings give: row" in refused("grade", "rankings.csv", "--verify", "grades.csv")


def test_nothing_is_written_where_something_is_wrong(peerorder, class_of_40):
    with (class_of_40 / "rankings.csv").open("a") as file:
        file.write("s00,s00,9\ns01,s77,good\n")
    result = peerorder("grade", "rankings.csv", "--roster", "roster.csv")
    assert result.code == 2
    assert "row 322, column paper" in result.err
    assert "row 323, column rank" in result.err
    assert not (class_of_40 / "grades.csv").exists()
    lenient = peerorder("grade", "rankings.csv", "--roster", "roster.csv", "--lenient")
    assert lenient.code == 3
    assert "Skipped: rankings.csv, row 322" in lenient.out


def test_outputs_must_be_files_of_their_own(refused, class_of_40):
    assert "overwrite --out, x.csv" in refused("grade", "rankings.csv", "--out", "x.csv", "--graders", "x.csv")
    assert "is a folder" in refused("grade", "rankings.csv", "--out", ".")


def test_a_file_that_is_not_there(refused, class_of_40):
    assert "file not found" in refused("grade", "nothing.csv")


def test_places_become_marks_for_everybody(peerorder, class_of_40):
    options = ("--roster", "roster.csv", "--marks", "bands:A=25,B=75", "--students", "marks.csv")
    result = peerorder("grade", "rankings.csv", *options, "--absent", 0)
    assert result.code == 0, result.err
    marks = {row["paper"]: row["mark"] for row in rows(class_of_40 / "grades.csv")}
    assert sorted(marks.values()).count("A") in (10, 11)
    students = rows(class_of_40 / "marks.csv")
    assert [row["student"] for row in students] == [f"s{i:02d}" for i in range(41)]
    assert all(row["mark"] == marks[row["paper"]] for row in students)
    assert float(students[0]["review_mark"]) > 70
    # Nobody knows what was asked of s40; the others ranked 8 papers each.
    assert float(students[40]["review_mark"]) == 0
    # Done, but upside down.
    assert float(students[3]["review_mark"]) == pytest.approx(70)


def test_a_few_marks_by_staff_mark_everybody(peerorder, refused, class_of_40):
    (class_of_40 / "anchors.csv").write_text('paper,mark\ns02,90\ns13,75\ns25,"60,5"\ns37,40\n')
    result = peerorder("grade", "rankings.csv", "--anchors", "anchors.csv")
    assert result.code == 0, result.err
    marks = {row["paper"]: float(row["mark"]) for row in rows(class_of_40 / "grades.csv")}
    assert (marks["s02"], marks["s25"], marks["s37"]) == (90, 60.5, 40)
    assert 60 < marks["s19"] < 78
    assert json.loads((class_of_40 / "grades.csv.provenance.json").read_text())["inputs"]["anchors"]
    assert peerorder("grade", "rankings.csv", "--verify", "grades.csv").code == 0
    assert "give only one" in refused("grade", "rankings.csv", "--anchors", "anchors.csv", "--marks", "percentile")


def test_a_gradebook_is_filled_and_the_one_that_was_given_stays(peerorder, class_of_40):
    people = "".join(f'"Doe, J{i}",{i},s{i:02d},,\n' for i in range(40))
    text = "Student,ID,SIS User ID,Section,Essay (77)\n    Points Possible,,,,50\n" + people
    (class_of_40 / "export.csv").write_text(text)
    options = ("--roster", "roster.csv", "--marks", "percentile", "--unranked", "50", "--gradebook", "export.csv")
    result = peerorder("grade", "rankings.csv", *options)
    assert result.code == 0, result.err
    assert "Gradebook of Canvas: 40 marks in the column Essay (77)" in result.out
    assert "Not in the gradebook: s40." in result.out
    assert (class_of_40 / "export.csv").read_text() == text
    marks = {row["paper"]: float(row["mark"]) for row in rows(class_of_40 / "grades.csv")}
    filled = rows(class_of_40 / "export-filled.csv")
    assert float(filled[1]["Essay (77)"]) == pytest.approx(marks["s00"] / 2, abs=0.01)
    said = json.loads(peerorder("grade", "rankings.csv", *options, "--json").out)
    assert said["gradebook"]["filled"] == 40
    assert len(said["students"]) == 41


def test_marks_for_ranking_go_into_a_column_of_their_own(peerorder, refused, class_of_40):
    people = "".join(f'"Doe, J{i}",{i},s{i:02d},,,\n' for i in range(40))
    text = "Student,ID,SIS User ID,Section,Essay (77),Review (78)\n    Points Possible,,,,50,10\n" + people
    (class_of_40 / "export.csv").write_text(text)
    line = ("grade", "rankings.csv", "--roster", "roster.csv", "--marks", "percentile", "--rule", "borda")
    book = ("--gradebook", "export.csv", "--gradebook-review-column")
    result = peerorder(*line, "--students", "marks.csv", *book, "review")
    assert result.code == 0, result.err
    said = " ".join(result.out.split())
    assert "40 marks in the column Essay (77), students" in said
    assert "40 marks for ranking in the column Review (78), students" in said
    assert said.count("Not in the gradebook: s40.") == 1
    marks = {row["student"]: row for row in rows(class_of_40 / "marks.csv")}
    for row in rows(class_of_40 / "export-filled.csv")[1:]:
        mine = marks[row["SIS User ID"]]
        assert float(row["Essay (77)"]) == pytest.approx(float(mine["mark"]) / 2, abs=0.006)
        assert float(row["Review (78)"]) == pytest.approx(float(mine["review_mark"]) / 10, abs=0.006)
    told = json.loads(peerorder(*line, *book, "78", "--json").out)
    assert (told["gradebook"]["column"], told["gradebook_review"]["column"]) == ("Essay (77)", "Review (78)")
    both = refused(*line, *book, "Essay", "--gradebook-column", "77")
    assert "the marks of papers and the marks for ranking would both go into Essay (77); name another column" in both
    assert "--gradebook-review-column goes with --gradebook" in refused(*line, *book[2:], "Essay")


@pytest.mark.slow
def test_every_table_is_verified_and_nothing_else(peerorder, refused, class_of_40):
    people = "".join(f'"Doe, J{i}",{i},s{i:02d},,\n' for i in range(40))
    text = "Student,ID,SIS User ID,Section,Essay (77)\n    Points Possible,,,,50\n" + people
    (class_of_40 / "export.csv").write_text(text)
    line = ("grade", "rankings.csv", "--roster", "roster.csv", "--marks", "bands", "--graders", "graders.csv")
    more = ("--students", "marks.csv", "--letters", "l.csv", "--gradebook", "export.csv", "--report", "report.html")
    assert peerorder(*line, *more).code == 0
    for name in ("grades.csv", "graders.csv", "marks.csv", "l.csv"):
        result = peerorder("grade", "--verify", name)
        assert result.code == 0, result.err
        assert "gives for rankings.csv, roster.csv, as named in its provenance." in " ".join(result.out.split())
        assert "provenance" not in peerorder("grade", "rankings.csv", "--roster", "roster.csv", "--verify", name).out
        # Provenance of older versions does not say which table it is of.
        about = class_of_40 / f"{name}.provenance.json"
        said = json.loads(about.read_text())
        assert said.pop("table") in ("grades", "graders", "students", "letters")
        about.write_text(json.dumps(said))
        assert peerorder("grade", "--verify", name).code == 0
        (class_of_40 / name).write_text((class_of_40 / name).read_text().replace("s1", "s2", 1))
        assert f"{name} is not what these rankings give: row" in refused("grade", "--verify", name)
    for name in ("export-filled.csv", "report.html"):
        assert f"{name}: only what grade writes with --out, --graders" in refused("grade", "--verify", name)
    assert "Missing argument 'RANKINGS...'" in refused("grade", "--seed", 3)


def test_marks_for_students_need_a_roster_and_a_scale(refused, class_of_40):
    for options, missing in (
        (["--marks", "percentile"], {"--roster"}),
        (["--roster", "roster.csv"], {"--marks"}),
        ([], {"--roster", "--marks"}),
    ):
        said = refused("grade", "rankings.csv", *options, "--students", "marks.csv")
        assert {option for option in ("--roster", "--marks") if option in said} == missing
    assert not (class_of_40 / "grades.csv").exists()


def test_what_another_wrote_is_never_overwritten(peerorder, refused, class_of_40):
    line = ("grade", "rankings.csv", "--rule", "borda")
    for name in ("grades.csv", "marks.csv"):
        (class_of_40 / name).write_text("paper,mark\nlast year,70\n")
    message = "already exists, and was not written by grade; choose another name, or delete it first"
    assert f"--out grades.csv {message}" in refused(*line)
    assert f"--graders marks.csv {message}" in refused(*line, "--out", "g.csv", "--graders", "marks.csv")
    assert (class_of_40 / "grades.csv").read_text().startswith("paper,mark")
    assert not (class_of_40 / "g.csv").exists()
    for seed in (1, 2):
        assert peerorder(*line, "--out", "g.csv", "--seed", seed).code == 0
    (class_of_40 / "g.csv.provenance.json").write_text('{"command": "assign"}')
    assert "--out g.csv would overwrite a hand-out; choose another name" in refused(*line, "--out", "g.csv")


@pytest.mark.parametrize(
    ("option", "name", "there"),
    [
        ("--report", "grades.csv", "give it a name that ends in .html or .htm"),
        ("--graders", "grades.csv", "would overwrite grades"),
        ("--students", "graders.csv", "would overwrite graders"),
        ("--out", "graders.csv", "would overwrite graders"),
        ("--out", "anchors.csv", "would overwrite anchors"),
        ("--letters", "x.pdf", "ends in .csv"),
        ("--gradebook-out", "x.pdf", "ends in .csv"),
    ],
)
def test_outputs_of_different_kinds_never_overwrite_each_other(peerorder, refused, class_of_40, option, name, there):
    line = ("grade", "rankings.csv", "--roster", "roster.csv", "--rule", "borda", "--marks", "percentile")
    peerorder(*line, "--graders", "graders.csv")
    (class_of_40 / "anchors.csv").write_text("paper,mark,reason\n")
    (class_of_40 / "book.csv").write_text("Student,ID,SIS User ID,Section,Essay (77)\n")
    before = {path.name: path.read_bytes() for path in class_of_40.iterdir() if path.is_file()}
    more = ("--gradebook", "book.csv") if option == "--gradebook-out" else ()
    assert there in refused(*line, *more, *(() if option == "--out" else ("--out", "other.csv")), option, name)
    assert {path.name: path.read_bytes() for path in class_of_40.iterdir() if path.is_file()} == before


def test_marks_in_a_gradebook_need_force(peerorder, refused, class_of_40):
    people = "".join(f'"Doe, J{i}",{i},s{i:02d},,{i}\n' for i in range(40))
    (class_of_40 / "book.csv").write_text("Student,ID,SIS User ID,Section,Quiz (77)\n" + people)
    line = ("grade", "rankings.csv", "--roster", "roster.csv", "--rule", "borda", "--marks", "percentile")
    line += ("--gradebook", "book.csv", "--gradebook-column", "Quiz")
    assert "column Quiz (77): 40 cells have other marks already" in refused(*line)
    assert not (class_of_40 / "book-filled.csv").exists()
    result = peerorder(*line, "--force")
    assert (result.code, "40 existing marks in Quiz were replaced" in " ".join(result.out.split())) == (0, True)


def test_an_input_is_never_overwritten(refused, class_of_40):
    before = (class_of_40 / "rankings.csv").read_bytes()
    assert "--out would overwrite the input" in refused("grade", "rankings.csv", "--out", "rankings.csv")
    assert (class_of_40 / "rankings.csv").read_bytes() == before


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--marks", "stars"), "stars"),
        (("--marks", "bands:A=10"), "100"),
        (("--review-weights", "kind=3"), "review weights"),
        (("--rule", "bordo"), "borda"),
        (("--staff-weight", 0), "1 or more"),
    ],
)
def test_choices_that_cannot_be(refused, class_of_40, options, message):
    assert message in refused("grade", "rankings.csv", *options)
    assert not (class_of_40 / "grades.csv").exists()


def test_more_rankings_in_another_file_count_too(peerorder, class_of_40):
    (class_of_40 / "more.csv").write_text("grader,paper,rank\ns00,s31,1\ns00,s30,2\n")
    result = peerorder("grade", "rankings.csv", "more.csv", "--rule", "borda")
    assert "from the rankings of 40 graders" in result.out
    assert sum(int(row["rankings"]) for row in rows(class_of_40 / "grades.csv")) == 322
    assert peerorder("grade", "rankings.csv", "more.csv", "--verify", "grades.csv").code == 0
    assert "more.csv" in peerorder("grade", "rankings.csv", "--verify", "grades.csv").out


def test_a_paper_that_nobody_ranked_has_no_mark_anywhere(peerorder, class_of_40):
    line = ("grade", "rankings.csv", "--roster", "roster.csv", "--rule", "borda", "--marks", "percentile")
    result = peerorder(*line, "--students", "marks.csv")
    said = " ".join(result.out.split())
    assert "s40 has no mark, because nobody compared it" in said
    assert "--unranked" in said
    marks = {row["student"]: row["mark"] for row in rows(class_of_40 / "marks.csv")}
    assert [student for student, mark in marks.items() if not mark] == ["s40"]
    assert [row["paper"] for row in rows(class_of_40 / "grades.csv") if not row["mark"]] == ["s40"]
    assert peerorder(*line, "--students", "marks.csv", "--unranked", 55).code == 0
    assert {row["student"]: row["mark"] for row in rows(class_of_40 / "marks.csv")}["s40"] == "55"
    assert peerorder("grade", "rankings.csv", "--roster", "roster.csv", "--verify", "marks.csv").code == 0


def test_verify_names_a_default_that_changed_and_the_option_for_it(peerorder, class_of_40):
    line = ("grade", "rankings.csv", "--roster", "roster.csv")
    peerorder(*line, "--rule", "borda", "--marks", "percentile", "--unranked", "place")
    about = class_of_40 / "grades.csv.provenance.json"
    said = json.loads(about.read_text())
    new = ("unranked", "smooth_anchors", "anchors_points", "upside_down", "ties", "best_tenth")
    settings = {name: value for name, value in said["settings"].items() if name not in new}
    about.write_text(json.dumps({**said, "settings": settings, "version": "0.3.0"}))
    places = class_of_40 / "grades.csv"
    header, *lines = places.read_text().splitlines()
    places.write_text("\n".join([header, *(f"{at},{row.split(',', 1)[1]}" for at, row in enumerate(lines, 1))]) + "\n")
    result = peerorder(*line, "--verify", "grades.csv")
    assert result.code == 0, result.err
    assert "Verified." in result.out
    assert "default of peerorder 0.3.0" in result.out
    assert "--unranked place" in result.out


def test_half_a_class_upside_down_is_pointed_out_with_the_cure(peerorder, class_of_40):
    header, *lines = (class_of_40 / "rankings.csv").read_text().splitlines()
    said = [line.split(",") for line in lines]
    assert "--upside-down" not in peerorder("grade", "rankings.csv").out
    # 5 of 40 are upside down already, and now 15.
    more = [f"{g},{p},{9 - int(r) if int(g[1:]) % 8 in (0, 1) else r}" for g, p, r in said]
    (class_of_40 / "most.csv").write_text("\n".join([header, *more]) + "\n")
    result = peerorder("grade", "most.csv", "--report", "report.html")
    warning = "15 of 40 graders contradict the order"
    assert warning in " ".join(result.out.split())
    assert warning in (class_of_40 / "report.html").read_text()
    first = rows(class_of_40 / "grades.csv")[0]["paper"]
    assert first in ("s00", "s01", "s02")
    result = peerorder("grade", "most.csv", "--upside-down")
    assert result.code == 0
    assert rows(class_of_40 / "grades.csv")[-1]["paper"] in ("s00", "s01", "s02")
    assert peerorder("grade", "most.csv", "--verify", "grades.csv").code == 0


def test_the_same_places_in_the_terminal_the_file_and_the_report(peerorder, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = "grader,paper,rank\nx,A,1\nx,B,2\nx,C,3\ny,A,1\ny,C,2\ny,B,3\nz,C,1\nz,D,2\nz,B,1\n"
    (tmp_path / "r.csv").write_text(text)
    line = ("grade", "r.csv", "--rule", "borda", "--marks", "percentile")
    result = peerorder(*line, "--out", "grades.csv", "--report", "report.html", "--explain", "B")
    assert [row["place"] for row in rows(tmp_path / "grades.csv")] == ["1", "2", "2", "4"]
    assert result.out.count("2=") == 2
    assert (tmp_path / "report.html").read_text().count(">2=<") == 2
    assert "B. Mark 50.0, by the scale percentile. Place 2 of 4, shared with 1 other paper." in result.out


def test_an_explanation_begins_with_the_mark_and_says_where_it_came_from(peerorder, class_of_40):
    (class_of_40 / "anchors.csv").write_text("paper,mark\ns02,45\ns13,37.5\ns37,20\n")
    (class_of_40 / "handout.csv").write_text(
        "grader,paper\n"
        + "".join(f"{row['grader']},{row['paper']}\n" for row in rows(class_of_40 / "rankings.csv"))
        + "s40,s01\ns40,s02\n"
    )
    files = ("rankings.csv", "--roster", "roster.csv", "--handout", "handout.csv", "--anchors", "anchors.csv")
    asked = ("--anchors-points", 50, "--penalty", 5, "--unranked", 30)
    told = peerorder("grade", *files, *asked, "--explain", "s02", "--explain", "s19", "--explain", "s40", "--json")
    staff, curve, unranked = json.loads(told.out)["explained"]
    assert (staff["mark"], staff["mark_range"], staff["mark_source"]) == ("45.0", None, "given by staff")
    low, high = map(float, curve["mark_range"])
    assert low < float(curve["mark"]) < high
    assert "curve through 3 papers" in curve["mark_source"]
    assert unranked["mark"] == "30.0"
    assert unranked["penalised"] == [["s40", "25.0", "5.0"]]
    from peerorder.reports.instructor import Explanation, in_words

    fields = {**unranked, "votes": (), "own": ()}
    assert " ".join(in_words(Explanation(**fields))).startswith(
        "Mark 30.0, the mark chosen for papers that nobody ranked."
    )


def test_marks_out_of_fifty_come_into_a_gradebook_as_staff_typed_them(peerorder, class_of_40):
    (class_of_40 / "anchors.csv").write_text("paper,mark\ns02,46.5\ns13,37.5\ns37,20\n")
    people = "".join(f'"Doe, J{i}",{i},s{i:02d},,\n' for i in range(40))
    for points, factor in ((50, 1), (10, 0.2)):
        header = f"Student,ID,SIS User ID,Section,Essay (77)\n    Points Possible,,,,{points}\n"
        (class_of_40 / "export.csv").write_text(header + people)
        line = ("grade", "rankings.csv", "--roster", "roster.csv", "--anchors", "anchors.csv", "--anchors-points", 50)
        result = peerorder(*line, "--gradebook", "export.csv", "--gradebook-out", f"filled-{points}.csv")
        assert result.code == 0, result.err
        filled = {row["SIS User ID"]: row["Essay (77)"] for row in rows(class_of_40 / f"filled-{points}.csv")}
        assert float(filled["s02"]) == pytest.approx(46.5 * factor)
        assert max(float(mark) for mark in filled.values() if mark) <= points


@pytest.mark.parametrize(
    ("option", "wrong"),
    [
        *(("--gradebook-points", wrong) for wrong in ("nan", "inf", "-3", "0")),
        *(("--anchors-points", wrong) for wrong in ("nan", "0")),
        *((option, wrong) for option in ("--absent", "--penalty") for wrong in ("nan", "-inf")),
    ],
)
def test_what_is_no_number_goes_into_no_mark(peerorder, class_of_40, option, wrong):
    result = peerorder("grade", "rankings.csv", "--rule", "borda", option, wrong)
    assert (result.code, len(result.err.splitlines())) == (2, 1)
    assert f"{option} is {wrong}; write a number" in result.err
    assert not (class_of_40 / "grades.csv").exists()


def test_what_is_not_read_in_a_folder_is_named_and_grades_may_be_written_there(peerorder, class_of_40):
    returned = class_of_40 / "returned"
    (returned / "late").mkdir(parents=True)
    (class_of_40 / "rankings.csv").rename(returned / "rankings.csv")
    (returned / "s40.numbers").write_text("")
    line = ("grade", "returned", "--rule", "borda", "--out", "returned/grades.csv", "--json")
    first, again = peerorder(*line), peerorder(*line)
    assert (first.code, again.code) == (0, 0), again.err
    notes = [json.loads(result.out)["notes"][0] for result in (first, again)]
    assert notes[0].startswith("returned: not read: late/, s40.numbers;")
    assert notes[1].startswith("returned: not read: late/, grades.csv (which grade wrote), s40.numbers;")
    for command in ("anchors", "compare"):
        rules = ("--rule", "borda", *(("--rule", "copeland") if command == "compare" else ()))
        assert json.loads(peerorder(command, "returned", *rules, "--json").out)["notes"][0] == notes[1]
