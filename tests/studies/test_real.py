import csv
import json

import pytest

from peerorder.core import InputError, child
from peerorder.rules import RULES
from peerorder.studies.dotplot import figure_real
from peerorder.studies.figure_style import svg
from peerorder.studies.real import COLUMNS, Split, means, predict, run_real


def session(path, decisions=400, candidates=12, error=0.1, seed=0):
    """Judges who know the alphabet and err now and then."""
    rng = child(seed, path.stem)
    lines = ["judge,candidate_chosen,candidate_not_chosen"]
    for _ in range(decisions):
        better, worse = sorted(rng.choice(candidates, 2, replace=False))
        if rng.random() < error:
            better, worse = worse, better
        lines.append(f"judge {rng.integers(5)},{chr(65 + better)},{chr(65 + worse)}")
    path.write_text("\n".join(lines) + "\n")
    return path


def test_a_rule_foretells_what_honest_judges_say(tmp_path):
    split = Split(session(tmp_path / "a.csv"), 70, 0, ("borda", "mc4-restart", "rsd"), seed=0)
    found = predict(split)
    assert found == predict(split)
    assert 80 < found["borda"] <= 100
    assert 80 < found["mc4-restart"] <= 100


def test_judges_without_errors_are_predicted_to_the_last_decision(tmp_path):
    path = session(tmp_path / "a.csv", decisions=1000, candidates=6, error=0)
    assert predict(Split(path, 70, 0, ("rsd",), seed=0)) == {"rsd": 100.0}


def test_judges_who_guess_cannot_be_predicted(tmp_path):
    path = session(tmp_path / "a.csv", decisions=4000, error=0.5)
    assert abs(predict(Split(path, 70, 0, ("borda",), seed=0))["borda"] - 50) < 5


def test_papers_of_equal_score_count_one_half(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("judge,candidate_chosen,candidate_not_chosen\n" + "".join(f"j,A{i},B{i}\n" for i in range(30)))
    # No pair is ever seen twice, so nothing is known about a held-out one.
    assert predict(Split(path, 30, 0, ("borda",), seed=0)) == {"borda": 50.0}


@pytest.mark.slow
def test_a_folder_becomes_a_table_a_figure_and_its_provenance(tmp_path):
    data, out = tmp_path / "data", tmp_path / "out"
    data.mkdir()
    session(data / "one.csv", 60)
    session(data / "two.csv", 80)
    session(data / "short.csv", 5)
    (data / "notes.csv").write_text("name,mark\nann,3\n")
    rows, left_out = run_real(data, out, splits=2, workers=1)
    assert left_out == ["notes.csv", "short.csv"]
    assert len(rows) == 2 * 2 * len(RULES.names)
    with (out / "real.csv").open(newline="") as stream:
        table = list(csv.DictReader(stream))
    assert tuple(table[0]) == COLUMNS
    assert {row["session"] for row in table} == {"one", "two"}
    assert {row["train"] for row in table} == {"30", "70"}
    assert json.loads((out / "real.csv.provenance.json").read_text())["sessions"] == 2
    assert (out / "real.svg").exists()
    again, _ = run_real(data, tmp_path / "again", splits=2, workers=2)
    assert again == rows


@pytest.mark.parametrize(
    ("splits", "seed", "message"), [(0, 0, "runs is 0"), (1, -1, "seed is -1"), (None, 0, "is not a folder")]
)
def test_bad_input(tmp_path, splits, seed, message):
    with pytest.raises(InputError, match=message):
        run_real(tmp_path / "none", tmp_path / "out", splits=splits, seed=seed)


def test_a_folder_without_sessions(tmp_path):
    with pytest.raises(InputError, match="no CSV with the columns judge"):
        run_real(tmp_path, tmp_path / "out")


ROWS = [
    {"session": name, "train": train, "rule": rule, "predicted": value + train / 10, "decisions": 50, "splits": 2}
    for name, shift in (("one", 0.0), ("two", 4.0))
    for train in (30, 70)
    for rule, value in (("borda", 60 + shift), ("mc1", 62 + shift))
]


def test_means_are_over_sessions():
    found = means(ROWS)
    assert found["borda", 30] == pytest.approx((65.0, 2.0))
    assert found["mc1", 70] == pytest.approx((71.0, 2.0))
    assert means(ROWS[:1])["borda", 30] == (63.0, None)


def test_the_figure_shows_every_mean_the_best_rule_on_top():
    figure = figure_real(ROWS)
    axes = figure.axes[0]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["Borda", "MC1"]
    assert [list(line.get_xdata()) for line in axes.lines] == [[65.0, 67.0], [69.0, 71.0]]
    assert "the best is mc1 with 67.0% when trained on 30%" in svg(figure)
