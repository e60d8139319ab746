"""Many courses by one command, as a column and as folders."""

import csv
import json
import os
import shutil

import numpy as np
import pytest

from peerorder.files.courses import grading
from peerorder.noise import NOISES
from peerorder.schemes import SCHEMES, hand_out

SIZES = {"Algebra": 14, "Logic": 20, "Sets": 8}


def rankings(course, n, k=4):
    rng = np.random.default_rng([*course.encode()])
    bundles = SCHEMES["random"].build(n, k, rng)
    of = hand_out(bundles, np.arange(n), rng)
    profile = NOISES.parse("condorcet:level=20").draw(bundles, np.arange(n), rng, bundle_of=of)
    return [
        [f"s{grader}", f"s{paper}", str(rank)]
        for grader, ballot in zip(profile.grader.tolist(), profile, strict=True)
        for rank, paper in enumerate(np.asarray(ballot).tolist(), 1)
    ]


def write(path, header, rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="") as stream:
        csv.writer(stream, lineterminator="\n").writerows([header, *rows])


def read(path):
    with path.open(encoding="utf-8-sig", newline="") as stream:
        return list(csv.DictReader(stream))


def files(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def courses(tmp_path, monkeypatch):
    """Courses in folders, and all in one file, their rows mixed; alone, each is in a file without a column course."""
    monkeypatch.chdir(tmp_path)
    every = {course: rankings(course, n) for course, n in SIZES.items()}
    for course, rows in every.items():
        write(tmp_path / "courses" / course / "rankings.csv", ["grader", "paper", "rank"], rows)
    longest = max(map(len, every.values()))
    mixed = [[course, *rows[i]] for i in range(longest) for course, rows in every.items() if i < len(rows)]
    write(tmp_path / "all.csv", ["Course", "grader", "paper", "rank"], mixed)
    return tmp_path


def spoil(courses):
    """Let somebody in Logic rank their own paper; return the row in the file of all courses."""
    path = courses / "courses/Logic/rankings.csv"
    lines = path.read_text().splitlines()
    own = f"{lines[1].split(',')[0]},{lines[1].split(',')[0]},1"
    path.write_text("\n".join([lines[0], own, *lines[2:]]) + "\n")
    every = (courses / "all.csv").read_text().splitlines()
    index = every.index(f"Logic,{lines[1]}")
    every[index] = f"Logic,{own}"
    (courses / "all.csv").write_text("\n".join(every) + "\n")
    return index + 1


@pytest.mark.parametrize("source", ["courses", "all.csv"])
def test_every_course_gets_the_bytes_of_grade_alone(peerorder, courses, source):
    line = ("--rule", "borda", "--graders", "graders.csv")
    result = peerorder("grade", source, "--by-course", "--out", "out", "--workers", 1, *line)
    assert result.code == 0, result.err
    for course in SIZES:
        alone = courses / "alone"
        path = f"courses/{course}/rankings.csv"
        assert peerorder("grade", path, "--rule", "borda", "--out", alone / "grades.csv").code == 0
        assert (courses / "out" / course / "grades.csv").read_bytes() == (alone / "grades.csv").read_bytes()
        assert len(read(courses / "out" / course / "graders.csv")) == SIZES[course]
    rows = read(courses / "out/summary.csv")
    assert [(row["course"], row["status"], int(row["papers"])) for row in rows] == [
        (course, "graded", n) for course, n in SIZES.items()
    ]
    assert {path.name for path in (courses / "out").iterdir()} == {
        *SIZES,
        *("summary.csv", "summary.csv.provenance.json"),
    }


@pytest.mark.parametrize("source", ["courses", "all.csv"])
def test_every_course_can_be_verified(peerorder, refused, courses, source):
    assert peerorder("grade", source, "--by-course", "--rule", "borda", "--workers", 1).code == 0
    kept = courses / "grades/Logic/grades.csv"
    assert peerorder("grade", "--verify", kept).code == 0
    kept.write_text(kept.read_text().replace("1,s", "2,s", 1))
    refused("grade", "--verify", kept)
    assert json.loads((courses / "grades/Sets/grades.csv.provenance.json").read_text())["inputs"]["rankings"].get(
        "course"
    ) == (None if source == "courses" else "Sets")


@pytest.mark.slow
@pytest.mark.parametrize("source", ["courses", "all.csv"])
def test_the_number_of_workers_changes_no_byte(peerorder, courses, source):
    spoil(courses)
    for workers in (1, 2):
        result = peerorder("grade", source, "--by-course", "--out", f"out{workers}", "--workers", workers)
        assert result.code == 3, result.err
    assert files(courses / "out1") == files(courses / "out2")
    rows = {row["course"]: row for row in read(courses / "out1/summary.csv")}
    assert float(rows["Sets"]["mean_width"]) > 1
    assert rows["Sets"]["flagged"].isdigit()


@pytest.mark.parametrize("source", ["courses", "all.csv"])
def test_a_broken_course_is_reported_and_the_others_are_written(peerorder, courses, source):
    row = spoil(courses)
    result = peerorder("grade", source, "--by-course", "--rule", "borda", "--workers", 1)
    assert result.code == 3
    where = f"all.csv, row {row}, column paper" if source == "all.csv" else "Logic/rankings.csv, row 2, column paper"
    (line,) = [line for line in result.err.splitlines() if line.startswith("Logic: ")]
    assert where in line
    assert {path.name for path in (courses / "grades").iterdir() if path.is_dir()} == {*SIZES} - {"Logic"}
    rows = {row["course"]: row for row in read(courses / "grades/summary.csv")}
    assert {course: row["status"] for course, row in rows.items()} == {
        "Algebra": "graded",
        "Logic": "failed",
        "Sets": "graded",
    }
    assert where in rows["Logic"]["problem"]
    again = peerorder("grade", source, "--by-course", "--rule", "borda", "--workers", 1, "--json")
    assert again.code == 3
    found = {row["course"]: row for row in json.loads(again.out)["courses"]}
    assert found["Logic"]["problems"] == [rows["Logic"]["problem"]]
    assert found["Sets"]["papers"] == SIZES["Sets"]


def test_where_every_course_is_broken_nothing_is_written(peerorder, courses):
    for course in SIZES:
        (courses / "courses" / course / "rankings.csv").write_text("grader,paper,rank\n")
    result = peerorder("grade", "courses", "--by-course", "--rule", "borda", "--workers", 1)
    assert result.code == 2
    assert [line.split(":")[0] for line in result.err.splitlines()[1:]] == [*SIZES]
    assert files(courses / "grades") == {}


def test_skipped_rows_are_counted(peerorder, courses):
    spoil(courses)
    result = peerorder("grade", "courses", "--by-course", "--rule", "borda", "--workers", 1, "--lenient")
    assert result.code == 3
    assert [row["skipped"] for row in read(courses / "grades/summary.csv")] == ["0", "1", "0"]


def test_tables_beside_the_folders_of_courses_are_not_read(peerorder, courses):
    shutil.copy("all.csv", "courses/all.csv")
    result = peerorder("grade", "courses", "--by-course", "--rule", "borda", "--workers", 1)
    assert result.code == 0
    assert "courses: not read: all.csv" in result.out
    assert len(read(courses / "grades/summary.csv")) == len(SIZES)


def test_without_the_flag_a_column_course_is_ignored(peerorder, courses):
    (courses / "one.csv").write_text("course,grader,paper,rank\na,x,p,1\na,x,q,2\nb,y,p,1\nb,y,q,2\n")
    assert peerorder("grade", "one.csv", "--rule", "borda", "--out", "one-grades.csv").code == 0
    assert len(read(courses / "one-grades.csv")) == 2


def test_files_of_a_course_are_found_by_their_names(peerorder, courses):
    folder = courses / "courses/Sets"
    write(folder / "Roster.csv", ["student"], [[f"s{number}"] for number in range(9)])
    shutil.move(folder / "rankings.csv", folder / "answers.csv")
    line = ("grade", "courses", "--by-course", "--rule", "borda", "--marks", "percentile", "--workers", 1)
    result = peerorder(*line, "--students", "students.csv")
    # The others have no roster.
    assert result.code == 3
    assert [row["status"] for row in read(courses / "grades/summary.csv")] == ["failed", "failed", "graded"]
    assert len(read(courses / "grades/Sets/students.csv")) == 9
    assert peerorder("grade", "--verify", courses / "grades/Sets/students.csv").code == 0


def test_a_folder_without_rankings_is_a_broken_course(peerorder, courses):
    write(courses / "courses/New/roster.csv", ["student"], [["a"]])
    (courses / "courses/Nothing").mkdir()
    assert peerorder("grade", "courses", "--by-course", "--rule", "borda", "--workers", 1).code == 3
    status = {row["course"]: row["status"] for row in read(courses / "grades/summary.csv")}
    assert status == {**dict.fromkeys(SIZES, "graded"), "New": "failed", "Nothing": "failed"}


def test_other_files_are_split_by_course_too(peerorder, courses):
    roster = [[f"s{number}", course] for course, n in SIZES.items() if course != "Logic" for number in range(n + 1)]
    write(courses / "roster.csv", ["student", "course"], roster)
    write(
        courses / "overrides.csv",
        ["course", "student", "decision", "value", "reason"],
        [["Sets", "s1", "mark", "12.5", "oral exam"]],
    )
    line = ("grade", "all.csv", "--by-course", "--rule", "borda", "--marks", "percentile", "--workers", 1)
    result = peerorder(*line, "--roster", "roster.csv", "--overrides", "overrides.csv", "--students", "students.csv")
    assert result.code == 3
    rows = read(courses / "grades/summary.csv")
    assert [(row["status"], row["papers"]) for row in rows] == [("graded", "15"), ("failed", ""), ("graded", "9")]
    assert {row["student"]: row["mark"] for row in read(courses / "grades/Sets/students.csv")}["s1"] == "12.5"
    assert peerorder("grade", "--verify", courses / "grades/Sets/students.csv").code == 0


def test_hostile_names_stay_in_the_folder(peerorder, courses):
    names = ["../x", "/", ".", "sets", "Sets", "x" * 300, "=1+1", "summary.csv"]
    rows = [[name, *row] for name in names for row in rankings("Sets", 8)]
    write(courses / "in/all.csv", ["course", "grader", "paper", "rank"], rows)
    before = {path for path in courses.rglob("*") if "out" not in path.parts}
    result = peerorder("grade", "in/all.csv", "--by-course", "--out", "out", "--rule", "borda", "--workers", 1)
    assert result.code == 0, result.err
    assert {path for path in courses.rglob("*") if "out" not in path.relative_to(courses).parts} == before
    found = read(courses / "out/summary.csv")
    assert [row["course"].removeprefix("'") for row in found] == names
    folders = [row["folder"] for row in found]
    assert len({folder.casefold() for folder in folders}) == len(names)
    assert all((courses / "out" / folder / "grades.csv").is_file() for folder in folders)


def test_workbooks_and_parquet_name_their_own_rows(peerorder, courses):
    xlsxwriter = pytest.importorskip("xlsxwriter")
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    rows = [["Sets", *row, "seen"] for row in rankings("Sets", 8)] + [
        ["Bad", "a", "a", "1", ""],
        ["Bad", "a", "b", "2", ""],
    ]
    names = ["course", "grader", "paper", "rank", "remark"]
    pq.write_table(pa.table({name: [row[i] for row in rows] for i, name in enumerate(names)}), "all.parquet")
    with xlsxwriter.Workbook("all.xlsx") as book:
        sheet = book.add_worksheet()
        for index, row in enumerate([names, *rows]):
            sheet.write_row(index, 0, row)
        # In a column that nobody reads, and in one of a broken course.
        date = book.add_format({"num_format": "yyyy-mm-dd"})
        sheet.write_number(1, 4, 45000, date)
        sheet.write_number(len(rows), 3, 45000, date)
    for name, expected in (("all.parquet", {len(rows) - 1}), ("all.xlsx", {len(rows), len(rows) + 1})):
        result = peerorder("grade", name, "--by-course", "--out", f"out-{name}", "--rule", "borda", "--workers", 1)
        assert result.code == 3, result.err
        said = [line for line in result.err.splitlines() if line.startswith("Bad: ")]
        assert {int(line.split("row ")[1].split(",")[0]) for line in said} == expected
        assert (courses / f"out-{name}/Sets/grades.csv").is_file()


def test_rows_of_no_course_stop_everything(peerorder, courses):
    path = courses / "all.csv"
    path.write_text(path.read_text() + ",s0,s1,1\nSets,s0,s1,1,more\n")
    line = ("grade", "all.csv", "--by-course", "--rule", "borda", "--workers", 1)
    result = peerorder(*line)
    assert result.code == 2
    assert len(result.err.splitlines()) == 3
    assert not list((courses / "grades").iterdir())
    result = peerorder(*line, "--lenient")
    assert result.code == 3
    assert len(read(courses / "grades/summary.csv")) == len(SIZES)


def test_only_what_grade_wrote_is_overwritten(peerorder, courses):
    line = ("grade", "courses", "--by-course", "--rule", "borda", "--workers", 1)
    (courses / "grades/Sets").mkdir(parents=True)
    (courses / "grades/Sets/grades.csv").write_text("mine\n")
    (courses / "grades/Logic").write_text("mine\n")
    assert peerorder(*line).code == 3
    assert [row["status"] for row in read(courses / "grades/summary.csv")] == ["graded", "failed", "failed"]
    assert (courses / "grades/Sets/grades.csv").read_text() == (courses / "grades/Logic").read_text() == "mine\n"
    (courses / "grades/Sets/grades.csv").unlink()
    (courses / "grades/Logic").unlink()
    (courses / "grades/Sets/remarks.txt").write_text("mine\n")
    assert peerorder(*line).code == 0
    assert peerorder(*line, "--seed", 1).code == 0
    assert (courses / "grades/Sets/remarks.txt").read_text() == "mine\n"
    (courses / "grades/summary.csv").write_text("mine\n")
    (courses / "grades/summary.csv.provenance.json").unlink()
    assert peerorder(*line).code == 2


@pytest.mark.parametrize(
    "arguments",
    [
        ("--report", "report.html"),
        ("--explain", "s1"),
        ("--verify", "grades.csv"),
        ("--gradebook", "book.csv"),
        ("--roster", "roster.csv"),
        ("--graders", "elsewhere/graders.csv"),
        ("--graders", "grades.csv"),
        ("--graders", "graders.html"),
        ("--out", "courses"),
        ("--out", "courses/grades"),
        ("--out", "all.csv"),
        ("--rule", "nothing"),
        ("--marks", "nothing"),
        ("--workers", "0"),
    ],
)
def test_what_does_not_go_together_is_refused(refused, courses, arguments):
    refused("grade", "courses", "--by-course", *arguments)


def test_other_bad_input_is_one_line(refused, courses):
    refused("grade", "--by-course")
    refused("grade", "nowhere", "--by-course")
    refused("grade", "courses/Sets", "--by-course")
    (courses / "empty.csv").write_text("course,grader,paper,rank\n")
    refused("grade", "empty.csv", "--by-course")


@pytest.mark.slow
def test_a_worker_that_dies_is_a_failure_of_its_course_alone(peerorder, courses, monkeypatch):
    # Workers are fresh processes, and end as soon as they open this file.
    (courses / "courses/Logic/rankings.csv").rename(courses / "courses/Logic/poison.csv")
    (courses / "sitecustomize.py").write_text(
        "import os, sys\n"
        "sys.addaudithook(lambda event, args: event == 'open' and 'poison.csv' in str(args[0]) and os._exit(9))\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(courses), prepend=os.pathsep)
    result = peerorder("grade", "courses", "--by-course", "--rule", "borda", "--workers", 2)
    assert result.code == 3, result.err
    assert [row["status"] for row in read(courses / "grades/summary.csv")] == ["graded", "failed", "graded"]


def test_a_bug_or_a_full_disk_is_a_failure_of_its_course_alone(peerorder, courses, monkeypatch):
    for error in (MemoryError(), OSError(28, "No space left on device"), ZeroDivisionError("bug")):

        def write_table(path, *_, error=error):
            if path.parent.name.startswith("Sets"):
                raise error
            path.write_text("")

        monkeypatch.setattr(grading, "write_table", write_table)
        out = f"out-{type(error).__name__}"
        result = peerorder("grade", "courses", "--by-course", "--out", out, "--rule", "borda", "--workers", 1)
        assert result.code == 3, result.err
        assert not (courses / out / "Sets").exists()
        assert [row["status"] for row in read(courses / out / "summary.csv")] == ["graded", "graded", "failed"]
