"""Letters and forms, and that nothing people were sent is written over."""

import pytest

from peerorder.files import read_codes, read_rankings, read_roster, read_sheet
from tests.cli.assign.common import REGULAR, plain, rows, write


@pytest.mark.parametrize("name", ["letters.csv", "letters.xlsx"])
def test_letters_and_a_form_that_comes_back(peerorder, folder, name):
    peerorder("assign", "roster.csv", "-k", 4, "--out", "handout.csv", "--letters", name)
    letters, form = read_sheet(folder / name), read_sheet(folder / name.replace(".", "-form."))
    assert [*letters.columns] == ["grader", "name", "email", "papers", *(f"paper_{x}" for x in range(1, 5))]
    given = [(row["grader"], row["paper"]) for row in rows(folder / "handout.csv")]
    assert [*zip(form["grader"].tolist(), form["paper"].tolist(), strict=True)] == given
    assert form["ballot"].tolist() == ["1"] * 120
    assert len(letters) == 30
    for at in range(30):
        papers = [letters[f"paper_{x}"][at] for x in range(1, 5)]
        assert letters["papers"][at] == ", ".join(papers)
        assert [(letters["grader"][at], paper) for paper in papers] == given[4 * at : 4 * at + 4]
        assert letters["email"][at] == letters["name"][at].replace("Name ", "s") + "@example.org"
    # Filled in with a tie and a gap, and read back.
    ranks = ["1", "2", "2", ""] * 30
    lines = [f"{g},{p},{rank}" for (g, p), rank in zip(given, ranks, strict=True)]
    (folder / "back.csv").write_text("grader,paper,rank\n" + "\n".join(lines) + "\n")
    codes = read_codes(folder / "codes.csv")
    back = read_rankings(folder / "back.csv", roster=read_roster(folder / "roster.csv"), codes=codes)
    assert (len(back.profile), back.blank) == (30, ())
    assert back.profile.tie_levels.tolist() == [0, 1, 1] * 30
    assert [back.papers[p] for p in back.profile[0]] == [codes[p] for _, p in given[:3]]


def test_the_columns_of_all_forms_are_the_same(peerorder, folder):
    """So that what comes back can be pasted together."""
    (folder / "roster.csv").write_text("student,link\n" + "".join(f"s{x},https://example.org/{x}\n" for x in range(9)))
    peerorder("assign", "roster.csv", "-k", 3, "--out", "h.csv", "--letters", "l.csv", "--seed", 1)
    first = [[row["grader"], row["paper"], at % 3 + 1, "1"] for at, row in enumerate(rows(folder / "l-form.csv"))]
    write(folder / "back.csv", first[:15])
    options = ("--top-up", "back.csv", "--handout", "h.csv", "--out", "more.csv", "--letters", "m.csv")
    assert peerorder("assign", "roster.csv", *options, "--at-least", 3).code in (0, 3)
    forms = [(folder / name).read_text("utf-8-sig").splitlines() for name in ("l-form.csv", "m-form.csv")]
    assert forms[0][0] == forms[1][0] == "grader,paper,rank,ballot,link"
    more = [
        [row["grader"], row["paper"], at % 2 + 1, row["ballot"]] for at, row in enumerate(rows(folder / "m-form.csv"))
    ]
    assert more
    write(folder / "both.csv", first[:15] + more)
    read = read_rankings(folder / "both.csv", codes=read_codes(folder / "codes.csv"))
    assert len(read.profile) == 5 + len({grader for grader, *_ in more})


def test_addresses_that_are_missing_are_named(peerorder, folder):
    line = ("assign", "roster.csv", "-k", 4, "--letters", "l.csv", "--force", "--out", "h.csv")
    assert "Note" not in peerorder(*line).out
    (folder / "roster.csv").write_text(REGULAR.replace("s7@example.org", "").replace("email", "E-Mail"))
    assert "Note: roster.csv: no e-mail address for s07" in plain(peerorder(*line).out)
    assert {row["email"] for row in rows(folder / "l.csv")} == {""} | {f"s{x}@example.org" for x in range(30) if x != 7}
    (folder / "roster.csv").write_text(REGULAR.replace("email", "elsewhere"))
    assert "Note: roster.csv has no column email, so l.csv has no e-mail addresses" in plain(peerorder(*line).out)
    assert "address" not in peerorder("assign", "roster.csv", "-k", 4, "--out", "other.csv").out


# What people were sent stays.


def test_what_was_sent_is_never_written_over_but_by_force(peerorder, refused, folder):
    line = ("assign", "roster.csv", "-k", 4, "--out", "handout.csv", "--letters", "letters.csv")
    assert peerorder(*line).code == 0
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    said = "--out handout.csv already exists, and may have been sent to people; choose another name, or add --force"
    assert said in refused(*line)
    assert "--mail-merge letters.csv already exists" in refused(*line[:5], "h.csv", *line[6:])
    (folder / "letters.csv").rename(folder / "kept.csv")
    assert "the form of --mail-merge letters-form.csv already exists" in refused(*line[:5], "h.csv", *line[6:])
    (folder / "kept.csv").rename(folder / "letters.csv")
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    assert peerorder(*line, "--force").code == 0
    after = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert {name for name in before if after[name] == before[name]} == {"roster.csv", "codes.csv"}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--out", "grades.csv"), "--out grades.csv would overwrite grades"),
        (("--out", "l.csv"), "--out l.csv would overwrite a mail merge for graders"),
        (("--out", "n.csv", "--letters", "h.csv"), "--mail-merge h.csv would overwrite a hand-out"),
        (("--out", "h.pdf"), "ends in .csv"),
        (("--out", "n.csv", "--letters", "l.doc"), "ends in .csv"),
        (("--out", "n.csv", "--codes", "c.pdf"), "ends in .csv"),
    ],
)
def test_force_replaces_nothing_of_another_kind(peerorder, refused, folder, options, message):
    (folder / "grades.csv").write_text("place,paper,score,low,high,rankings,mark\n1,x,1,1,1,3,90\n")
    peerorder("assign", "roster.csv", "-k", 4, "--out", "h.csv", "--letters", "l.csv")
    before = {path: path.read_bytes() for path in folder.iterdir()}
    assert message in refused("assign", "roster.csv", "-k", 4, *options, "--force")
    assert {path: path.read_bytes() for path in folder.iterdir()} == before
