import re

import pytest

from peerorder.core.errors import InputError
from peerorder.reports.acceptance import STRAY, TARGETS, above_borda, near_the_best, on_table_2, target_checks
from peerorder.reports.comparison import Verdict
from peerorder.reports.deviations import explanation
from peerorder.reports.reproduction import page
from peerorder.studies.scenarios import OF_TABLE_2, SCENARIOS, TIED


def row(scenario, k, rule, recovered, stderr=0.1):
    return {"scenario": scenario, "k": k, "rule": rule, "recovered": recovered, "stderr": stderr, "runs": 20}


def study(shift=0.0, tied=0.0):
    """Rows in which everything is kept, with posterior and the option off by as much."""
    rows = []
    for k in (5, 8, 12):
        for scenario in SCENARIOS:
            target = TARGETS.get((k, OF_TABLE_2.get(scenario, -1)), 92.0)
            rows += [row(scenario, k, rule, target - behind) for rule, behind in (("borda", 4.0), ("kemeny", 0.4))]
            rows.append(row(scenario, k, "posterior", target - 0.2 + shift))
            if scenario in OF_TABLE_2:
                rows.append(row(scenario, k, TIED, target + tied))
    return rows


def test_scenarios_are_those_of_the_study():
    assert set(STRAY) <= set(SCENARIOS)
    assert {noise for _, noise in TARGETS} <= set(OF_TABLE_2.values())


def test_everything_kept():
    checks = target_checks(study())
    assert [check.compared for check in checks] == [12, 12, 63, 63, 2]
    assert all(check.within == check.compared for check in checks)


def test_on_table_2_the_option_must_reach_the_target_and_the_default_may_be_less_by_k():
    assert all(c.verdict is Verdict.BEYOND for c in on_table_2(study(tied=-0.1), TIED))
    less = on_table_2(study(shift=-1.0), "posterior")
    assert {(c.k, c.verdict is Verdict.WITHIN) for c in less} == {(5, True), (8, True), (12, False)}


def test_the_best_other_rule_is_none_with_options():
    found = near_the_best(study(shift=-0.6, tied=5.0))
    assert {c.against for c in found} == {"kemeny"}
    assert {c.difference for c in found} == {-0.4}
    assert {c.verdict for c in near_the_best(study(shift=-0.8))} == {Verdict.BEYOND}


def test_borda_everywhere_and_by_three_points_where_graders_stray():
    assert {c.verdict for c in above_borda(study(shift=-4.2))} == {Verdict.BEYOND}
    lead = above_borda(study(shift=-1.0), stray=True)
    assert [(c.k, c.scenario, c.difference) for c in lead] == [(8, name, 2.8) for name in STRAY]
    assert {c.verdict for c in lead} == {Verdict.BEYOND}
    assert "at least 3.00 is asked" in explanation(lead[0])
    assert {c.verdict for c in above_borda(study(shift=-0.8), stray=True)} == {Verdict.WITHIN}


def test_rows_without_posterior_are_held_to_nothing():
    assert target_checks([row("thurstone 1", 5, "borda", 80.0), row("thurstone 1", 5, "posterior", None)]) == []


def test_a_column_too_few():
    with pytest.raises(InputError, match="lacks the column stderr"):
        target_checks([{"scenario": "thurstone 1", "k": 5, "rule": "borda", "recovered": 80.0}])


def test_the_page_shows_what_is_kept_and_what_is_not():
    html = page({"robustness": study()}, {}, {})
    assert "Table 2 with every rule" in html
    assert "Posterior against the best other rule" in html
    assert "printed 81.6" in html
    assert "note-" not in html
    assert "not kept" not in html
    # The option is no rule of its own: it has a column in Table 2 alone.
    assert html.count("Posterior, quality tied to place</th>") == 1
    html = page({"robustness": study(shift=-1.0, tied=-0.1)}, {}, {})
    assert 'id="note-4.1"' in html
    assert "Where it is not kept" in html
    for anchor in re.findall(r'href="#([^"]+)"', html):
        assert f'id="{anchor}"' in html
    assert "points where at least 0.00 is asked" in html


def test_a_study_without_the_cells_of_table_2_has_no_such_section():
    assert "Table 2 with every rule" not in page({"robustness": [row("thurstone 1", 5, "borda", 80.0)]}, {}, {})
