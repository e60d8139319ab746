from peerorder.noise import NOISES
from peerorder.rules import RULES
from peerorder.studies import OF_THE_PAPER, STUDIES, study
from peerorder.studies.scenarios import OF_TABLE_2, SCENARIOS, TIED, at_defaults


def test_every_scenario_is_a_noise_model_of_its_own():
    specs = [NOISES.parse(noise).spec for noise in SCENARIOS.values()]
    assert len(set(specs)) == len(specs) == 19


def test_the_study_has_every_rule_in_every_scenario_at_three_sizes():
    made = study("robustness")
    assert len(made.cells) == 3 * len(SCENARIOS)
    assert {cell.k for cell in made.cells} == {5, 8, 12}
    assert all(cell.rules[: len(RULES.names)] == tuple(RULES.names) for cell in made.cells)
    assert made.columns == ("scenario", "k", "rule", "recovered", "stderr", "runs")


def test_quality_tied_to_place_is_tried_in_the_cells_of_table_2_alone():
    made, table = study("robustness"), study("table2")
    tied = {(cell.k, cell.noise) for cell in made.cells if cell.rules[len(RULES.names) :] == (TIED,)}
    assert tied == {(cell.k, cell.noise) for cell in table.cells}
    assert {cell.rules for cell in made.cells if (cell.k, cell.noise) not in tied} == {tuple(RULES.names)}
    assert RULES.parse(TIED).spec == TIED
    assert list(OF_TABLE_2.values()) == [0, 10, 20, 30, 40, 50]


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
