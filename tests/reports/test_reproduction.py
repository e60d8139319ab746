import re
from html.parser import HTMLParser

import pytest

from peerorder.reports.reproduction import page
from peerorder.studies.figure_style import svg
from peerorder.studies.figures import figure2, figure3, figure_table2

PROVENANCE = {"seed": 7, "version": "9.8.7", "table1": {"runs": 50, "code": "abc"}, "workers": [1, 2]}
# What HTML leaves open on purpose; all else must be closed, SVG elements included.
VOID = {"meta", "br", "hr"}


class Checker(HTMLParser):
    """Balanced tags, ids, links, texts and attributes of a page."""

    def __init__(self, text):
        super().__init__()
        self.open, self.ids, self.links, self.tags, self.texts = [], [], [], [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.handle_startendtag(tag, attrs)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        values = dict(attrs)
        self.tags.append((tag, values))
        self.ids += [values["id"]] if "id" in values else []
        for name in ("href", "xlink:href", "src"):
            self.links += [values[name]] if name in values else []

    def handle_endtag(self, tag):
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)

    def all(self, tag):
        return [values for name, values in self.tags if name == tag]


@pytest.fixture(scope="module")
def drawn():
    """Figures of any data: the page takes them as they are."""
    curve = [{"k": k, "rule": r, "recovered": 70.0 + k, "stderr": 0.1} for k in (2, 3) for r in ("borda", "rsd")]
    runs = [{"noise": 0, "run": at, "rule": r, "recovered": 90.0 + at} for at in (0, 1) for r in ("borda", "rsd")]
    cells = [
        {"k": 5, "noise": x, "rule": r, "recovered": 80.0, "paper": 80.0} for x in (0, 50) for r in ("borda", "rsd")
    ]
    return {"figure2": svg(figure2(curve)), "figure3": svg(figure3(runs)), "table2": svg(figure_table2(cells))}


@pytest.fixture
def whole(tables, drawn, law):
    return page(tables, drawn, PROVENANCE, law)


def test_tags_are_balanced_ids_unique_and_links_stay_inside(whole):
    found = Checker(whole)
    assert found.open == []
    assert len(found.ids) == len(set(found.ids))
    assert found.links
    assert all(link.startswith("#") and link[1:] in found.ids for link in found.links)


def test_it_needs_neither_network_nor_script(whole):
    found = Checker(whole)
    assert {tag for tag, _ in found.tags}.isdisjoint({"script", "link", "img", "iframe", "object"})
    assert "@import" not in whole
    assert not re.search(r"url\((?!#)", whole)


def test_the_same_input_gives_the_same_page(tables, drawn, law, whole):
    assert page(tables, drawn, PROVENANCE, law) == whole


def test_the_summary_counts_what_holds_and_names_seed_version_and_runs(tables, drawn, law, whole):
    texts = Checker(whole).texts
    # 36 + 45 numbers of the paper, 3 large classes, 24 points of the law, 18 of MC4 with restart.
    for fact in ("126 of 126", "50", "7", "9.8.7"):
        assert fact in texts
    tables["table1"][0]["recovered"] += 3
    assert "125 of 126" in Checker(page(tables, drawn, PROVENANCE, law)).texts


def test_every_number_of_both_tables_is_on_the_page(tables, whole):
    texts = Checker(whole).texts
    for row in tables["table1"] + tables["table2"]:
        assert f"{row['recovered']:.2f}" in texts


def test_deviations_are_marked_and_explained(tables, drawn, law):
    assert "beyond tolerance" not in page(tables, drawn, PROVENANCE, law)
    tables["table1"][0]["recovered"] += 3
    tables["table1"][-1]["recovered"] += 3
    tables["table2"][0]["recovered"] += 3
    tables["figure2"][0]["recovered"] += 3
    found = Checker(page(tables, drawn, PROVENANCE, law))
    assert sorted(name for name in found.ids if name.startswith("note-")) == [
        "note-1.1",
        "note-1.2",
        "note-2.1",
        "note-3.1",
        "note-3.2",
    ]
    assert all(link[1:] in found.ids for link in found.links)
    assert len(found.ids) == len(set(found.ids))
    assert sum("points where" in text for text in found.texts) == 5
    assert found.all("details") == [{"open": ""}]


@pytest.mark.parametrize("left_out", ["table1", "table2", "figure2", "figure3"])
def test_a_missing_study_leaves_its_section_out_and_nothing_else(tables, drawn, law, left_out):
    titles = {
        "table1": "Table 1: perfect grading",
        "figure2": "Figure 2: the bundle size",
        "table2": "Table 2: noisy graders",
        "figure3": "Figure 3: single runs",
    }
    rest = {name: rows for name, rows in tables.items() if name != left_out}
    found = Checker(page(rest, {name: drawing for name, drawing in drawn.items() if name != left_out}, PROVENANCE, law))
    assert found.open == []
    for name, title in titles.items():
        assert found.texts.count(title) == (0 if name == left_out else 2)


def test_an_empty_study_is_a_missing_one(tables, drawn, law):
    one = {"table1": tables["table1"]}
    assert page({**one, "table2": []}, {}, PROVENANCE, law) == page(one, {}, PROVENANCE, law)


def test_a_page_of_nothing_still_is_a_page():
    found = Checker(page({}, {}, {}))
    assert found.open == []
    assert len(found.all("h1")) == 1
    assert found.all("table") == []
    assert [values["id"] for values in found.all("section")] == ["summary"]


def test_a_study_without_its_figure_shows_its_numbers(tables, law):
    found = Checker(page(tables, {}, PROVENANCE, law))
    assert [values for values in found.all("svg") if "role" in values] == found.all("figure") == []
    assert len(found.all("table")) == 6


LARGE = "Borda on random bundles: a large class beside that of Table 1."


@pytest.mark.parametrize(
    ("printed", "large", "labels"),
    [(True, True, ["Table 1", LARGE]), (True, False, ["Table 1"]), (False, True, [])],
)
def test_table_1_and_the_remark_on_large_classes_that_leans_on_it(tables, printed, large, labels):
    rows = [row for row in tables["table1"] if (large if row["paper"] is None else printed)]
    found = Checker(page({"table1": rows}, {}, {}))
    shown = [values.get("aria-label") for _, values in found.tags]
    assert [label for label in ("Table 1", LARGE) if label in shown] == labels


def test_single_runs_make_a_page_without_errors(tables, drawn, law):
    single = {
        name: [
            {**row, **({"runs": 1, "stderr": None} if "runs" in row else {})} for row in rows if row.get("run", 0) == 0
        ]
        for name, rows in tables.items()
    }
    text = page(single, drawn, PROVENANCE, law)
    assert Checker(text).open == []
    main = text[text.index("<main>") :]
    assert "± 0.0" not in re.sub(r"<svg.*?</svg>", "", main, flags=re.DOTALL)


def test_without_a_law_nothing_is_said_about_one(tables):
    text = page({"figure2": tables["figure2"]}, {}, PROVENANCE)
    assert "exact law" not in text


def test_special_characters_are_escaped(tables, law):
    evil = "<script>alert('&\"')</script>"
    tables["table1"] = [{**row, "scheme": evil} for row in tables["table1"]]
    tables["table2"] = [
        {**row, "rule": evil, "paper": None} if row["rule"] == "mc4" else row for row in tables["table2"]
    ]
    tables["figure2"] = [{**row, "rule": evil} if row["rule"] == "rsd" else row for row in tables["figure2"]]
    text = page(tables, {}, {evil: {evil: [evil]}, "seed": evil}, law)
    found = Checker(text)
    assert found.open == []
    assert found.all("script") == []
    assert evil in found.texts
    # The scheme heads a column and is named in the summary, the rule heads a column, the rest is provenance.
    assert "".join(found.texts).count(evil) >= 6


def test_it_is_accessible(whole):
    found = Checker(whole)
    assert [values["lang"] for values in found.all("html")] == ["en"]
    assert len(found.all("h1")) == 1
    tables = len(found.all("table"))
    assert tables == len(found.all("caption")) == 6
    assert all("scope" in values for values in found.all("th"))
    regions = [values for tag, values in found.tags if values.get("class") == "wide"]
    assert len(regions) == tables + 3
    assert all(values["tabindex"] == "0" and values["role"] == "region" and values["aria-label"] for values in regions)
    pictures = [values for values in found.all("svg") if values.get("aria-hidden") != "true"]
    assert len(pictures) == len(found.all("figcaption")) == 3
    assert all(values["role"] == "img" and values["aria-label"] for values in pictures)
    for rule in ("prefers-color-scheme: dark", "@media print", "overflow-x: auto"):
        assert rule in whole


def test_headings_do_not_skip_a_level(whole):
    levels = [int(tag[1]) for tag, _ in Checker(whole).tags if re.fullmatch(r"h[1-6]", tag)]
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in zip(levels, levels[1:], strict=False))


def test_provenance_is_shown_in_plain_words(whole):
    found = Checker(whole)
    assert "runs: 50, code: abc" in found.texts
    assert "[1, 2]" in found.texts
