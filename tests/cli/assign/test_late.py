"""Late joiners: what others have stays."""

import json
from collections import Counter

import pytest

from peerorder.files import read_codes, write_table
from tests.cli.assign.common import REGULAR, assert_legal, handed, hang_together, plain, rows


def test_late_joiners(peerorder, folder):
    peerorder("assign", "roster.csv", "-k", 4, "--out", "handout.csv")
    before, codes = (folder / "handout.csv").read_text(), read_codes(folder / "codes.csv")
    (folder / "roster.csv").write_text(REGULAR + "new1,Nina,\nnew2,Nora,\n")
    result = peerorder("assign", "roster.csv", "--extend", "handout.csv", "--out", "later.csv", "--letters", "l.csv")
    assert result.code == 0, result.err
    assert "2 new graders with 4 papers each, and 2 new papers with 4 graders each" in result.out
    assert "6 earlier graders get one more paper; no existing row changes." in result.out
    after = (folder / "later.csv").read_text()
    assert after.startswith(before)
    pairs = handed(folder / "later.csv", folder / "codes.csv")
    assert_legal(pairs, folder / "roster.csv")
    assert hang_together(pairs)
    many = Counter(paper for _, paper in pairs)
    assert (many["new1"], many["new2"]) == (4, 4)
    now = read_codes(folder / "codes.csv")
    assert len(now) == 32
    assert codes.items() <= now.items()
    letters = {row["grader"]: row for row in rows(folder / "l.csv")}
    assert len(letters) == 8
    assert all(len(row["papers"].split(", ")) == (4 if g.startswith("new") else 5) for g, row in letters.items())
    assert all(len(row["new"].split(", ")) == (4 if g.startswith("new") else 1) for g, row in letters.items())


def test_late_joiners_in_place_without_codes(peerorder, refused, folder):
    peerorder("assign", "roster.csv", "-k", 4, "--out", "handout.csv", "--no-codes")
    before = (folder / "handout.csv").read_text()
    (folder / "roster.csv").write_text(REGULAR + "new,Nina,\n")
    line = ("assign", "roster.csv", "--extend", "handout.csv", "--out", "handout.csv", "--seed", 1, "--json")
    assert "--out handout.csv already exists" in refused(*line)
    result = peerorder(*line, "--force")
    assert json.loads(result.out)["new_graders"] == ["new"]
    assert (folder / "handout.csv").read_text().startswith(before)
    assert not (folder / "codes.csv").exists()
    assert_legal(handed(folder / "handout.csv"), folder / "roster.csv")


def test_a_column_ballot_stays(peerorder, folder):
    peerorder("assign", "roster.csv", "-k", 4, "--out", "handout.csv", "--no-codes")
    header, *lines = (folder / "handout.csv").read_text().splitlines()
    before = "\n".join([f"{header},ballot", *(f"{line},{1 + (at == 0)}" for at, line in enumerate(lines))])
    (folder / "handout.csv").write_text(f"{before}\n")
    (folder / "roster.csv").write_text(REGULAR + "new,Nina,\n")
    assert peerorder("assign", "roster.csv", "--extend", "handout.csv", "--out", "later.csv", "--no-codes").code == 0
    after = (folder / "later.csv").read_text()
    assert after.startswith(before)
    assert all(line.endswith(",1") for line in after.removeprefix(before).split())


def test_somebody_who_left_keeps_the_rows(peerorder, folder):
    peerorder("assign", "roster.csv", "-k", 4, "--out", "handout.csv")
    before = (folder / "handout.csv").read_text()
    (folder / "roster.csv").write_text(REGULAR.replace("s00,Name 0,s0@example.org\n", "") + "new,Nina,\n")
    result = peerorder("assign", "roster.csv", "--extend", "handout.csv", "--out", "later.csv")
    assert result.code == 0, result.err
    assert "8 rows have graders or papers that are not (or no longer) on roster.csv" in plain(result.out)
    assert (folder / "later.csv").read_text().startswith(before)
    # Nobody new is asked to read what was withdrawn.
    assert "s00" not in {paper for _, paper in handed(folder / "later.csv", folder / "codes.csv")[120:]}


def test_conflicts_and_the_excused_hold_for_late_joiners_too(peerorder, refused, folder):
    (folder / "no.csv").write_text("student,paper\ns01,s00\n")
    options = ("--conflicts", "no.csv", "--excused", "s05", "--no-codes")
    assert peerorder("assign", "roster.csv", "-k", 4, "--out", "h.csv", *options).code == 0
    (folder / "roster.csv").write_text(REGULAR + "new,Nina,\n")
    pairs = [*handed(folder / "h.csv")]
    mine = [grader for grader, paper in pairs if paper == "s00"]
    with (folder / "no.csv").open("a") as stream:
        stream.writelines(f"new,s{x:02d}\n" for x in range(26))
        stream.write(f"{mine[0]},s00\n")
    line = ("assign", "roster.csv", "--extend", "h.csv", "--out", "later.csv", "--no-codes")
    result = peerorder(*line)
    assert result.code == 0, result.err
    said = plain(result.out)
    assert "Note: excused from ranking, as for h.csv: s05" in said
    assert "Note: no.csv, as it is now, applies here too, as it did for h.csv" in said
    assert "1 row of the earlier hand-out is an exception." in said
    more = handed(folder / "later.csv")[len(pairs) :]
    assert {paper for grader, paper in more if grader == "new"} == {f"s{x:02d}" for x in range(26, 30)}
    assert "s05" not in {grader for grader, _ in more}
    about = json.loads((folder / "later.csv.provenance.json").read_text())
    assert (about["inputs"]["conflicts"]["file"], about["excused"]) == ("no.csv", ["s05"])
    (folder / "no.csv").rename(folder / "moved.csv")
    line = (*line, "--force")
    assert "h.csv was made with the conflicts in no.csv, which is not in the same folder; add --conflicts" in refused(
        *line
    )
    assert "moved.csv hold" not in (again := peerorder(*line, "--conflicts", "moved.csv")).out
    assert again.code == 0


def test_a_hand_out_of_somebody_else_has_no_conflicts_that_are_known(peerorder, folder):
    pairs = [(x, (x + step) % 30) for x in range(30) for step in (1, 2)]
    (folder / "h.csv").write_text("grader,paper\n" + "".join(f"s{x:02d},s{y:02d}\n" for x, y in pairs))
    (folder / "roster.csv").write_text(REGULAR + "new,Nina,\n")
    for about in (None, "[]", '{"command": "assign", "inputs": 3, "excused": [1]}', "\x00"):
        if about is not None:
            (folder / "h.csv.provenance.json").write_text(about)
        result = peerorder("assign", "roster.csv", "--extend", "h.csv", "--out", "l.csv", "--no-codes", "--force")
        assert result.code == 0, result.err
        assert "No conflicts are known." in plain(result.out)


NUMBERS = "student\n" + "".join(f"{x:07d}\n" for x in range(31810, 31830))


def without_zeros(path, ids=None):
    """The same file as a spreadsheet saves it that took zeros in front away, everywhere or in front of these ids."""
    text = path.read_text(encoding="utf-8-sig")
    for x in range(31810, 31830):
        if ids is None or x in ids:
            text = text.replace(f"{x:07d}", str(x))
    path.write_text(text)


@pytest.mark.parametrize("cut", [None, {31818}])
def test_zeros_that_a_spreadsheet_took_from_what_was_handed_out_are_named(peerorder, refused, folder, cut):
    """Otherwise these graders would be new ones."""
    (folder / "roster.csv").write_text(NUMBERS)
    assert peerorder("assign", "roster.csv", "-k", 4, "--out", "h.csv").code == 0
    (folder / "roster.csv").write_text(NUMBERS + "0099999\n")
    whole = (folder / "h.csv").read_text()
    line = ("assign", "roster.csv", "--extend", "h.csv", "--out", "later.csv")
    without_zeros(folder / "h.csv", cut)
    said = refused(*line)
    assert said.startswith("peerorder: h.csv, column grader: 318")
    assert "spreadsheets drop leading zeros" in said
    (folder / "h.csv").write_text(whole)
    without_zeros(folder / "codes.csv", cut)
    assert refused(*line).startswith("peerorder: codes.csv, column paper: 318")
    assert not (folder / "later.csv").exists()


def test_papers_of_a_hand_out_without_codes_may_have_lost_their_zeros_too(peerorder, refused, folder):
    (folder / "roster.csv").write_text("student,paper\n" + "".join(f"s{x},{x:03d}\n" for x in range(20)))
    assert peerorder("assign", "roster.csv", "-k", 4, "--out", "h.csv", "--no-codes").code == 0
    (folder / "h.csv").write_text((folder / "h.csv").read_text().replace(",00", ",").replace(",01", ",1"))
    said = refused("assign", "roster.csv", "--extend", "h.csv", "--out", "later.csv")
    assert said.startswith("peerorder: h.csv, column paper: ")
    assert "zeros" in said


def test_where_nobody_is_new_nothing_is_written(peerorder, refused, folder):
    peerorder("assign", "roster.csv", "-k", 4, "--out", "h.csv")
    assert "nothing to add" in refused("assign", "roster.csv", "--extend", "h.csv", "--out", "later.csv")
    assert not (folder / "later.csv").exists()


def test_codes_beside_a_workbook_are_a_workbook(peerorder, folder):
    """Which keeps zeros; codes that are there already are used again."""
    assert peerorder("assign", "roster.csv", "-k", 4, "--out", "h.xlsx").code == 0
    assert not (folder / "codes.csv").exists()
    known = read_codes(folder / "codes.xlsx")
    (folder / "roster.csv").write_text(REGULAR + "new,Nina,\n")
    assert peerorder("assign", "roster.csv", "--extend", "h.xlsx", "--out", "later.csv").code == 0
    assert known.items() < read_codes(folder / "codes.xlsx").items()
    (folder / "codes.xlsx").rename(folder / "was.xlsx")
    write_table(folder / "codes.csv", {"paper": [*known.values()], "code": [*known]})
    assert peerorder("assign", "roster.csv", "--extend", "h.xlsx", "--out", "last.xlsx").code == 0
    assert not (folder / "codes.xlsx").exists()
