from peerorder.reports.reproduction import page
from peerorder.reports.robustness import robustness_table


def row(scenario, rule, recovered, stderr=0.1, k=8):
    return {"scenario": scenario, "k": k, "rule": rule, "recovered": recovered, "stderr": stderr, "runs": 20}


ROWS = [
    row("careful", "borda", 94.0),
    row("careful", "rsd", 97.0),
    row("careful", "mc4", 96.9),
    row("20% <random>", "borda", 89.0),
    row("20% <random>", "rsd", 75.0, None),
]


def test_the_best_and_what_cannot_be_told_from_it_are_bold():
    table = robustness_table(ROWS, 8)
    assert "<strong>97.0</strong>" in table
    assert "<strong>96.9</strong>" in table
    assert "<strong>94.0</strong>" not in table
    assert "94.0" in table
    assert "<strong>89.0</strong>" in table


def test_names_are_escaped_and_gaps_are_said():
    table = robustness_table(ROWS, 8)
    assert "20% &lt;random&gt;" in table
    assert "not run" in table


def test_the_page_has_a_section_with_a_table_for_each_k():
    html = page({"robustness": [*ROWS, row("careful", "borda", 90.0, k=5)]}, {}, {})
    assert "Robustness: every rule" in html
    assert html.index("k = 5: percent recovered") < html.index("k = 8: percent recovered")
    assert "Robustness" not in page({"figure3": []}, {}, {})


def test_complete_lists_are_explained_and_come_last():
    html = page({"robustness": [*ROWS, row("complete lists, tastes", "borda", 90.0, k=6)]}, {}, {})
    assert "20 graders who wrote none of the papers" in html
    assert html.index("k = 8: percent recovered") < html.index("k = 6: percent recovered")
    assert "20 graders who wrote none" not in page({"robustness": ROWS}, {}, {})
