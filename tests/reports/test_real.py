from peerorder.reports.real import difference_text, groups
from peerorder.reports.reproduction import page
from peerorder.studies.real_summary import Cell, Mean


def row(exercise, rule, predicted, log_loss=None, half="held-out", train=30, kind="pairs"):
    return {
        "exercise": exercise,
        "kind": kind,
        "half": half,
        "train": train,
        "rule": rule,
        "predicted": predicted,
        "brier": log_loss,
        "log_loss": log_loss,
        "comparisons": 50,
        "splits": 2,
    }


ROWS = [
    row("one", "borda", 64.0),
    row("two", "borda", 64.5),
    row("one", "posterior", 66.0, 0.61),
    row("two", "posterior", 66.9, 0.62),
    row("one", "plackett-luce", 67.5, 0.6),
    row("two", "plackett-luce", 66.7, 0.7),
    row("three", "posterior", 60.0, 0.6, half="tuning"),
    row("four", "borda", 80.0, kind="lists"),
]


def test_each_rule_has_its_mean_and_the_paired_difference_the_best_first():
    html = page({"real": ROWS}, {}, {})
    assert "Real people: predicting their judgements" in html
    assert html.index("67.10") < html.index("66.45") < html.index("64.25")
    assert "+2.20 ± 0.20 *" in html
    assert "\N{MINUS SIGN}0.65 ± 0.85<" in html
    assert "Log loss and Brier score" in html
    assert "\N{MINUS SIGN}0.0350 ± 0.0450<" in html


def test_the_held_out_half_comes_first():
    titles = [title for _kind, _half, title in groups(ROWS)]
    assert titles == [
        "Comparative judgement, held-out half: 2 exercises",
        "Lists, held-out half: 1 exercise",
        "Comparative judgement, tuning half: 1 exercise",
    ]


def test_rules_without_probabilities_alone_have_no_losses():
    html = page({"real": ROWS[:2]}, {}, {})
    assert "64.25" in html
    assert "Log loss" not in html


def test_a_difference_without_an_error_is_a_number():
    assert difference_text(Cell(Mean(1.0, None, 1), Mean(-0.5, None, 1)), 2) == "\N{MINUS SIGN}0.50"
    assert difference_text(Cell(Mean(1.0, None, 1), None), 2) == ""
