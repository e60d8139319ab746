import numpy as np
import pytest

from peerorder.studies.real_summary import Mean, Part, differences, means, parts, reliability_rows, summarise


def row(exercise, rule, predicted, log_loss=None, train=30, kind="pairs", half="tuning"):
    return {
        "exercise": exercise,
        "kind": kind,
        "half": half,
        "train": train,
        "rule": rule,
        "predicted": predicted,
        "brier": None if log_loss is None else log_loss / 2,
        "log_loss": log_loss,
    }


ROWS = [
    row("one", "posterior", 70.0, 0.5),
    row("two", "posterior", 80.0, 0.4),
    row("three", "posterior", 90.0, 0.3),
    row("one", "plackett-luce", 69.0, 0.6),
    row("two", "plackett-luce", 77.0, 0.4),
    row("three", "plackett-luce", 88.0, 0.6),
    row("one", "borda", 71.0),
    row("two", "borda", 80.0),
]


def test_means_are_over_exercises():
    result = means(ROWS)
    assert result[Part("pairs", "tuning", 30), "posterior"] == pytest.approx((80.0, 10 / 3**0.5, 3))
    assert means(ROWS[:1])[Part("pairs", "tuning", 30), "posterior"] == (70.0, None, 1)
    assert (Part("pairs", "tuning", 30), "borda") not in means(ROWS, "log_loss")


def test_differences_are_paired_by_exercise():
    first, second = differences(ROWS)
    assert (first["rule"], first["against"], first["exercises"]) == ("posterior", "plackett-luce", 3)
    # 1, 3 and 2 points: mean 2, standard deviation 1.
    assert (first["predicted"], first["predicted_stderr"]) == pytest.approx((2.0, 1 / 3**0.5), abs=1e-5)
    # -0.1, 0 and -0.3.
    deviation = np.std([-0.1, 0.0, -0.3], ddof=1)
    assert (first["log_loss"], first["log_loss_stderr"]) == pytest.approx((-0.4 / 3, deviation / 3**0.5), abs=1e-5)
    assert first["brier"] == pytest.approx(first["log_loss"] / 2, abs=1e-5)
    # Of the exercises that both have.
    assert (second["against"], second["exercises"], second["predicted"]) == ("borda", 2, -0.5)
    assert second["log_loss"] is second["log_loss_stderr"] is None


def test_without_the_reference_there_is_nothing_to_compare():
    assert differences(ROWS[3:]) == []


def test_one_exercise_has_no_standard_error():
    (line,) = differences([ROWS[0], ROWS[3]])
    assert (line["predicted"], line["predicted_stderr"]) == (1.0, None)


def test_the_best_rule_comes_first_and_losses_are_better_when_low():
    assert list(summarise(ROWS, "pairs", "tuning", "predicted")) == ["posterior", "plackett-luce", "borda"]
    losses = summarise(ROWS, "pairs", "tuning", "log_loss")
    assert list(losses) == ["posterior", "plackett-luce"]
    assert losses["posterior"][0].difference is None
    assert losses["plackett-luce"][0].difference.value == pytest.approx(-0.4 / 3)
    assert summarise(ROWS, "lists", "tuning", "predicted") == {}


def test_differences_beyond_two_standard_errors_are_clear():
    assert Mean(-2.1, 1.0, 9).clear
    assert not Mean(1.9, 1.0, 9).clear
    assert not Mean(5.0, None, 1).clear


def test_pairs_and_the_held_out_half_come_first():
    rows = [
        row("a", "borda", 1.0, None, train, kind, half)
        for half in ("tuning", "held-out")
        for kind in ("lists", "pairs")
        for train in (70, 30)
    ]
    assert parts(rows)[0] == Part("pairs", "held-out", 30)
    assert parts(rows)[-1] == Part("lists", "tuning", 70)


def test_bins_are_added_up_over_exercises():
    head = {"kind": "pairs", "half": "tuning", "train": 30, "rule": "plackett-luce"}
    one, two = np.zeros((10, 3)), np.zeros((10, 3))
    one[2] = 6.2, 5, 10
    two[2] = 18.6, 20, 30
    (line,) = reliability_rows([({**head, "exercise": "a"}, one), ({**head, "exercise": "b"}, two)])
    assert line == {**head, "bin": 0.6, "probability": 0.62, "happened": 0.625, "comparisons": 40}
