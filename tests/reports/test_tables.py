import re

from peerorder.reports.comparison import Verdict, across_sizes, against_law, against_paper, restart_against_borda
from peerorder.reports.table_cells import bullets, table
from peerorder.reports.tables import curve_table, footnotes, size_table, spread_table, table1, table2


def cells_of(markup):
    """The table as rows of texts: tags away, blanks squeezed."""
    rows = re.findall(r"<tr>(.*?)</tr>", markup)
    texts = [re.findall(r"<(?:td|th)\b[^>]*>(.*?)</(?:td|th)>", row) for row in rows]
    return [[" ".join(re.sub(r"<[^>]+>", " ", cell).split()) for cell in row] for row in texts]


def test_table_1_is_laid_out_as_in_the_paper(tables):
    rows = cells_of(table1(against_paper("table1", tables["table1"]), {}))
    assert rows[0] == ["Graph", "random k-regular", "copies of the plane (girth 6)", "copies of K(k,k)"]
    assert rows[1] == ["k", "n", "Borda", "RSD", "Borda", "RSD", "Borda", "RSD"]
    assert [row[:2] for row in rows[2:]] == [
        ["2", "1002"],
        ["3", "1001"],
        ["4", "1001"],
        ["6", "1023"],
        ["8", "1026"],
        ["12", "1064"],
    ]


def test_every_cell_of_table_1_shows_ours_its_error_the_papers_and_the_difference(tables):
    rows = cells_of(table1(against_paper("table1", tables["table1"]), {}))[2:]
    columns = [(scheme, rule) for scheme in ("random", "planes", "complete") for rule in ("borda", "rsd")]
    given = {(str(r["k"]), r["scheme"], r["rule"]): r for r in tables["table1"] if r["paper"] is not None}
    assert len(given) == 36
    for row in rows:
        for (scheme, rule), text in zip(columns, row[2:], strict=True):
            cell = given[row[0], scheme, rule]
            ours, error, paper, difference = re.fullmatch(r"(\S+) ± (\S+) printed (\S+) (\S+)", text).groups()
            assert ours == f"{cell['recovered']:.2f}"
            assert error == "0.05"
            assert float(paper) == cell["paper"]
            shown = float(difference.replace("\N{MINUS SIGN}", "-"))
            assert abs(shown - (cell["recovered"] - cell["paper"])) < 0.00501


def test_a_cell_that_was_not_run_says_so(tables):
    rows = [row for row in tables["table1"] if (row["k"], row["rule"]) != (3, "rsd")]
    table = cells_of(table1(against_paper("table1", rows), {}))
    assert [text == "not run" for text in table[3][2:]] == [False, True] * 3


def test_single_runs_show_no_standard_error(tables):
    rows = [{**row, "runs": 1, "stderr": None} for row in tables["table1"]]
    assert "±" not in table1(against_paper("table1", rows), {})


def test_what_is_beyond_tolerance_is_marked_by_sign_words_and_note(tables):
    tables["table1"][0]["recovered"] = 75.3
    tables["table1"][1]["recovered"] = 60.2
    comparisons = against_paper("table1", tables["table1"])
    numbers = {comparisons[0]: "1.1", comparisons[1]: "1.2"}
    made = table1(comparisons, numbers)
    first = cells_of(made)[2]
    assert "\N{BLACK UP-POINTING TRIANGLE} +2.00 beyond tolerance 1.1" in first[2]
    assert "\N{BLACK DOWN-POINTING TRIANGLE} \N{MINUS SIGN}2.50 beyond tolerance 1.2" in first[3]
    assert made.count("beyond tolerance") == made.count('class="cell beyond"') == 2
    notes = footnotes(comparisons, numbers)
    for number in numbers.values():
        assert f'href="#note-{number}" id="mark-{number}"' in made
        assert f'id="note-{number}"' in notes
        assert f'href="#mark-{number}"' in notes


def test_no_notes_where_nothing_is_beyond(tables):
    assert footnotes(against_paper("table1", tables["table1"]), {}) is None


def test_table_2_has_a_block_for_each_k_and_the_noise_falling(tables):
    rows = cells_of(table2(against_paper("table2", tables["table2"]), restart_against_borda(tables["table2"]), {}))
    assert rows[0] == ["Noise level", "Borda", "RSD", "MC4", "MC4 with restart", "less Borda ± s.e."]
    levels = ["50%", "40%", "30%", "20%", "10%", "0% (perfect)"]
    assert [row[0] for row in rows[1:]] == ["k = 5", *levels, "k = 8", *levels, "k = 12", *levels]


def test_table_2_fills_the_nine_cells_and_marks_them_in_words(tables):
    comparisons = against_paper("table2", tables["table2"])
    made = table2(comparisons, [], {})
    new = [f"{c.recovered:.2f} ± 0.05 new none in the article" for c in comparisons if c.verdict is Verdict.NEW]
    assert len(new) == 9
    shown = [text for row in cells_of(made) for text in row if "new" in text.split()]
    assert sorted(shown) == sorted(new)
    assert "with restart" not in made


def test_table_2_holds_mc4_restart_against_borda(tables):
    made = cells_of(table2(against_paper("table2", tables["table2"]), restart_against_borda(tables["table2"]), {}))
    given = {(r["k"], r["noise"], r["rule"]): r["recovered"] for r in tables["table2"]}
    restart, borda = given[5, 50, "mc4-restart"], given[5, 50, "borda"]
    assert made[2][4] == f"{restart:.2f} ± 0.05"
    assert made[2][5] == f"{restart - borda:+.2f} ± 0.07"


def test_table_2_without_borda_in_a_cell_has_no_comparison_there(tables):
    rows = [row for row in tables["table2"] if (row["k"], row["noise"], row["rule"]) != (5, 50, "borda")]
    made = cells_of(table2(against_paper("table2", rows), restart_against_borda(rows), {}))
    assert [made[2][at] for at in (1, 4, 5)] == ["not run"] * 3


def test_the_table_of_large_classes(tables):
    made = cells_of(size_table(across_sizes(tables["table1"]), {}))
    given = {
        (r["k"], r["n"]): r["recovered"] for r in tables["table1"] if (r["scheme"], r["rule"]) == ("random", "borda")
    }
    assert [row[:2] for row in made[1:]] == [["3", "10,000"], ["8", "10,000"], ["12", "10,000"]]
    assert made[1][2] == f"{given[3, 10_000]:.2f} ± 0.01"
    assert made[1][3] == f"{given[3, 1001]:.2f} ± 0.05"
    assert made[1][4].endswith("± 0.05")


def test_the_numbers_of_figure_2(tables, law):
    rows = [row for row in tables["figure2"] if (row["k"], row["rule"]) != (4, "rsd")]
    part = {k: y for k, y in law.items() if k != 3}
    made = cells_of(curve_table(rows, against_law("figure2", rows, part), {}))
    assert made[0] == ["k", "Borda", "RSD", "exact law of Borda", "Borda less law"]
    assert [row[0] for row in made[1:]] == [str(k) for k in law]
    assert made[1][1] == f"{rows[0]['recovered']:.2f} ± 0.05"
    assert made[1][3] == f"{law[2]:.2f}"
    assert made[2][3:] == ["not run", "not run"]
    assert made[3][2] == "not run"
    assert len(cells_of(curve_table(rows, [], {}))[0]) == 3
    stopped = [{**rows[0], "recovered": None, "stderr": None}, *rows[1:]]
    assert cells_of(curve_table(stopped, [], {}))[1][1] == "\N{EN DASH}"


def test_the_numbers_of_figure_3(tables):
    made = cells_of(spread_table(tables["figure3"]))
    assert made[0] == ["Graders", "runs", "Borda", "RSD", "runs with RSD ahead"]
    assert [(row[0], row[1], row[4]) for row in made[1:]] == [
        ("Noise level 50%", "30", "0"),
        ("Perfect grading", "30", "30"),
    ]
    assert all("±" in text for row in made[1:] for text in row[2:4])
    assert spread_table([row for row in tables["figure3"] if row["rule"] == "rsd"]) is None


def test_what_is_not_known_is_a_dash_and_a_column_of_it_is_left_out():
    rows = cells_of(table("Some", ("paper", "place", "mark"), [("a", None, "1"), ("b", None, None), ("c", None, "")]))
    assert rows == [["paper", "mark"], ["a", "1"], ["b", "\N{EN DASH}"], ["c", ""]]
    assert cells_of(table("None", ("paper", "mark"), [])) == [["paper", "mark"]]


def test_long_lists_say_how_many_more_there_are():
    assert bullets(["a", "b", "c"], most=2) == "<ul><li>a</li><li>b</li><li>and 1 more</li></ul>"
    assert bullets(["<a>"], most=1) == "<ul><li>&lt;a&gt;</li></ul>"
    assert bullets([]) is None
