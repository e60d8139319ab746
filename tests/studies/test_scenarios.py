from collections import Counter

from peerorder.noise import NOISES
from peerorder.rules import RULES
from peerorder.studies import OF_THE_PAPER, STUDIES, study
from peerorder.studies.scenarios import COMPLETE_LISTS, OF_TABLE_2, SCENARIOS, TIED, at_defaults, panels


def test_every_scenario_is_a_noise_model_of_its_own():
    specs = [NOISES.parse(noise).spec for noise in SCENARIOS.values()]
    assert len(set(specs)) == len(specs) == 21


def test_the_study_has_every_rule_in_every_scenario_at_three_sizes():
    made = study("robustness")
    usual = made.cells[: 3 * len(SCENARIOS)]
    assert {(cell.k, cell.n, cell.graders) for cell in usual} == {(k, 1000, None) for k in (5, 8, 12)}
    assert all(cell.rules[: len(RULES.names)] == tuple(RULES.names) for cell in made.cells)
    assert len(made.cells) == len(usual) + len(COMPLETE_LISTS)
    assert made.columns == ("scenario", "k", "rule", "recovered", "stderr", "runs")


def test_quality_tied_to_place_is_tried_in_the_cells_of_table_2_alone():
    made, table = study("robustness"), study("table2")
    tied = {(cell.k, cell.noise) for cell in made.cells if cell.rules[len(RULES.names) :] == (TIED,)}
    assert tied == {(cell.k, cell.noise) for cell in table.cells}
    assert {cell.rules for cell in made.cells if (cell.k, cell.noise) not in tied} == {tuple(RULES.names)}
    assert RULES.parse(TIED).spec == TIED
    assert list(OF_TABLE_2.values()) == [0, 10, 20, 30, 40, 50]


def test_complete_lists_are_ten_papers_ranked_by_twenty_graders_in_ten_times_as_many_runs():
    made = study("robustness")
    lists = made.cells[-len(COMPLETE_LISTS) :]
    assert {(cell.n, cell.k, cell.graders) for cell in lists} == {(10, 10, 20)}
    assert [cell.noise for cell in lists] == [NOISES.parse(noise).spec for noise in COMPLETE_LISTS.values()]
    runs = Counter(run.cell for run in made.planned(0, None))
    assert {runs[cell] for cell in lists} == {200}
    assert {runs[cell] for cell in made.cells if cell not in lists} == {20}


def test_the_streams_of_published_rows_keep_their_names():
    """They are made of the cells' keys, so a key that changes changes the published numbers."""
    keys = [cell.key for cell in study("robustness").cells]
    assert keys[6] == "random n=1000 k=5 condorcet:tied=no"
    assert keys[17] == "random n=1000 k=5 thurstone:sigma=0.3,pull=0.5"
    assert keys[-1] == "complete n=10 k=10 graders=20 thurstone:sigma=0.3,taste=0.7,schools=3"


def test_complete_lists_are_shown_last():
    names = [*COMPLETE_LISTS, *SCENARIOS]
    rows = [{"scenario": name, "k": k} for name in names for k in ((10,) if name in COMPLETE_LISTS else (12, 5, 8))]
    shown = panels(rows)
    assert list(shown) == [5, 8, 12, 10]
    assert [row["scenario"] for row in shown[10]] == list(COMPLETE_LISTS)
    assert [row["scenario"] for row in shown[5]] == list(SCENARIOS)


def test_rows_name_the_scenario():
    made = study("robustness")
    results = {cell: [dict.fromkeys(cell.rules, 90.0)] for cell in made.cells[:2]}
    rows = made.rows(results)
    assert [row["scenario"] for row in rows[:: len(RULES.names) + 1]] == list(SCENARIOS)[:2]
    assert rows[0] == {
        "scenario": "condorcet 0, tied to place",
        "k": 5,
        "rule": "posterior",
        "recovered": 90.0,
        "stderr": None,
        "runs": 1,
    }
    assert [row["rule"] for row in at_defaults(rows)] == [*RULES.names, *RULES.names]


def test_it_is_run_by_name_only():
    assert "robustness" in STUDIES
    assert "robustness" not in OF_THE_PAPER
