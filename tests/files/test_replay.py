import json
import re

import pytest

from peerorder import RULES, InputError
from peerorder.files.formats.output import write_table
from peerorder.files.formats.writing import write_provenance
from peerorder.files.replay import load_replay
from peerorder.files.rounds import provenance_for, read_round
from peerorder.rounds.changed_defaults import CHANGES
from peerorder.rounds.grading import grade
from peerorder.rounds.settings import GradeSettings

RANKINGS = "grader,paper,rank\n" + "".join(
    f"g{g},p{paper},{rank}\n" for g in range(6) for rank, paper in enumerate([(g + d) % 6 for d in (1, 2, 4)], 1)
)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "rankings.csv").write_text(RANKINGS)
    (tmp_path / "roster.csv").write_text("student,paper\n" + "".join(f"g{g},p{g}\n" for g in range(6)))
    return tmp_path


SEEDED = GradeSettings(seed=5)


def kept(folder, suffix="csv", settings=SEEDED):
    path = folder / f"grades.{suffix}"
    graded = grade(read_round(folder / "rankings.csv", roster=folder / "roster.csv"), settings)
    write_table(path, graded.grades())
    write_provenance(path, graded.provenance)
    return path


@pytest.mark.parametrize("suffix", ["csv", "xlsx", "parquet"])
def test_what_was_written_is_found_again(folder, suffix):
    replay = load_replay(kept(folder, suffix), {})
    assert replay.differences() == []
    assert replay.settings == GradeSettings(seed=5)
    assert "seed 5" in replay.in_words


def test_every_change_is_found(folder):
    path = kept(folder)
    rows = path.read_text().splitlines()
    rows[1], rows[2] = ("1," + rows[2].split(",", 1)[1]), ("2," + rows[1].split(",", 1)[1])
    path.write_text("\n".join(rows) + "\n")
    assert any("row 2, column paper" in str(said) for said in load_replay(path, {}).differences())
    path.write_text("\n".join(rows[:-1]) + "\n")
    assert [*map(str, load_replay(path, {}).differences())] == ["it has 5 rows, but should have 6"]
    path.write_text("\n".join(",".join(row.split(",")[:-1]) for row in rows) + "\n")
    assert "the column mark is missing" in [*map(str, load_replay(path, {}).differences())]


def test_settings_that_were_changed_give_another_order(folder):
    path = kept(folder, settings=GradeSettings("borda", seed=5))
    about = path.with_name("grades.csv.provenance.json")
    said = json.loads(about.read_text())
    said["settings"]["seed"] = 6
    about.write_text(json.dumps(said))
    assert load_replay(path, {}).differences()


def test_the_files_must_be_those_it_was_made_from(folder):
    path = kept(folder)
    (folder / "elsewhere").mkdir()
    moved = (folder / "rankings.csv").rename(folder / "elsewhere" / "other.csv")
    with pytest.raises(InputError, match=r"not found, but .* was made from it; name the file, or its folder$"):
        load_replay(path, {})
    assert load_replay(path, {"rankings": moved, "codes": None}).differences() == []
    with pytest.raises(InputError, match="made without"):
        load_replay(path, {"rankings": moved, "codes": moved})
    moved.write_text(RANKINGS.replace("g1,p2,1", "g1,p2,3"))
    with pytest.raises(InputError, match="SHA-256"):
        load_replay(path, {"rankings": moved})


def test_files_may_be_given_in_any_order(folder):
    (folder / "more").mkdir()
    for name, at in (("a", 1), ("b", 2)):
        (folder / "more" / f"{name}.csv").write_text(f"grader,paper,rank\nh{at},p{at},1\nh{at},p{at + 2},2\n")
    paths = [folder / "rankings.csv", folder / "more" / "a.csv", folder / "more" / "b.csv"]
    graded = grade(read_round(paths), SEEDED)
    write_table(folder / "g.csv", graded.grades())
    write_provenance(folder / "g.csv", graded.provenance)
    replay = load_replay(folder / "g.csv", {"rankings": paths[::-1]})
    assert [*replay.files.values()] == paths
    assert (replay.differences(), replay.beside) == ([], ())
    assert load_replay(folder / "g.csv", {"rankings": paths[1:]}).beside == (paths[0],)
    with pytest.raises(InputError, match=r"a\.csv: not found, but"):
        load_replay(folder / "g.csv", {"rankings": [paths[0], paths[2]]})
    paths[1].write_text("grader,paper,rank\nh1,p1,2\nh1,p3,1\n")
    with pytest.raises(InputError, match=r"a\.csv is not the file"):
        load_replay(folder / "g.csv", {"rankings": paths})


@pytest.mark.parametrize("text", [None, "", "{}", "[]", '{"command": "simulate"}', "\x00"])
def test_without_its_provenance_nothing_can_be_said(folder, text):
    path = kept(folder)
    about = path.with_name("grades.csv.provenance.json")
    about.unlink()
    if text is not None:
        about.write_text(text)
    with pytest.raises(InputError, match=r"not known|not the provenance"):
        load_replay(path, {})


# What the provenance of 0.3.0 has.
OLD = ("rule", "seed", "staff_weight", "lenient", "marks", "review", "penalty", "absent")


def as_of_030(folder, table="grades", by_staff=range(6), more="", **settings):
    """A file that 0.3.0 wrote: p6 is ranked by nobody; all others tie where staff rank nothing."""
    before = {change.setting: change.before for change in CHANGES}
    anchors = folder / "anchors.csv"
    (folder / "roster.csv").write_text(
        "student,paper,role\n" + "".join(f"g{g},p{g},\n" for g in range(7)) + "staff,,staff\n"
    )
    (folder / "rankings.csv").write_text(
        RANKINGS + "".join(f"staff,p{paper},{paper + 1}\n" for paper in by_staff) + more
    )
    read = read_round(
        folder / "rankings.csv", roster=folder / "roster.csv", anchors=anchors if anchors.exists() else None
    )
    # Not posterior: its results have changed, and its older files are refused.
    graded = grade(read, GradeSettings(**{**before, "rule": "mixture", **settings}))
    path = folder / f"{table}.csv"
    write_table(path, getattr(graded, table)())
    about = {**graded.provenance, "version": "0.3.0", "table": table}
    about["settings"] = {name: about["settings"][name] for name in OLD}
    write_provenance(path, about)
    return path


def test_what_an_older_version_wrote_is_found_again_by_its_defaults(folder):
    replay = load_replay(as_of_030(folder, by_staff=(), rule="copeland", marks="percentile"), {})
    assert replay.differences() == []
    assert {change.setting for change in replay.changes} == {"unranked", "ties"}
    replay = load_replay(as_of_030(folder, "students", marks="percentile"), {})
    assert replay.differences() == []
    assert {change.setting for change in replay.changes} == {"unranked", "best_tenth"}
    (folder / "anchors.csv").write_text("paper,mark\np0,60\np3,70\np5,20\n")
    replay = load_replay(as_of_030(folder), {})
    assert replay.differences() == []
    assert {change.setting for change in replay.changes} == {"unranked", "smooth_anchors"}


@pytest.mark.parametrize("table", ["graders", "students"])
def test_tied_ballots_of_an_older_file_count_as_they_did(folder, table):
    tied = "".join(f"g6,p{paper},1\n" for paper in range(3)) + "staff,p5,1\nstaff,p6,1\n"
    replay = load_replay(as_of_030(folder, table, by_staff=(), more=tied, marks="percentile"), {})
    assert replay.differences() == []
    assert "tied" in {change.setting for change in replay.changes}


def test_an_older_file_of_tied_ballots_alone_is_found_again(folder):
    (folder / "rankings.csv").write_text("grader,paper,rank\na,x,1\na,y,1\nb,y,1\nb,z,1\n")
    graded = grade(read_round(folder / "rankings.csv"), GradeSettings(tied="count"))
    write_table(folder / "grades.csv", graded.grades())
    write_provenance(folder / "grades.csv", graded.provenance)
    assert load_replay(folder / "grades.csv", {}).differences() == []


def test_defaults_that_changed_are_not_mentioned_where_they_change_nothing(folder):
    replay = load_replay(as_of_030(folder, "graders"), {})
    assert replay.differences() == []
    assert replay.changes == []
    assert load_replay(kept(folder), {}).changes == []


def test_a_difference_names_the_version_that_wrote_the_file(folder):
    path = as_of_030(folder)
    path.write_text(path.read_text().replace("p6", "p7"))
    replay = load_replay(path, {})
    assert replay.differences()
    assert "0.3.0" in replay.version_in_words
    assert "another way" not in replay.version_in_words
    about = path.with_name("grades.csv.provenance.json")
    about.write_text(about.read_text().replace(replay.profile, "0" * 32))
    assert "differently" in load_replay(path, {}).version_in_words


def test_a_file_of_a_rule_that_changed_since_is_refused_with_its_version(folder):
    since = re.escape(RULES["posterior"].changed)
    message = rf"made by peerorder 0\.3\.0, and .* posterior changed in {since}; .* 0\.3\.0$"
    with pytest.raises(InputError, match=message):
        load_replay(as_of_030(folder, rule="posterior"), {})


def test_settings_of_a_later_version_are_not_passed_over(folder):
    path = kept(folder)
    about = path.with_name("grades.csv.provenance.json")
    said = json.loads(about.read_text())
    about.write_text(json.dumps({**said, "version": "9.0", "settings": {**said["settings"], "moon": "full"}}))
    with pytest.raises(InputError, match=r"9\.0"):
        load_replay(path, {})


def test_inputs_are_found_in_the_folders_where_they_were(folder):
    """And many of them are told by their folder."""
    (folder / "returned").mkdir()
    for g in range(6):
        rows = [row for row in RANKINGS.splitlines() if row.startswith(f"g{g},")]
        (folder / "returned" / f"form-{g}.csv").write_text("grader,paper,rank\n" + "\n".join(rows) + "\n")
    (folder / "results").mkdir()
    path = folder / "results" / "grades.csv"
    graded = grade(
        read_round(sorted((folder / "returned").iterdir()), roster=folder / "roster.csv"), GradeSettings("borda")
    )
    write_table(path, graded.grades())
    write_provenance(path, provenance_for(graded, path))
    replay = load_replay(path, {})
    assert replay.differences() == []
    assert "6 files in " in replay.in_words
    assert "form-0" not in replay.in_words
    # The whole folder may have moved.
    moved = folder.rename(folder.with_name("elsewhere"))
    assert load_replay(moved / "results" / "grades.csv", {}).differences() == []
    (moved / "returned").rename(moved / "gone")
    with pytest.raises(InputError, match=r"not found, but .* was made from it; name the file, or its folder$"):
        load_replay(moved / "results" / "grades.csv", {})
