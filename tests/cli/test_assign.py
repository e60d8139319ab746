"""From a roster to a hand-out and back, as a person would do it; in every test an empty folder."""

import csv
import json
import re
from collections import Counter

import networkx as nx
import numpy as np
import pytest

from peerorder.core import child
from peerorder.files import read_codes, read_handout, read_rankings, read_roster, read_sheet

REGULAR = "student,name,email\n" + "".join(f"s{x:02d},Name {x},s{x}@example.org\n" for x in range(30))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "roster.csv").write_text(REGULAR)
    return tmp_path


def plain(text):
    """Output without its line breaks."""
    return " ".join(text.split())


def rows(path):
    with path.open(newline="") as stream:
        return list(csv.DictReader(stream))


def handed(path, codes=None):
    """Pairs of grader and paper, by ids."""
    behind = read_codes(codes) if codes is not None else None
    return [(row["grader"], behind[row["paper"]] if behind else row["paper"]) for row in rows(path)]


def written_by(path):
    roster = read_roster(path)
    return {
        student: roster.papers[p] if p >= 0 else None for student, p in zip(roster.students, roster.wrote, strict=True)
    }


def assert_legal(pairs, path, conflicts=()):
    own = written_by(path)
    assert len({*pairs}) == len(pairs)
    assert all(own[grader] != paper for grader, paper in pairs)
    assert not {*pairs} & {*conflicts}


def hang_together(pairs):
    graph = nx.Graph()
    graph.add_edges_from((f"ballot {ballot}", f"paper {paper}") for ballot, paper in pairs)
    return nx.is_connected(graph)


# A first hand-out.


@pytest.mark.parametrize("kind", ["xlsx", "csv"])
def test_one_form_a_grader(peerorder, folder, kind):
    options = ("-k", 4, "--out", "handout.csv", "--letters", "letters.csv", "--forms", "forms", "--form-type", kind)
    result = peerorder("assign", "roster.csv", *options)
    assert result.code == 0, result.err
    assert not (folder / "letters-form.csv").exists()
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
    assert "--forms forms is there already and not empty; give the name of a new folder" in said
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


def test_it_works(peerorder, folder):
    result = peerorder("assign", "roster.csv", "-k", 4, "--out", "handout.csv")
    assert result.code == 0, result.err
    assert "30 graders rank 4 papers each of 30; every paper has 4 graders." in result.out
    assert "Scheme girth6: everybody wrote one paper, and no two papers meet twice" in result.out
    assert "everything hangs together; no two papers meet twice." in plain(result.out)
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
    assert "Note: mine.csv: 1 of its papers are not on the roster" in result.out
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
    assert "1 grader wrote nothing and ranks like the others." in result.out
    assert "Scheme balanced: papers are allotted one by one, because 2 wrote nothing, 10 papers are by" in result.out
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
    assert said["seed"] >= 0


@pytest.mark.parametrize("name", ["handout.xlsx", "handout.parquet"])
def test_other_kinds_of_files(peerorder, folder, name):
    assert peerorder("assign", "roster.csv", "-k", 4, "--out", name).code == 0
    read = read_handout(folder / name, read_codes(folder / "codes.csv"))
    assert len(read) == 120


def test_lenient_leaves_out_rows_and_says_which(peerorder, folder):
    (folder / "roster.csv").write_text(REGULAR + "s03,Twice,\n")
    assert peerorder("assign", "roster.csv", "-k", 4, "--out", "h.csv").code == 2
    result = peerorder("assign", "roster.csv", "-k", 4, "--out", "h.csv", "--lenient")
    assert result.code == 3
    assert "1 thing was wrong and left out; correct the files" in result.err
    assert (folder / "h.csv").exists()
    assert "Left out: roster.csv, row 32, column student: s03 is in row 5 already" in plain(result.out)


# Letters and forms.


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
    assert (len(back.profile), back.not_judged) == (30, 30)
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
    forms = [(folder / name).read_text().splitlines() for name in ("l-form.csv", "m-form.csv")]
    assert forms[0][0] == forms[1][0] == "grader,paper,rank,ballot,link"
    more = [[row["grader"], row["paper"], at + 1, row["ballot"]] for at, row in enumerate(rows(folder / "m-form.csv"))]
    assert more
    write(folder / "both.csv", first[:15] + more)
    read = read_rankings(folder / "both.csv", codes=read_codes(folder / "codes.csv"))
    assert len(read.profile) == 5 + len({grader for grader, *_ in more})


def write(path, lines):
    path.write_text("grader,paper,rank,ballot\n" + "".join(",".join(map(str, line)) + "\n" for line in lines))


def test_addresses_that_are_missing_are_named(peerorder, folder):
    line = ("assign", "roster.csv", "-k", 4, "--letters", "l.csv", "--force", "--out", "h.csv")
    assert "Note" not in peerorder(*line).out
    (folder / "roster.csv").write_text(REGULAR.replace("s7@example.org", "").replace("email", "E-Mail"))
    assert "Note: roster.csv: no e-mail address for s07" in plain(peerorder(*line).out)
    assert {row["email"] for row in rows(folder / "l.csv")} == {""} | {f"s{x}@example.org" for x in range(30) if x != 7}
    (folder / "roster.csv").write_text(REGULAR.replace("email", "elsewhere"))
    assert "Note: roster.csv has no column email, so l.csv has no addresses" in plain(peerorder(*line).out)
    assert "Note" not in peerorder("assign", "roster.csv", "-k", 4, "--out", "other.csv").out


# What people were sent stays.


def test_what_was_sent_is_never_written_over_but_by_force(peerorder, refused, folder):
    line = ("assign", "roster.csv", "-k", 4, "--out", "handout.csv", "--letters", "letters.csv")
    assert peerorder(*line).code == 0
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    said = "--out handout.csv is there already, and people may have been sent it; give another name, or add --force"
    assert said in refused(*line)
    assert "--letters letters.csv is there already" in refused(*line[:5], "h.csv", *line[6:])
    (folder / "letters.csv").rename(folder / "kept.csv")
    assert "the form of --letters letters-form.csv is there" in refused(*line[:5], "h.csv", *line[6:])
    (folder / "kept.csv").rename(folder / "letters.csv")
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    assert peerorder(*line, "--force").code == 0
    after = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert {name for name in before if after[name] == before[name]} == {"roster.csv", "codes.csv"}


# Late joiners.


def test_late_joiners(peerorder, folder):
    peerorder("assign", "roster.csv", "-k", 4, "--out", "handout.csv")
    before, codes = (folder / "handout.csv").read_text(), read_codes(folder / "codes.csv")
    (folder / "roster.csv").write_text(REGULAR + "new1,Nina,\nnew2,Nora,\n")
    result = peerorder("assign", "roster.csv", "--extend", "handout.csv", "--out", "later.csv", "--letters", "l.csv")
    assert result.code == 0, result.err
    assert "2 new graders with 4 papers each, and 2 new papers with 4 graders each" in result.out
    assert "6 earlier graders get one paper more; no row changes." in result.out
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
    assert "--out handout.csv is there already" in refused(*line)
    result = peerorder(*line, "--force")
    assert json.loads(result.out)["new_graders"] == ["new"]
    assert (folder / "handout.csv").read_text().startswith(before)
    assert not (folder / "codes.csv").exists()
    assert_legal(handed(folder / "handout.csv"), folder / "roster.csv")


def test_somebody_who_left_keeps_the_rows(peerorder, folder):
    peerorder("assign", "roster.csv", "-k", 4, "--out", "handout.csv")
    before = (folder / "handout.csv").read_text()
    (folder / "roster.csv").write_text(REGULAR.replace("s00,Name 0,s0@example.org\n", "") + "new,Nina,\n")
    result = peerorder("assign", "roster.csv", "--extend", "handout.csv", "--out", "later.csv")
    assert result.code == 0, result.err
    assert "8 rows are of graders or papers that roster.csv does not have" in plain(result.out)
    assert (folder / "later.csv").read_text().startswith(before)
    # Nobody new is asked to read what was withdrawn.
    assert "s00" not in {paper for _, paper in handed(folder / "later.csv", folder / "codes.csv")[120:]}


def everybody_but(folder, *who):
    """Conflicts by which one of these alone may rank the paper of s00."""
    students = [row["student"] for row in rows(folder / "roster.csv")]
    lines = [f"{student},s00\n" for student in students if student not in {"s00", *who}]
    (folder / "no.csv").write_text("student,paper\n" + "".join(lines))


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
    assert "Note: the conflicts in no.csv hold as they are now, as for h.csv" in said
    assert "or one in conflict, but for 1 row of what was handed out before;" in said
    more = handed(folder / "later.csv")[len(pairs) :]
    assert {paper for grader, paper in more if grader == "new"} == {f"s{x:02d}" for x in range(26, 30)}
    assert "s05" not in {grader for grader, _ in more}
    about = json.loads((folder / "later.csv.provenance.json").read_text())
    assert (about["inputs"]["conflicts"]["file"], about["excused"]) == ("no.csv", ["s05"])
    (folder / "no.csv").rename(folder / "moved.csv")
    line = (*line, "--force")
    assert "h.csv was made with the conflicts in no.csv, which is not beside it; add --conflicts" in refused(*line)
    assert "moved.csv hold" not in (again := peerorder(*line, "--conflicts", "moved.csv")).out
    assert again.code == 0


def test_a_hand_out_of_somebody_else_has_no_conflicts_that_are_known(peerorder, folder):
    (folder / "h.csv").write_text("grader,paper\n" + "".join(f"s{x:02d},s{(x + 1) % 30:02d}\n" for x in range(30)))
    for about in (None, "[]", '{"command": "assign", "inputs": 3, "excused": [1]}', "\x00"):
        if about is not None:
            (folder / "h.csv.provenance.json").write_text(about)
        result = peerorder("assign", "roster.csv", "--extend", "h.csv", "--out", "l.csv", "--no-codes", "--force")
        assert result.code == 0, result.err
        assert "or one in conflict (no conflicts are known);" in plain(result.out)


# After the deadline.


def test_conflicts_hold_for_a_top_up_too(peerorder, folder):
    everybody_but(folder, *(f"s{x:02d}" for x in range(1, 9)))
    options = ("--conflicts", "no.csv", "--no-codes", "--seed", 1)
    assert peerorder("assign", "roster.csv", "-k", 4, "--out", "h.csv", *options).code == 0
    pairs = handed(folder / "h.csv")
    lines = [f"{grader},{paper},{at % 4 + 1}\n" for at, (grader, paper) in enumerate(pairs) if paper != "s00"]
    (folder / "r.csv").write_text("grader,paper,rank\n" + "".join(lines))
    line = ("assign", "roster.csv", "--top-up", "r.csv", "--handout", "h.csv", "--no-codes", "--at-least", 3)
    assert peerorder(*line, "--out", "more.csv").code == 0
    allowed = {f"s{x:02d}" for x in range(1, 9)} - {grader for grader, paper in pairs if paper == "s00"}
    asked = {grader for grader, paper in handed(folder / "more.csv") if paper == "s00"}
    assert asked
    assert asked <= allowed


def test_a_top_up_reads_forms_as_they_came_back(peerorder, refused, folder):
    peerorder("assign", "roster.csv", "-k", 4, "--out", "h.csv", "--seed", 1)
    first = answers(folder, folder / "h.csv", 0.5, 0)
    (folder / "forms").mkdir()
    for grader in dict.fromkeys(grader for grader, *_ in first):
        lines = [line for line in first if line[0] == grader]
        write_rankings(folder / "forms" / f"{grader}.csv", lines)
        write_rankings(folder / "forms" / f"{grader} (1).csv", lines)
    write_rankings(folder / "all.csv", first)
    line = ("assign", "roster.csv", "--handout", "h.csv", "--seed", 2)
    result = peerorder(*line, "--top-up", "forms", "--out", "one.csv")
    assert result.code == 0, result.err
    assert "says the same in" in plain(result.out)
    assert peerorder(*line, "--top-up", "all.csv", "--out", "two.csv").code == 0
    forms = sorted((folder / "forms").glob("*.csv"))
    options = [word for path in forms for word in ("--top-up", path)]
    assert peerorder(*line, *options, "--out", "three.csv").code == 0
    assert len({(folder / name).read_bytes() for name in ("one.csv", "two.csv", "three.csv")}) == 1
    said = refused(*line, "--top-up", *forms, "--out", "four.csv")
    assert "one roster, roster.csv, and" in said
    assert "of many rankings name the folder, or say --top-up for each" in said


def test_a_second_top_up_knows_both_hand_outs(peerorder, folder):
    peerorder("assign", "roster.csv", "-k", 4, "--out", "h.csv", "--seed", 1)
    first = answers(folder, folder / "h.csv", 0.5, 0)
    write_rankings(folder / "r.csv", first)
    line = ("assign", "roster.csv", "--top-up", "r.csv", "--handout", "h.csv", "--seed", 2)
    assert peerorder(*line, "--at-least", 3, "--out", "more.csv", "--letters", "m.csv").code == 0
    options = ("--handout", "more.csv", "--at-least", 3, "--out", "again.csv", "--letters", "a.csv")
    assert peerorder(*line, *options).code == 0
    had = [*handed(folder / "h.csv"), *handed(folder / "more.csv")]
    again = handed(folder / "again.csv")
    assert again
    assert not {*had} & {*again}
    assert {row["ballot"] for row in rows(folder / "a-form.csv")} == {"3"}
    about = json.loads((folder / "again.csv.provenance.json").read_text())
    assert [*about["inputs"]] == ["roster", "handout", "handout 2", "top_up"]


def answers(folder, handout, missing, seed):
    """Rankings by those who did their work, in the order of their ids: the true order."""
    codes = read_codes(folder / "codes.csv")
    away = {who for who in written_by(folder / "roster.csv") if child(seed, who).random() < missing}
    ballots = {}
    for row in rows(handout):
        if row["grader"] not in away:
            ballots.setdefault(row["grader"], []).append(row["paper"])
    return [
        (grader, paper, rank)
        for grader, papers in ballots.items()
        for rank, paper in enumerate(sorted(papers, key=codes.get), 1)
    ]


def write_rankings(path, first, second=()):
    lines = [f"{g},{p},{r}," for g, p, r in first] + [f"{g},{p},{r},top-up" for g, p, r in second]
    path.write_text("grader,paper,rank,ballot\n" + "\n".join(lines) + "\n")


@pytest.mark.parametrize("missing", [0.0, 0.3, 0.6])
def test_a_round_with_late_joiners_and_a_top_up_from_roster_to_grades(peerorder, folder, missing):
    """Nobody is without a place."""
    assert peerorder("assign", "roster.csv", "-k", 4, "--out", "h.csv", "--seed", 1).code == 0
    (folder / "roster.csv").write_text(REGULAR + "".join(f"new{x},,\n" for x in range(4)))
    assert peerorder("assign", "roster.csv", "--extend", "h.csv", "--out", "h2.csv", "--seed", 2).code == 0
    first = answers(folder, folder / "h2.csv", missing, 3)
    write_rankings(folder / "rankings.csv", first)
    options = ("--top-up", "rankings.csv", "--handout", "h2.csv", "--out", "more.csv", "--letters", "l.csv")
    result = peerorder("assign", "roster.csv", *options, "--at-least", 3)
    assert result.code == 0, result.err
    assert re.search(r"Now: \d+ of 34 papers ha(s|ve) fewer than 3 rankings; .*; expected", plain(result.out))
    had = {*handed(folder / "h2.csv", folder / "codes.csv")}
    asked = (folder / "more.csv").exists()
    assert asked == (missing > 0)
    more = handed(folder / "more.csv", folder / "codes.csv") if asked else []
    assert_legal(more, folder / "roster.csv", had)
    assert {grader for grader, _ in more} <= {grader for grader, _, _ in first}
    assert min(Counter(grader for grader, _ in more).values(), default=2) >= 2
    codes = read_codes(folder / "codes.csv")
    every = [*((g, codes[p]) for g, p, _ in first), *((f"{g} again", p) for g, p in more)]
    assert hang_together(every)
    many = Counter(paper for _, paper in every)
    assert min(many[paper] for paper in written_by(folder / "roster.csv").values()) >= 3
    form = rows(folder / "l-form.csv") if asked else []
    assert [(row["grader"], codes[row["paper"]]) for row in form] == more
    assert {row["ballot"] for row in form} <= {"2"}
    second = []
    for grader in dict.fromkeys(row["grader"] for row in form):
        papers = sorted((row["paper"] for row in form if row["grader"] == grader), key=codes.get)
        second += [(grader, paper, rank) for rank, paper in enumerate(papers, 1)]
    write_rankings(folder / "all.csv", first, second)
    options = ("--roster", "roster.csv", "--codes", "codes.csv", "--rule", "borda", "--out", "grades.csv")
    assert peerorder("grade", "all.csv", *options).code == 0
    grades = rows(folder / "grades.csv")
    assert {row["paper"] for row in grades} == {*written_by(folder / "roster.csv").values()}
    assert min(int(row["rankings"]) for row in grades) >= 3


def test_nobody_needs_to_be_asked(peerorder, folder):
    peerorder("assign", "roster.csv", "-k", 4, "--out", "h.csv", "--seed", 1)
    write_rankings(folder / "rankings.csv", answers(folder, folder / "h.csv", 0, 0))
    result = peerorder("assign", "roster.csv", "--top-up", "rankings.csv", "--handout", "h.csv", "--out", "more.csv")
    assert result.code == 0
    assert "0 of 30 papers have fewer than 2 rankings; everything hangs together" in result.out
    assert "Nobody needs to be asked for more. Nothing is written." in result.out
    assert not (folder / "more.csv").exists()
    assert "Written" not in result.out


def test_machines_hear_who_is_asked_and_how_it_stands(peerorder, folder):
    peerorder("assign", "roster.csv", "-k", 4, "--out", "h.csv", "--seed", 1)
    write_rankings(folder / "rankings.csv", answers(folder, folder / "h.csv", 0.5, 0))
    options = ("--top-up", "rankings.csv", "--handout", "h.csv", "--out", "more.csv", "--json")
    said = json.loads(peerorder("assign", "roster.csv", *options).out)
    assert said["at_least"] == 2
    assert said["asked"] == Counter(row["grader"] for row in rows(folder / "more.csv"))
    assert said["before"]["papers_below"] > said["after"]["papers_below"] == 0
    assert said["before"]["expected_accuracy"] < said["after"]["expected_accuracy"]
    assert said["after"]["components"] == 1


def test_papers_that_nobody_can_be_asked_for_are_said_with_exit_code_3(peerorder, folder):
    peerorder("assign", "roster.csv", "-k", 4, "--out", "h.csv", "--seed", 1, "--no-codes")
    pairs = handed(folder / "h.csv")
    first = [(g, p, rank) for rank, (g, p) in enumerate(pairs, 1) if g == "s05"]
    write_rankings(folder / "rankings.csv", first)
    options = ("--top-up", "rankings.csv", "--handout", "h.csv", "--out", "more.csv", "--at-least", 2)
    result = peerorder("assign", "roster.csv", *options)
    assert result.code == 3
    assert "too few rankings would still have: s00" in result.err
    assert {grader for grader, _ in handed(folder / "more.csv")} == {"s05"}


# Bad input: one line, and nothing is written.


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["-k", 0], ["k is 0", "at least 1"]),
        (
            ["-k", 30],
            ["k is 30, but graders s00, s01,", "s07 and 22 more may rank only 29; choose a smaller k, 29 at most"],
        ),
        (["-k", 4, "--scheme", "girth"], ["did you mean girth6"]),
        (["-k", 8, "--scheme", "girth6"], ["from 69 up"]),
        (["-k", 4, "--seed", -1], ["seed is -1"]),
        (["-k", 4, "--excused", "nobody"], ["--excused nobody", "no such student is on the roster"]),
        (["-k", 4, "--codes", "c.csv", "--no-codes"], ["--codes and --no-codes"]),
        (["-k", 4, "--conflicts", "none.csv"], ["none.csv", "no such file"]),
        (["--extend", "none.csv"], ["none.csv", "no such file"]),
        (["--extend", "a.csv", "--top-up", "b.csv", "--handout", "c.csv"], ["--extend adds late joiners"]),
        (["--extend", "a.csv", "--scheme", "random"], ["--scheme is for a first hand-out"]),
        (["--top-up", "b.csv"], ["--top-up needs --handout"]),
        (["--handout", "b.csv"], ["--handout goes with --top-up"]),
        (["--at-least", 3], ["--at-least goes with --top-up"]),
        (["--letters", "h.csv"], ["the same file"]),
        (["--codes", "roster.csv"], ["would overwrite"]),
    ],
)
def test_bad_input_is_one_line(refused, folder, options, words):
    line = refused("assign", "roster.csv", "--out", "h.csv", *options)
    for word in words:
        assert word in line
    assert {path.name for path in folder.iterdir()} == {"roster.csv"}


def test_the_roster_is_never_overwritten(refused, folder):
    assert "would overwrite what is read" in refused("assign", "roster.csv", "--out", "roster.csv")
    assert (folder / "roster.csv").read_text() == REGULAR


def test_a_hand_out_with_codes_needs_them(peerorder, refused, folder):
    peerorder("assign", "roster.csv", "-k", 4, "--out", "handout.csv")
    (folder / "codes.csv").rename(folder / "elsewhere.csv")
    line = refused("assign", "roster.csv", "--extend", "handout.csv", "--out", "later.csv")
    assert "handout.csv holds codes; give the file of codes with --codes" in line
    result = peerorder(
        "assign", "roster.csv", "--extend", "handout.csv", "--out", "later.csv", "--codes", "elsewhere.csv"
    )
    assert result.code == 0


def test_a_hand_out_of_another_class(refused, folder):
    (folder / "h.csv").write_text("grader,paper\na,b\n")
    line = refused("assign", "roster.csv", "--extend", "h.csv", "--out", "later.csv", "--no-codes")
    assert "no row has a grader and a paper of the roster" in line


def test_conflicts_that_stand_in_the_way(refused, folder):
    pairs = [("s04", f"s{x:02d}") for x in range(29) if x != 4]
    (folder / "no.csv").write_text("student,paper\n" + "".join(f"{s},{p}\n" for s, p in pairs))
    line = refused("assign", "roster.csv", "-k", 2, "--conflicts", "no.csv", "--out", "h.csv")
    assert "k is 2, but grader s04 may rank only 1" in line
    assert not (folder / "h.csv").exists()


@pytest.mark.parametrize("n", [1, 2, 3])
def test_very_small_classes(peerorder, folder, n):
    (folder / "roster.csv").write_text("student\n" + "\n".join("abc"[:n]) + "\n")
    result = peerorder("assign", "roster.csv", "-k", 1, "--out", "h.csv")
    assert result.code == (2 if n == 1 else 0)
    if n > 1:
        assert "not everything hangs together: with k=1 no ballot compares two papers" in plain(result.out)
    result = peerorder("assign", "roster.csv", "-k", 2, "--out", "h2.csv")
    assert result.code == (0 if n == 3 else 2)


def test_rosters_in_any_order_tell_nothing(peerorder, folder):
    """A grader's place on the roster is not tied to the places of her papers."""
    gaps = []
    for seed in range(20):
        peerorder("assign", "roster.csv", "-k", 4, "--out", "h.csv", "--no-codes", "--seed", seed, "--force")
        gaps += [(int(p[1:]) - int(g[1:])) % 30 for g, p in handed(folder / "h.csv")]
    counts = np.bincount(gaps, minlength=30)
    assert counts[0] == 0
    share = len(gaps) / 29
    assert abs(counts[1:] - share).max() < 4.5 * np.sqrt(share)
