import math

import pytest

from peerorder.core.errors import InputError
from peerorder.reports.comparison import (
    Comparison,
    Verdict,
    across_sizes,
    against_law,
    against_paper,
    checks,
    restart_against_borda,
    runs_a_cell,
    standard_error,
)


def table1_row(recovered, paper=73.3, rule="borda", stderr=0.1, **others):
    row = {"k": 2, "n": 1002, "scheme": "random", "rule": rule, "recovered": recovered}
    return {**row, "stderr": stderr, "runs": 50, "paper": paper, **others}


def table2_row(recovered, paper=88.3, rule="borda", stderr=0.1, **others):
    row = {"k": 8, "noise": 50, "rule": rule, "recovered": recovered}
    return {**row, "stderr": stderr, "runs": 50, "paper": paper, **others}


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize(
    ("study", "row", "paper", "rule", "tolerance"),
    [
        ("table1", table1_row, 73.3, "borda", 0.7),
        ("table1", table1_row, 62.7, "rsd", 1.0),
        ("table2", table2_row, 88.3, "borda", 0.6),
        ("table2", table2_row, 74.0, "rsd", 1.5),
        ("table2", table2_row, 84.3, "mc4", 0.8),
    ],
)
def test_a_number_at_its_tolerance_is_within_and_a_thousandth_more_is_beyond(study, row, paper, rule, tolerance, sign):
    at = round(paper + sign * tolerance, 3)
    past = round(paper + sign * (tolerance + 0.001), 3)
    (edge,) = against_paper(study, [row(at, paper, rule)])
    assert edge.tolerance == tolerance
    assert edge.difference == pytest.approx(sign * tolerance)
    assert edge.verdict is Verdict.WITHIN
    (over,) = against_paper(study, [row(past, paper, rule)])
    assert over.verdict is Verdict.BEYOND


def test_rsd_in_table_1_may_be_off_by_three_standard_errors():
    wide = table1_row(73.6, 72.0, "rsd", stderr=0.5)
    assert [c.tolerance for c in against_paper("table1", [wide])] == [1.5]
    assert against_paper("table1", [{**wide, "recovered": 73.5}])[0].verdict is Verdict.WITHIN
    assert against_paper("table1", [wide])[0].verdict is Verdict.BEYOND


def test_three_standard_errors_are_for_rsd_in_table_1_alone():
    assert against_paper("table1", [table1_row(80.0, 73.3, "borda", stderr=5.0)])[0].tolerance == 0.7
    assert against_paper("table2", [table2_row(80.0, 74.0, "rsd", stderr=5.0)])[0].tolerance == 1.5


@pytest.mark.parametrize("row", [{"stderr": None, "runs": 50}, {"stderr": 0.0, "runs": 1}, {"stderr": 2.0, "runs": 1}])
def test_one_run_has_no_standard_error(row):
    assert standard_error(row) is None
    (c,) = against_paper("table1", [table1_row(62.0, 62.7, "rsd") | row])
    assert (c.stderr, c.tolerance) == (None, 1.0)


def test_a_cell_that_the_paper_leaves_empty_is_new():
    (c,) = against_paper("table2", [table2_row(92.4, None)])
    assert (c.difference, c.difference_stderr, c.verdict) == (None, 0.1, Verdict.NEW)


def test_all_cells_of_the_paper_are_compared_and_no_others(tables):
    table1, table2 = against_paper("table1", tables["table1"]), against_paper("table2", tables["table2"])
    assert (len(table1), len(table2)) == (36, 54)
    assert {c.rule for c in table2} == {"borda", "rsd", "mc4"}
    assert all(c.n < 2000 for c in table1)
    new = [c for c in table2 if c.verdict is Verdict.NEW]
    assert sorted((c.noise, c.rule) for c in new) == [(x, r) for x in (30, 40, 50) for r in ("borda", "mc4", "rsd")]
    assert {c.k for c in new} == {12}


def test_records_hold_the_numbers_of_their_rows(tables):
    for c, row in zip(against_paper("table1", tables["table1"]), tables["table1"], strict=False):
        assert (c.k, c.n, c.scheme, c.rule) == (row["k"], row["n"], row["scheme"], row["rule"])
        assert (c.recovered, c.stderr, c.runs, c.reference) == (row["recovered"], 0.05, 50, row["paper"])
        assert c.difference == pytest.approx(row["recovered"] - row["paper"])
        assert c.noise is None


def test_a_number_of_the_paper_for_a_rule_it_does_not_have_is_an_error():
    with pytest.raises(InputError, match="mc4-restart"):
        against_paper("table2", [table2_row(88.0, 88.3, "mc4-restart")])


@pytest.mark.parametrize("column", ["stderr", "paper", "runs"])
def test_a_missing_column_is_an_error_that_names_it(column):
    row = table1_row(73.3)
    del row[column]
    with pytest.raises(InputError, match=f"table1 lacks the column {column}"):
        against_paper("table1", [row])


def test_rows_without_a_number_are_left_out():
    assert against_paper("table1", [table1_row(None)]) == []


@pytest.mark.parametrize(("large", "verdict"), [(82.9, Verdict.WITHIN), (82.899, Verdict.BEYOND)])
def test_large_classes_are_held_against_table_1(large, verdict):
    rows = [
        table1_row(83.3, 83.0, k=3, n=1001, stderr=0.4),
        table1_row(60.0, 66.0, k=3, n=1001, scheme="planes"),
        table1_row(large, None, k=3, n=10_000, stderr=0.3),
    ]
    (c,) = across_sizes(rows)
    assert (c.n, c.recovered, c.reference, c.against) == (10_000, large, 83.3, "table1")
    assert c.difference_stderr == pytest.approx(0.5)
    assert c.verdict is verdict


def test_a_large_class_without_its_small_one_has_nothing_to_be_held_against():
    assert across_sizes([table1_row(83.0, None, k=3, n=10_000), table1_row(73.3)]) == []


@pytest.mark.parametrize(
    ("restart", "verdict"),
    [(88.0, Verdict.WITHIN), (87.5, Verdict.WITHIN), (87.499, Verdict.BEYOND), (99.0, Verdict.WITHIN)],
)
def test_mc4_restart_may_be_one_standard_error_of_the_difference_below_borda(restart, verdict):
    rows = [table2_row(restart, None, "mc4-restart", stderr=0.4), table2_row(88.0, stderr=0.3)]
    (c,) = restart_against_borda(rows)
    assert (c.reference, c.against) == (88.0, "borda")
    assert c.difference_stderr == pytest.approx(0.5)
    assert c.verdict is verdict


def test_mc4_restart_of_single_runs_has_no_tolerance_below_borda():
    def rows(restart):
        return [table2_row(restart, None, "mc4-restart", stderr=None), table2_row(88.0, stderr=None)]

    assert restart_against_borda(rows(88.0))[0].verdict is Verdict.WITHIN
    assert restart_against_borda(rows(87.9))[0].verdict is Verdict.BEYOND
    assert restart_against_borda(rows(88.0))[0].difference_stderr is None


def test_mc4_restart_is_compared_in_its_own_cell(tables):
    borda = {(row["k"], row["noise"]): row["recovered"] for row in tables["table2"] if row["rule"] == "borda"}
    records = restart_against_borda(tables["table2"])
    assert len(records) == 18
    assert all(c.reference == borda[c.k, c.noise] for c in records)
    without = [row for row in tables["table2"] if (row["rule"], row["k"]) != ("borda", 5)]
    assert {c.k for c in restart_against_borda(without)} == {8, 12}


@pytest.mark.parametrize(("recovered", "verdict"), [(73.63, Verdict.WITHIN), (73.631, Verdict.BEYOND)])
def test_figure_2_is_held_against_the_law(recovered, verdict):
    rows = [
        {"k": 2, "rule": "borda", "recovered": recovered, "stderr": 0.1, "runs": 50},
        {"k": 2, "rule": "rsd", "recovered": 62.7, "stderr": 0.1, "runs": 50},
        {"k": 3, "rule": "borda", "recovered": 83.0, "stderr": 0.1, "runs": 50},
    ]
    (c,) = against_law("figure2", rows, {2: 73.33})
    assert (c.k, c.rule, c.reference, c.verdict) == (2, "borda", 73.33, verdict)


def test_checks_count_what_holds(tables, law):
    found = checks(tables, law)
    assert [(check.within, check.compared, len(check.cases)) for check in found] == [
        (36, 36, 36),
        (3, 3, 3),
        (24, 24, 24),
        (45, 45, 54),
        (18, 18, 18),
    ]
    tables["table1"][0]["recovered"] += 5
    first = checks(tables, law)[0]
    assert (first.within, first.compared) == (35, 36)
    assert first.worst.where == "k=2, n=1002, random k-regular, Borda"
    assert first.worst.difference == pytest.approx(5, abs=0.11)


def test_the_worst_of_a_one_sided_check_is_the_lowest(tables):
    rows = tables["table2"]
    for row in rows:
        if row["rule"] == "mc4-restart" and row["k"] == 5:
            row["recovered"] += {50: 9, 40: -0.45}.get(row["noise"], 0)
    check = checks({"table2": rows})[-1]
    assert (check.worst.k, check.worst.noise) == (5, 40)


@pytest.mark.parametrize(
    ("names", "count"),
    [(("table1",), 2), (("table2",), 2), (("figure2",), 1), (("figure3",), 0), ((), 0), (("table1", "figure2"), 3)],
)
def test_checks_of_the_studies_at_hand(tables, law, names, count):
    assert len(checks({name: tables[name] for name in names}, law)) == count


def test_the_law_for_erring_graders_is_held_against_table_2(tables):
    rows = [row for row in tables["table2"] if row["rule"] == "borda"]
    law = {(row["k"], row["noise"]): row["recovered"] for row in rows if row["noise"] == 50}
    law[8, 50] -= 0.75
    check = checks({"table2": tables["table2"]}, None, law)[-1]
    assert (check.within, check.compared) == (2, 3)
    assert check.worst.where == "k=8, noise 50%, Borda"


def test_without_a_law_figure_2_is_not_checked(tables):
    assert checks({"figure2": tables["figure2"]}) == []


def test_runs_a_cell_is_one_number_or_a_range(tables):
    assert runs_a_cell(tables) == "50"
    tables["table2"][0]["runs"] = 5
    assert runs_a_cell(tables) == "5 to 50"
    assert runs_a_cell({"figure3": tables["figure3"]}) == ""


def test_where_names_the_cell():
    c = Comparison("table2", 8, "mc4-restart", 90.0, None, 1, 88.0, 0.0, noise=50)
    assert c.where == "k=8, noise 50%, MC4 with restart"
    assert Comparison("x", 3, "rsd", 1.0, None, 1, None, 0.0, n=10_000, scheme="planes").where == (
        "k=3, n=10,000, copies of the plane (girth 6), RSD"
    )


def test_the_difference_forgets_what_binary_fractions_add():
    c = Comparison("table1", 2, "borda", 74.0, None, 1, 73.3, 0.7)
    assert 74.0 - 73.3 > 0.7
    assert c.difference == 0.7
    assert c.difference_stderr is None
    assert math.isclose(Comparison("x", 2, "borda", 1.0, 3.0, 9, 1.0, 0.0, reference_stderr=4.0).difference_stderr, 5.0)
