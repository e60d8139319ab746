"""The whole page, its order and its marks."""

import re
import shlex
from dataclasses import replace
from datetime import date
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from peerorder.cli import run
from peerorder.files.rounds import read_round
from peerorder.reports.instructor import Marking, explain, report, sections, select_papers
from peerorder.reports.sections import arrange
from peerorder.rounds.grading import grade
from peerorder.rounds.settings import GradeSettings
from tests.reports.instructor.rounds import from_rows, graded, simulated

BALLOTS = "a x 1\na y 2\nb y 1\nb z 2\nc x 1\nc z 2"


@pytest.fixture(scope="module")
def crowd(tmp_path_factory):
    return graded(tmp_path_factory.mktemp("crowd"), n=40, k=6)


class Reader(HTMLParser):
    """The ids, the targets of links, and whatever would be loaded."""

    def __init__(self, text):
        super().__init__()
        self.ids, self.links, self.loaded, self.headings = [], [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        self.ids += [found["id"]] if "id" in found else []
        self.links += [found["href"]] if tag == "a" else []
        self.loaded += [found[key] for key in ("src", "srcset", "data") if key in found]
        self.loaded += [found["href"]] if tag == "link" else []
        self.headings += [int(tag[1])] if re.fullmatch(r"h\d", tag) else []


def text_of(html):
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", html))


def test_it_needs_nothing_else_and_its_links_lead_somewhere(crowd):
    page = Reader(report(crowd, whys=explain(crowd, [])))
    assert page.loaded == []
    assert len(set(page.ids)) == len(page.ids)
    assert {link.removeprefix("#") for link in page.links} <= set(page.ids)
    assert page.headings[0] == 1
    assert all(b <= a + 1 for a, b in zip(page.headings, page.headings[1:], strict=False))
    assert not re.search(r"url\(|@import", report(crowd))


def test_a_round_that_was_not_read_from_files_names_none(crowd):
    kept = replace(crowd, round=replace(crowd.round, inputs={}))
    said = text_of(arrange(sections(kept)))
    assert "From their rankings" in said
    assert "The same rankings, rule, options and seed" in said
    assert not re.search(r"\.csv|\bfiles?\b", said)


def test_the_same_round_gives_the_same_page(crowd):
    assert report(crowd) == report(crowd)


def rows(html):
    body = re.search(r'id="order-table".*?<tbody>(.*?)</tbody>', html, re.DOTALL)[1]
    body = re.sub(r'<span class="quiet below">.*?</span>', "", body)
    return [text_of(row).split() for row in re.findall(r"<tr.*?</tr>", body)]


def test_the_table_has_every_paper_in_order_with_its_interval_and_rankings(crowd):
    found = rows(report(crowd))
    low, high = crowd.outcome.result.intervals.T
    assert len(found) == 40
    for place, (row, paper) in enumerate(zip(found, crowd.outcome.order.tolist(), strict=True), 1):
        interval = [str(low[paper])] if low[paper] == high[paper] else [str(low[paper]), "to", str(high[paper])]
        rankings = str(crowd.round.profile.rankings[paper])
        assert row == [str(place), crowd.round.papers[paper], *interval, rankings]


def test_the_figure_has_a_dot_and_a_line_for_every_paper(crowd):
    page = report(crowd)
    assert re.search(r'd="([^"]*)" class="dots"', page)[1].count("M") == 40
    assert re.search(r'd="([^"]*)" class="whiskers"', page)[1].count("V") == 40


def test_large_classes_are_cut_and_drawn_as_a_band(crowd, monkeypatch):
    for name, value in {"DOTS": 30, "LISTED": 30, "TOP": 4, "BOTTOM": 2}.items():
        monkeypatch.setattr(f"peerorder.reports.instructor.order.{name}", value)
    page = report(crowd, kept=Path("out/grades.csv"))
    assert [row[0] for row in rows(page)] == ["1", "2", "3", "4", "\N{HORIZONTAL ELLIPSIS}", "39", "40"]
    assert "The first 4 and the last 2 of 40 papers; all are in out/grades.csv." in page
    assert 'class="band pale"' in page
    assert 'class="whiskers"' not in page


def test_rules_without_intervals_say_so_and_show_scores(tmp_path):
    found = from_rows(tmp_path, BALLOTS)
    page = report(found)
    assert "without saying how certain it is" in page
    assert 'class="whiskers"' not in page
    assert [row[2] for row in rows(page)] == ["1.000", "0.500", "0.000"]


def test_what_to_look_at_first(tmp_path, crowd):
    first = text_of(re.search(r'class="first".*?</section>', report(crowd))[0])
    flagged = sum(map(bool, crowd.outcome.result.flags))
    assert f"{flagged} graders seem to have ranked at random or upside down" in first
    assert "4 graders handed in nothing" in first
    calm = from_rows(
        tmp_path, "\n".join(f"g{at} {paper} {rank}" for at in range(3) for rank, paper in enumerate("xyz", 1))
    )
    assert "Nothing stands out" in report(calm)
    torn = from_rows(tmp_path, "a x 1\na y 2\nb u 1\nb v 2", roster="student,paper\na,\nb,\nc,x\nd,y\ne,u\nf,v\ng,w\n")
    said = text_of(re.search(r'class="first".*?</section>', report(torn))[0])
    assert "1 paper was ranked by nobody" in said
    assert "2 groups of papers that nobody compared" in said
    assert "4 papers have only one or two rankings" in said


def test_a_grader_who_agrees_little_is_to_be_looked_at(tmp_path):
    rows = [f"g{at} p{paper} {paper + 1}" for at in range(5) for paper in range(4)]
    rows += [f"contrary p{paper} {4 - paper}" for paper in range(4)]
    assert "1 grader agrees little with the others" in report(from_rows(tmp_path, "\n".join(rows)))


@pytest.mark.parametrize(
    ("many", "said"),
    [
        (1, "From r0.csv, the rule"),
        (2, "From r0.csv and r1.csv, the rule"),
        (3, "From r0.csv, r1.csv and r2.csv, the rule"),
        (5, "From 5 files of rankings, the rule"),
    ],
)
def test_all_files_of_rankings_are_named(tmp_path, many, said):
    paths = [tmp_path / f"r{at}.csv" for at in range(many)]
    for at, path in enumerate(paths):
        path.write_text(f"grader,paper,rank\ng{at},x,1\ng{at},y,2\n")
    assert said in report(grade(read_round(paths), GradeSettings("borda")))


def test_only_options_that_were_set_are_named(tmp_path):
    (tmp_path / "r.csv").write_text("grader,paper,rank\na,x,1\na,y,2\n")
    for rule, said in (("pagerank", "defaults"), ("pagerank:trust=2", "trust=2.0")):
        page = report(grade(read_round(tmp_path / "r.csv"), GradeSettings(rule)))
        assert f"<dt>options</dt><dd>{said}</dd>" in page


def test_graders_have_their_names_wherever_they_are_listed(tmp_path):
    roster = "student,name,paper\nann,Ann Lee,\nbob,Bob Ray,\ncid,cid,\nx,,x\ny,,y\n"
    found = from_rows(tmp_path, "ann x 1\nann y 2", roster=roster)
    page = text_of(report(found, whys=explain(found, select_papers(found.round, ["x"]))))
    assert "handed in nothing: bob (Bob Ray), cid, x, y." in page
    assert "ann Ann Lee 1st of 2" in page


def test_ids_are_escaped(tmp_path):
    found = from_rows(tmp_path, "<b>a</b> <script>x 1\n<b>a</b> &y 2")
    page = report(found, whys=explain(found, [0, 1]))
    assert "<b>a" not in page
    assert "&lt;script&gt;x" in page


def test_the_command_that_verifies_does(tmp_path, capsys):
    found = from_rows(tmp_path, BALLOTS)
    kept = tmp_path / "its grades.csv"
    assert (
        run(["grade", str(tmp_path / "rankings.csv"), "--rule", "borda", "--staff-weight", "1", "--out", str(kept)])
        == 0
    )
    command = re.search(r"<pre[^>]*><code>(.*?)</code>", report(found, kept=kept), re.DOTALL)[1].replace("&#x27;", "'")
    assert run(shlex.split(command.replace("\\\n", ""))[1:]) == 0
    assert "Verified." in capsys.readouterr().out


def test_the_command_that_verifies_names_all_files(tmp_path):
    from peerorder.files.rounds import read_round
    from peerorder.rounds.grading import grade
    from peerorder.rounds.settings import GradeSettings

    files = [tmp_path / "rankings.csv", tmp_path / "more.csv"]
    for at, path in enumerate(files):
        path.write_text(f"grader,paper,rank\ng{at},x,1\ng{at},y,2\n")
    handouts = [tmp_path / "handout.csv", tmp_path / "handout2.csv"]
    for at, path in enumerate(handouts):
        path.write_text(f"grader,paper\ng{at},x\ng{at},y\n")
    found = grade(read_round(files, handout=handouts), GradeSettings("borda", marks="percentile"))
    kept = tmp_path / "grades.csv"
    words = ("grade", *files, "--rule", "borda", "--marks", "percentile", "--out", kept)
    words += tuple(word for path in handouts for word in ("--handout", path))
    assert run([str(word) for word in words]) == 0
    page = report(found, found.marking, kept=kept)
    command = re.search(r"<pre[^>]*><code>(.*?)</code>", page, re.DOTALL)[1]
    assert all(str(path) in command for path in (*files, *handouts))
    assert run(shlex.split(command.replace("\\\n", ""))[1:]) == 0
    assert "done=70,reliable=30" in page


@pytest.fixture
def forms(tmp_path):
    """Rankings as forms came back, a file for every grader, and the class graded."""
    (tmp_path / "returned").mkdir()
    for at in range(6):
        rows = "".join(f"s{at},s{(at + step) % 6},{step}\n" for step in (1, 2, 3))
        (tmp_path / "returned" / f"form-s{at}.csv").write_text("grader,paper,rank\n" + rows)
    (tmp_path / "roster.csv").write_text("student,name\n" + "".join(f"s{at},Person {at}\n" for at in range(6)))
    files = sorted((tmp_path / "returned").iterdir())
    return grade(read_round(files, roster=tmp_path / "roster.csv"), GradeSettings("borda"))


def test_a_page_about_many_forms_names_their_folder(forms, tmp_path):
    page = report(forms, kept=tmp_path / "grades.csv")
    assert "<title>Peer grading report: returned</title>" in page
    (command,) = re.findall(r"<code>(peerorder grade .*?)</code>", page, re.DOTALL)
    assert command.split()[:5] == ["peerorder", "grade", "--verify", f"{tmp_path}/grades.csv", f"{tmp_path}/returned"]
    assert "form-" not in command
    assert run(["grade", str(tmp_path / "returned"), "--roster", str(tmp_path / "roster.csv"), "--rule", "borda",
                "--out", str(tmp_path / "grades.csv")]) == 0  # fmt: skip
    assert run(shlex.split(command.replace("\\\n", ""))[1:]) == 0


def test_a_page_has_a_title_and_a_date_where_they_are_given(forms):
    page = report(forms, title="Logic 1 & 2", made=date(2026, 11, 7))
    assert "<title>Peer grading report: Logic 1 &amp; 2</title>" in page
    assert "Made on 7 November 2026" in page
    assert "Made on" not in report(forms)


def test_the_order_names_authors(forms):
    body = re.search(r'id="order-table".*?<tbody>(.*?)</tbody>', report(forms), re.DOTALL)[1]
    for at in range(6):
        assert re.search(rf'<th scope="row">s{at}<span class="quiet below">Person {at}</span>', body)


def test_a_long_table_says_that_it_scrolls(crowd, forms):
    assert "Scroll inside the table to see all 40 rows" in report(crowd)
    assert "Scroll inside" not in report(forms)


def test_a_rule_without_intervals_claims_none(forms, crowd):
    page = text_of(report(forms))
    for claim in ("how certain it is, and", "interval of", "nobody is flagged", "90% interval"):
        assert claim not in page
    assert "how certain it is, and" in text_of(report(crowd))


def test_everything_that_gives_the_same_again_is_there(crowd):
    page, about = report(crowd), crowd.provenance
    for value in (about["version"], about["profile"], *(source["sha256"] for source in about["inputs"].values())):
        assert value in page


def test_notes_and_rows_that_were_left_out(tmp_path):
    path = tmp_path / "rankings.csv"
    path.write_text("grader,paper,rank\na,x,1\na,y,2\na,z,good\n")
    from peerorder.files.rounds import read_round
    from peerorder.rounds.grading import grade
    from peerorder.rounds.settings import GradeSettings

    page = report(grade(read_round(path, lenient=True), GradeSettings("borda", lenient=True)))
    assert "1 row was skipped" in page
    assert "Skipped: " in page
    assert "row 4" in page


def test_marks_have_a_curve_a_band_and_a_distribution(crowd):
    marks = np.empty(40)
    marks[crowd.outcome.order] = np.linspace(90, 12, 40)
    page = report(crowd, Marking(marks, marks - 5, marks + 5, "curve:mean=50", {3: 44.0}))
    assert "from 90.0 for the first to 12.0 for the last" in page
    assert "curve:mean=50" in page
    assert 'class="anchors"' in page
    assert "Half have 51.0 or more" in page
    assert rows(page)[0][2:6] == ["90.0", "85.0", "to", "95.0"]
    assert 'id="marks"' in page
    assert 'id="marks"' not in report(crowd)


def test_papers_may_have_no_mark(crowd):
    marks = [None] * 40
    assert "No paper has a mark" in report(crowd, Marking(marks))
    marks[int(crowd.outcome.order[1])] = 50.0
    page = report(crowd, Marking(marks))
    assert [row[2] for row in rows(page)[:3]] == ["\N{EN DASH}", "50.0", "\N{EN DASH}"]


def test_letters_are_counted_the_best_first(tmp_path):
    found = from_rows(tmp_path, BALLOTS)
    page = report(found, Marking(["B", "B", "A"]))
    best_first = [["B", "B", "A"][paper] for paper in found.outcome.order]
    assert [row[2] for row in rows(page)] == best_first
    assert "B: 2 papers" in page
    assert 'class="curve"' not in page


def test_explained_papers_are_linked_and_the_first_few_open(tmp_path):
    found = from_rows(tmp_path, BALLOTS)
    page = report(found, whys=explain(found, select_papers(found.round, ["z"])))
    assert '<a href="#why-2">z</a>' in page
    assert page.count("<details") == 1
    assert 'open=""' in page


@pytest.mark.parametrize("rule", ["posterior", "borda"])
def test_the_smallest_rounds(rule, tmp_path):
    page = report(from_rows(tmp_path, "a x 1\na y 2", rule=rule))
    assert len(rows(page)) == 2


@pytest.mark.parametrize("smooth", [False, True])
def test_the_report_says_what_became_of_marks_by_staff(smooth, tmp_path):
    files = simulated(tmp_path)
    anchors = tmp_path / "anchors.csv"
    read = read_round(**files)
    order = grade(read, GradeSettings("borda")).outcome.order.tolist()
    papers = [read.papers[order[at]] for at in (4, 20, 35)]
    anchors.write_text(
        "paper,mark\n" + "".join(f"{paper},{mark}\n" for paper, mark in zip(papers, (91, 70, 33), strict=True))
    )
    found = grade(read_round(**files, anchors=anchors), GradeSettings("borda", smooth_anchors=smooth))
    page = report(found, marks=found.marking)
    assert ("keep the mark that staff gave" in page) == (not smooth)
    assert ("get the mark of the curve" in page) == smooth


def test_staff_may_mark_every_paper(tmp_path):
    found = from_rows(tmp_path, BALLOTS)
    marked = tmp_path / "anchors.csv"
    marks = {found.round.papers[paper]: 90 - 9 * at for at, paper in enumerate(found.outcome.order.tolist())}
    marked.write_text("paper,mark\n" + "".join(f"{paper},{mark}\n" for paper, mark in marks.items()))
    found = grade(read_round(tmp_path / "rankings.csv", anchors=marked), GradeSettings("borda"))
    assert [row[2] for row in rows(report(found, marks=found.marking))] == [f"{mark:.1f}" for mark in marks.values()]
