from collections import Counter
from dataclasses import replace

import pytest

from peerorder.core.errors import UnknownNameError
from peerorder.studies import GROUPS, OF_THE_PAPER, STUDIES, run_studies, study
from peerorder.studies.published import published
from tests.sizes import sized


@pytest.mark.parametrize("name", STUDIES)
def test_every_study_has_a_name_a_title_and_cells(name):
    made = study(name)
    assert made.name == name
    assert made.title
    assert len(set(made.cells)) == len(made.cells)


def test_groups_are_of_studies_and_the_teams_gain_belongs_to_robustness():
    assert GROUPS["all"] == OF_THE_PAPER
    assert GROUPS["robustness"] == ("robustness", "collusion")
    assert {name for names in GROUPS.values() for name in names} <= set(STUDIES)
    # So that a figure of the one never takes the file of the other.
    tables = [table.name for name in STUDIES for table in study(name).tables]
    assert len(set(tables)) == len(tables)


def test_an_unknown_study_names_the_nearest_or_those_there_are():
    with pytest.raises(UnknownNameError, match="did you mean table1"):
        study("tabel1")
    with pytest.raises(UnknownNameError, match="table1, figure2, table2, figure3"):
        study("everything")


def test_table_1_has_every_setting_of_the_paper_and_the_remark():
    cells = study("table1").cells
    assert len(cells) == 18 + 3
    assert [(cell.n, cell.k, cell.rules) for cell in cells[18:]] == [(10_000, k, ("borda",)) for k in (3, 8, 12)]
    assert {cell.noise for cell in cells} == {"perfect"}
    assert study("table1").runs == 50


def test_table_2_has_every_setting_of_the_paper_and_one_more_rule():
    made = study("table2")
    assert {(cell.k, cell.n) for cell in made.cells} == {(k, 1000) for k in (5, 8, 12)}
    assert len(made.cells) == 18
    assert made.cells[0].rules == ("borda", "rsd", "mc4", "mc4-restart")
    assert made.runs == 50


def test_figures_are_as_the_paper_describes_them():
    two, three = study("figure2"), study("figure3")
    assert [cell.k for cell in two.cells] == list(range(2, 26))
    assert {(cell.n, cell.noise) for cell in two.cells} == {(1000, "perfect")}
    assert {(cell.n, cell.k) for cell in three.cells} == {(1000, 8)}
    assert three.runs == 500


def test_published_numbers_are_all_there():
    assert len(published("table1")) == 36
    assert Counter(row["recovered"] is None for row in published("table2")) == {False: 45, True: 9}
    assert {row["k"] for row in published("table2") if row["recovered"] is None} == {12}


@pytest.mark.processes
@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "rows", "tolerance"),
    [("table1", 39, {"borda": 3.0, "rsd": 9.0}), ("table2", 72, {"borda": 3.0, "rsd": 9.0})],
)
def test_tables_come_near_the_paper_even_with_one_run(name, rows, tolerance):
    made = study(name)
    table = made.rows(run_studies([made], runs=1)[name])
    assert len(table) == rows
    assert set(table[0]) == set(made.columns)
    for row in table:
        if row["paper"] is not None:
            assert abs(row["recovered"] - row["paper"]) < tolerance.get(row["rule"], 3.0), row
    assert Counter(row["paper"] is None for row in table)[True] == {"table1": 3, "table2": 9 + 18}[name]


def rows_of(name, n, runs):
    """What a study gives in classes of another size."""
    made = study(name)
    cells = {replace(cell, n=n): cell for cell in made.cells}
    results = run_studies([replace(made, cells=tuple(cells))], runs=runs, workers=1)[name]
    return made.rows({cells[cell]: found for cell, found in results.items()})


@pytest.mark.slow
@sized("n", 200, full=1000)
def test_figures_have_their_rows(n):
    rows = rows_of("figure2", n, runs=1)
    assert [(row["k"], row["rule"]) for row in rows] == [(k, rule) for k in range(2, 26) for rule in ("borda", "rsd")]
    rows = rows_of("figure3", n, runs=2)
    assert [(row["noise"], row["run"], row["rule"]) for row in rows] == [
        (noise, run, rule) for noise in (0, 50) for run in (0, 1) for rule in ("borda", "rsd")
    ]
    assert all(0 <= row["recovered"] <= 100 for row in rows)
