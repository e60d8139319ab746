import csv
import json
from math import exp, log

import numpy as np
import pytest

from peerorder.core import InputError, Profile, RuleResult, child
from peerorder.core.preferences import Preferences
from peerorder.files.tables.exercises import Exercise, half_of
from peerorder.rules import RULES
from peerorder.studies.figure_style import svg
from peerorder.studies.real import COLUMNS, TRAIN, Split, judge, predict, run_real, split_exercise
from peerorder.studies.real_figures import calibration_error, figure_preferences, figure_real
from peerorder.studies.real_summary import DIFFERENCES, RELIABILITY


def decisions(path, count=400, candidates=12, error=0.1, seed=0):
    """Judges who know the alphabet and err now and then."""
    rng = child(seed, path.stem)
    lines = ["judge,candidate_chosen,candidate_not_chosen"]
    for _ in range(count):
        better, worse = sorted(rng.choice(candidates, 2, replace=False))
        if rng.random() < error:
            better, worse = worse, better
        lines.append(f"judge {rng.integers(5)},{chr(65 + better)},{chr(65 + worse)}")
    path.write_text("\n".join(lines) + "\n")
    return path


def lists(path, graders=9, alternatives=5):
    """People who agree up to two neighbours."""
    rng = child(0, path.stem)
    lines = [f"# NUMBER ALTERNATIVES: {alternatives}"]
    for _ in range(graders):
        order = np.arange(1, alternatives + 1)
        i = rng.integers(alternatives - 1)
        order[[i, i + 1]] = order[[i + 1, i]]
        lines.append("1: " + ",".join(map(str, order)))
    path.write_text("\n".join(lines) + "\n")
    return path


def share(path, rule, train=70):
    tally = predict(Split(path, train, 0, (rule,), seed=0))[rule]
    return 100 * tally.right / tally.comparisons


def test_a_rule_predicts_what_honest_judges_say(tmp_path):
    path = decisions(tmp_path / "a.csv")
    assert 80 < share(path, "borda") <= 100
    assert 80 < share(path, "mc4-restart") <= 100
    assert share(path, "borda") == share(path, "borda")
    assert share(lists(tmp_path / "b.soc"), "borda") > 80


def test_judges_without_errors_are_predicted_to_the_last_decision(tmp_path):
    assert share(decisions(tmp_path / "a.csv", 1000, 6, error=0), "rsd") == 100.0


def test_judges_who_guess_cannot_be_predicted(tmp_path):
    assert abs(share(decisions(tmp_path / "a.csv", 4000, 40, error=0.5), "borda") - 50) < 5


def test_papers_of_equal_score_count_one_half(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("judge,candidate_chosen,candidate_not_chosen\n" + "".join(f"j,A{i},B{i}\n" for i in range(30)))
    # No pair is ever seen twice, so nothing is known about a held-out one.
    assert share(path, "borda", 30) == 50.0


def test_graders_who_put_no_paper_above_another_are_not_held_out(tmp_path):
    path = lists(tmp_path / "a.toc", graders=7)
    path.write_text(path.read_text() + "60: {1,2,3,4,5}\n")
    assert share(path, "borda", 20) > 80
    too_few = lists(tmp_path / "b.toc", graders=6)
    too_few.write_text(too_few.read_text() + "60: {1,2,3,4,5}\n")
    with pytest.raises(InputError, match="no longer holds an exercise"):
        share(too_few, "borda")


def exercise(ballots, kind="lists", grader=None):
    return Exercise("made", kind, Profile.from_ballots(ballots, 5, grader=grader))


def test_of_a_held_out_grader_nothing_is_seen():
    # Every grader hands in two ballots, and each ballot tells whose it is by its first two papers.
    pairs = [(i, j) for i in range(5) for j in range(5) if i != j][:10]
    ballots = [[*pair, next(x for x in range(5) if x not in pair)] for pair in pairs for _ in range(2)]
    grader = np.repeat(np.arange(10), 2)
    for train in TRAIN:
        for seed in range(5):
            known, hidden = split_exercise(exercise(ballots, grader=grader), train, child(seed))
            seen, held_out = ({tuple(part[i][:2]) for i in range(len(part))} for part in (known, hidden))
            assert not seen & held_out
            assert seen | held_out == set(pairs)
            assert len(seen) == known.n_graders == max(2, round(10 * train / 100))
            assert len(known) == 2 * len(seen)


def test_large_groups_are_cut_to_the_size_of_a_class():
    known, hidden = split_exercise(exercise([[0, 1, 2, 3, 4]] * 100), 20, child(0))
    assert (len(known), known.n_graders, len(hidden)) == (6, 6, 24)


def test_decisions_are_split_one_by_one_and_a_hundred_for_each_paper_at_most():
    known, hidden = split_exercise(exercise([[0, 1]] * 50, "pairs", [0] * 50), 30, child(0))
    assert (len(known), known.n_graders, len(hidden)) == (15, 1, 35)
    known, hidden = split_exercise(exercise([[0, 1]] * 900, "pairs"), 50, child(0))
    assert (len(known), len(hidden)) == (250, 250)


def outcome(scores, **result):
    aggregated = RULES.parse("borda").aggregate(Profile.from_ballots([list(range(len(scores)))], len(scores)))
    object.__setattr__(aggregated, "result", RuleResult(np.array(scores, float), **result))
    return aggregated


def test_losses_and_bins_by_hand():
    utility = np.array([[2.0, 0.0, 0.0]])
    tally = judge(outcome([2, 0, 0], preferences=Preferences(utility)), np.array([0, 1, 1]), np.array([1, 0, 2]))
    p = 1 / (1 + exp(-2))
    assert (tally.comparisons, tally.right) == (3, 1.5)
    assert tally.brier == pytest.approx((1 - p) ** 2 + p**2 + 0.25)
    assert tally.log_loss == pytest.approx(-log(p) - log(1 - p) - log(0.5))
    # 0.88 twice, once as it happened; 1/2 once, which is half a success.
    assert tally.bins[7] == pytest.approx([2 * p, 1, 2])
    assert tally.bins[0] == pytest.approx([0.5, 0.5, 1])
    assert tally.bins.sum() == pytest.approx(2 * p + 1 + 2 + 2)


def test_what_was_held_for_impossible_costs_much_but_not_all():
    tally = judge(outcome([1, 0], preferences=Preferences(np.array([[2000.0, 0.0]]))), np.array([1]), np.array([0]))
    assert 700 < tally.log_loss < 720
    assert tally.bins[9].tolist() == [1, 0, 1]


def test_without_probabilities_there_are_no_losses():
    tally = judge(outcome([1, 0]), np.array([0]), np.array([1]))
    assert tally.right == 1
    assert np.isnan([tally.brier, tally.log_loss]).all()
    assert not tally.bins.any()


def read(path):
    with path.open(newline="") as stream:
        return list(csv.DictReader(stream))


@pytest.fixture
def few_rules(monkeypatch):
    names = ("posterior", "borda", "plackett-luce")
    registry = type("Few", (), {"names": names, "parse": RULES.parse})
    monkeypatch.setattr("peerorder.studies.real.RULES", registry)
    return names


def test_a_folder_becomes_tables_figures_and_provenance(tmp_path, few_rules):
    data, out = tmp_path / "data", tmp_path / "out"
    (data / "inner").mkdir(parents=True)
    decisions(data / "one.csv", 60)
    decisions(data / "short.csv", 5)
    (data / "notes.csv").write_text("name,mark\nann,3\n")
    lists(data / "inner" / "three.soc")
    lists(data / "inner" / "few.soc", 6)
    ranks = "".join(f"g{g},p{p},{1 + (p + g // 5) % 4}\n" for g in range(8) for p in range(4))
    (data / "own.csv").write_text("grader,paper,rank\n" + ranks)
    rows, left_out = run_real(data, out, splits=1, workers=1)
    assert sorted(left_out) == ["few.soc", "notes.csv", "short.csv"]
    assert len(rows) == 3 * len(TRAIN) * len(few_rules)
    table = read(out / "real.csv")
    assert tuple(table[0]) == COLUMNS
    assert {(row["exercise"], row["kind"], row["half"], row["splits"]) for row in table} == {
        ("one", "pairs", half_of("one"), "1"),
        ("three", "lists", half_of("three"), "5"),
        ("own", "lists", half_of("own"), "5"),
    }
    assert {row["train"] for row in table} == {"20", "30", "50", "70"}
    assert all((row["brier"] == "") == (row["rule"] == "borda") for row in table if row["rule"] != "posterior")
    assert tuple(read(out / "real-differences.csv")[0]) == DIFFERENCES
    assert tuple(read(out / "real-reliability.csv")[0]) == RELIABILITY
    facts = json.loads((out / "real.csv.provenance.json").read_text())
    assert (facts["exercises"], facts["half"]) == (3, "both")
    assert all((out / f"{name}.{kind}").exists() for name in ("real", "real-reliability") for kind in ("svg", "png"))


@pytest.mark.processes
def test_the_same_with_two_workers(tmp_path):
    data = tmp_path / "data"
    data.mkdir()
    decisions(data / "one.csv", 40)
    lists(data / "three.soc", 7, 4)
    for workers in (1, 2):
        run_real(data, tmp_path / str(workers), splits=1, workers=workers)
    for name in ("real", "real-differences", "real-reliability"):
        one, two = (tmp_path / str(workers) / f"{name}.csv" for workers in (1, 2))
        assert one.read_bytes() == two.read_bytes()


def test_the_other_half_is_not_even_read(tmp_path, few_rules):
    names = {half: next(f"e{i}" for i in range(99) if half_of(f"e{i}") == half) for half in ("tuning", "held-out")}
    lists(tmp_path / f"{names['tuning']}.soc")
    (tmp_path / f"{names['held-out']}.soc").write_text("broken")
    rows, _ = run_real(tmp_path, tmp_path / "out", half="tuning", splits=1, workers=1)
    assert {row["exercise"] for row in rows} == {names["tuning"]}
    with pytest.raises(InputError, match="is not an order"):
        run_real(tmp_path, tmp_path / "out", half="held-out")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"splits": 0}, "runs is 0"),
        ({"seed": -1}, "seed is -1"),
        ({"half": "third"}, "`half` is 'third'"),
        ({}, "is not a folder"),
    ],
)
def test_bad_input(tmp_path, options, message):
    with pytest.raises(InputError, match=message):
        run_real(tmp_path / "none", tmp_path / "out", **options)


def test_a_folder_without_exercises(tmp_path):
    with pytest.raises(InputError, match="has no exercise: no CSV with the columns judge"):
        run_real(tmp_path, tmp_path / "out")


ROWS = [
    {
        "exercise": name,
        "kind": kind,
        "half": half,
        "train": train,
        "rule": rule,
        "predicted": value + train / 10,
        "brier": None,
        "log_loss": None,
    }
    for name, kind, half, shift in (
        ("one", "pairs", "held-out", 0.0),
        ("two", "pairs", "held-out", 4.0),
        ("three", "lists", "held-out", 1.0),
        ("four", "lists", "tuning", 20.0),
    )
    for train in (30, 70)
    for rule, value in (("borda", 60 + shift), ("mc1", 62 + shift))
]


def test_the_figure_shows_the_held_out_half_the_best_rule_on_top():
    figure = figure_real(ROWS)
    pairs, lists = figure.axes
    assert [label.get_text() for label in pairs.get_yticklabels()] == ["Borda", "MC1"]
    assert [list(line.get_xdata()) for line in pairs.lines] == [[65.0, 67.0], [69.0, 71.0]]
    assert [list(line.get_xdata()) for line in lists.lines] == [[64.0, 66.0], [68.0, 70.0]]
    assert pairs.get_title(loc="left") == "Comparative judgement\nheld-out half (2 exercises)"
    assert "trained on 70%: the best is MC1 with 71.0%" in svg(figure)


def bin_row(start, probability, happened, comparisons, train=30, rule="plackett-luce"):
    return {
        "kind": "pairs",
        "half": "tuning",
        "train": train,
        "rule": rule,
        "bin": start,
        "probability": probability,
        "happened": happened,
        "comparisons": comparisons,
    }


BINNED = [bin_row(0.5, 0.52, 0.50, 100), bin_row(0.5, 0.54, 0.6, 300, 70), bin_row(0.9, 0.91, 0.87, 100)]


def test_the_reliability_diagram_adds_up_all_training_shares():
    figure = figure_preferences(BINNED)
    line = figure.axes[0].lines[1]
    assert list(line.get_xdata()) == pytest.approx([0.535, 0.91])
    assert list(line.get_ydata()) == pytest.approx([0.575, 0.87])
    assert calibration_error(BINNED, "pairs", "plackett-luce") == pytest.approx(4.0)
    assert "Plackett-Luce 4.0" in svg(figure)
