"""A first hand-out: who ranks what, codes and what is said about it."""

import json
import re
from collections import Counter

import pytest

from peerorder.files import read_codes, read_handout, read_sheet
from tests.cli.assign.common import REGULAR, assert_legal, handed, hang_together, plain, rows


@pytest.mark.parametrize("kind", ["xlsx", "csv"])
def test_one_form_a_grader(peerorder, folder, kind):
    options = ("-k", 4, "--out", "handout.csv", "--letters", "letters.csv", "--forms", "forms", "--form-type", kind)
    result = peerorder("assign", "roster.csv", *options)
    assert result.code == 0, result.err
    assert not (folder / "letters-form.csv").exists()
    # Everything that was written is named, and nothing else.
    before = {"roster.csv"}
    named = plain(result.out).rpartition("Wrote ")[2].removesuffix(".").replace(" and ", ", ").split(", ")
    assert {*named} == {path.name for path in folder.iterdir()} - before
    letters, handout = rows(folder / "letters.csv"), rows(folder / "handout.csv")
    assert sorted(path.name for path in (folder / "forms").iterdir()) == sorted(row["form"] for row in letters)
    for letter in letters:
        form = read_sheet(folder / "forms" / letter["form"])
        given = [row["paper"] for row in handout if row["grader"] == letter["grader"]]
        assert form["grader"].tolist() == [letter["grader"]] * 4
        assert form["paper"].tolist() == given
        assert form["rank"].tolist() == [""] * 4


def test_no_folder_is_left_where_something_is_wrong(refused, folder):
    refused("assign", "roster.csv", "-k", 4, "--out", "handout.csv", "--forms", "forms", "--conflicts", "none.csv")
    assert not (folder / "forms").exists()


def test_forms_of_another_draw_are_not_mixed_with_new_ones(peerorder, refused, folder):
    peerorder("assign", "roster.csv", "-k", 4, "--out", "handout.csv", "--forms", "forms")
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    said = refused("assign", "roster.csv", "-k", 4, "--out", "other.csv", "--forms", "forms")
    assert "--forms forms already exists and is not empty; give the name of a new folder" in said
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


def test_it_works(peerorder, folder):
    result = peerorder("assign", "roster.csv", "-k", 4, "--out", "handout.csv")
    assert result.code == 0, result.err
    assert "30 graders rank 4 papers each of 30; every paper has 4 graders." in result.out
    assert "Scheme: girth6, because everybody wrote one paper; no pair of papers shares two graders" in result.out
    assert "All papers are linked by comparisons. No two graders share more than one paper." in plain(result.out)
    assert [*rows(folder / "handout.csv")[0]] == ["grader", "paper"]
    pairs = handed(folder / "handout.csv", folder / "codes.csv")
    assert_legal(pairs, folder / "roster.csv")
    assert {*Counter(paper for _, paper in pairs).values()} == {*Counter(g for g, _ in pairs).values()} == {4}
    assert hang_together(pairs)
    assert {path.name for path in folder.iterdir()} == {
        "roster.csv",
        "handout.csv",
        "handout.csv.provenance.json",
        "codes.csv",
    }


def test_graders_see_codes_and_never_ids(peerorder, folder):
    peerorder("assign", "roster.csv", "-k", 4, "--out", "handout.csv", "--letters", "letters.csv")
    ids = {row["student"] for row in rows(folder / "roster.csv")}
    assert not ids & {row["paper"] for row in rows(folder / "handout.csv")}
    for name in ("letters.csv", "letters-form.csv"):
        for row in rows(folder / name):
            shown = re.split(", ", " , ".join(value for key, value in row.items() if key.startswith("paper")))
            assert not ids & {text.strip() for text in shown}


def test_without_codes(peerorder, folder):
    assert peerorder("assign", "roster.csv", "-k", 4, "--out", "handout.csv", "--no-codes").code == 0
    assert not (folder / "codes.csv").exists()
    assert_legal(handed(folder / "handout.csv"), folder / "roster.csv")


def test_codes_are_used_again(peerorder, folder):
    (folder / "mine.csv").write_text("paper,code\ns03,FIRST\ngone,AWAY\n")
    result = peerorder("assign", "roster.csv", "-k", 4, "--out", "handout.csv", "--codes", "mine.csv")
    assert "Note: mine.csv: 1 of its papers is not on the roster" in result.out
    assert len(read_codes(folder / "mine.csv")) == 31
    assert read_codes(folder / "mine.csv")["FIRST"] == "s03"
    assert read_codes(folder / "mine.csv")["AWAY"] == "gone"
    assert sum(row["paper"] == "FIRST" for row in rows(folder / "handout.csv")) == 4
    before = (folder / "mine.csv").read_bytes()
    peerorder("assign", "roster.csv", "-k", 3, "--out", "again.csv", "--codes", "mine.csv")
    assert (folder / "mine.csv").read_bytes() == before


def test_the_seed_is_secret_and_kept(peerorder, folder):
    for name in ("one.csv", "two.csv"):
        peerorder("assign", "roster.csv", "-k", 4, "--out", name, "--no-codes")
    assert (folder / "one.csv").read_bytes() != (folder / "two.csv").read_bytes()
    about = json.loads((folder / "one.csv.provenance.json").read_text())
    assert about["command"] == "assign"
    assert (about["k"], about["scheme"], about["inputs"]["roster"]["file"]) == (4, "girth6", "roster.csv")
    assert len(about["inputs"]["roster"]["sha256"]) == 64
    peerorder("assign", "roster.csv", "-k", 4, "--out", "again.csv", "--no-codes", "--seed", about["seed"])
    assert (folder / "one.csv").read_bytes() == (folder / "again.csv").read_bytes()


def test_the_same_seed_gives_the_same_codes(peerorder, folder):
    for name in ("one", "two"):
        peerorder("assign", "roster.csv", "-k", 4, "--out", f"{name}/h.csv", "--seed", 7)
    for name in ("h.csv", "codes.csv"):
        assert (folder / "one" / name).read_bytes() == (folder / "two" / name).read_bytes()


def test_teams_conflicts_staff_links_and_somebody_excused(peerorder, folder):
    lines = ["student,paper,link,role"]
    lines += [f"s{x:02d},p{x // 2},https://example.org/{x // 2}," for x in range(20)]
    lines += ["tea,,,staff", "ay,,,staff"]
    (folder / "roster.csv").write_text("\n".join(lines))
    conflicts = [("s00", "p3"), ("tea", "p1"), ("s05", "p9")]
    (folder / "no.csv").write_text("student,paper\n" + "".join(f"{s},{p}\n" for s, p in conflicts))
    options = ("--conflicts", "no.csv", "--excused", "s07", "--excused", "ay")
    result = peerorder("assign", "roster.csv", "-k", 3, "--out", "handout.csv", *options)
    assert result.code == 0, result.err
    assert "20 graders rank 3 papers each of 10; every paper has 6 graders." in result.out
    assert "1 grader has no paper of their own and ranks as many papers as the others." in result.out
    assert "Scheme: balanced, because 2 graders have no paper of their own" in result.out
    pairs = handed(folder / "handout.csv", folder / "codes.csv")
    assert_legal(pairs, folder / "roster.csv", conflicts)
    assert {*Counter(grader for grader, _ in pairs)} == {row.split(",")[0] for row in lines[1:]} - {"s07", "ay"}
    behind = read_codes(folder / "codes.csv")
    for row in rows(folder / "handout.csv"):
        assert row["link"] == f"https://example.org/{behind[row['paper']][1:]}"


def test_machines_get_everything(peerorder, folder):
    said = json.loads(
        peerorder("assign", "roster.csv", "-k", 4, "--out", "h.csv", "--json", "--scheme", "complete").out
    )
    assert (said["graders"], said["papers"], said["k"], said["scheme"], said["loads"]) == (
        30,
        30,
        4,
        "complete",
        [4, 4],
    )
    assert said["components"] == 7
    assert said["apart"]
    assert said["written"] == ["codes.csv", "h.csv"]
    assert said["seed"] == json.loads((folder / "h.csv.provenance.json").read_text())["seed"]


def test_the_seed_that_machines_get_is_drawn_anew_and_gives_the_same_again(peerorder, folder):
    def assign(out, *options):
        return json.loads(peerorder("assign", "roster.csv", "-k", 4, "--out", f"{out}/h.csv", "--json", *options).out)

    seeds = [assign(out)["seed"] for out in ("one", "two")]
    assert seeds[0] != seeds[1]
    assert assign("again", "--seed", seeds[0])["seed"] == seeds[0]
    for name in ("h.csv", "codes.csv"):
        assert (folder / "again" / name).read_bytes() == (folder / "one" / name).read_bytes()
        assert (folder / "again" / name).read_bytes() != (folder / "two" / name).read_bytes()


@pytest.mark.parametrize(("name", "codes"), [("handout.xlsx", "codes.xlsx"), ("handout.parquet", "codes.csv")])
def test_other_kinds_of_files(peerorder, folder, name, codes):
    assert peerorder("assign", "roster.csv", "-k", 4, "--out", name).code == 0
    read = read_handout(folder / name, read_codes(folder / codes))
    assert len(read) == 120


def test_lenient_leaves_out_rows_and_says_which(peerorder, folder):
    (folder / "roster.csv").write_text(REGULAR + "s03,Twice,\n")
    assert peerorder("assign", "roster.csv", "-k", 4, "--out", "h.csv").code == 2
    result = peerorder("assign", "roster.csv", "-k", 4, "--out", "h.csv", "--lenient")
    assert result.code == 3
    assert "1 row was skipped; correct the files" in result.err
    assert (folder / "h.csv").exists()
    assert "Skipped: roster.csv, row 32, column student: s03 is already in row 5" in plain(result.out)
