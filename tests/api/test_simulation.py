import numpy as np
import pyarrow as pa
import pytest

from peerorder import NOISES, RULES, SCHEMES, InputError, Noise, Rule, plan, simulate
from peerorder.studies import Cell, Study, run_studies, summary
from peerorder.studies.plan import make_plan


def first_places(profile, rng):
    return np.bincount(profile.papers[profile.start[:-1]], minlength=profile.n_papers)


def own_rule(name="first-places", compute=first_places):
    return Rule(name=name, summary="", citation="", compute=compute)


def test_one_row_for_each_run_and_rule():
    table = simulate([12, 15], 4, ["perfect", "condorcet:level=50"], ["borda", "mc4"], runs=3)
    assert isinstance(table, pa.Table)
    assert table.column_names == ["scheme", "n", "k", "noise", "rule", "run", "pairwise_accuracy"]
    assert len(table) == 2 * 2 * 3 * 2
    assert set(table["run"].to_pylist()) == {0, 1, 2}
    assert all(0.4 < share <= 1 for share in table["pairwise_accuracy"].to_pylist())


def test_the_numbers_are_those_of_the_command():
    table = simulate(20, 5, "condorcet:level=50", "borda", runs=3, seed=7)
    study = Study("simulate", "", (Cell("random", 20, 5, "condorcet:level=50", ("borda",)),), 3, (), list)
    (done,) = run_studies([study], seed=7, workers=1)["simulate"].values()
    assert table["pairwise_accuracy"].to_pylist() == [run["borda"] / 100 for run in done]
    assert summary(done, "borda")["runs"] == 3


def test_a_rule_of_a_cell_of_a_notebook():
    scores = []

    def spy(profile, rng):
        scores.append(len(profile))
        return first_places(profile, rng)

    table = simulate(15, 4, "perfect", [own_rule(compute=spy), RULES["borda"], "borda"], runs=2, workers=2)
    assert scores == [15, 15]
    assert table["rule"].to_pylist() == ["first-places", "borda"] * 2


def test_registered_rules_need_this_process_too(monkeypatch):
    monkeypatch.setattr(RULES, "_entries", dict(RULES))
    monkeypatch.setattr(RULES, "_registered", set())
    rule = RULES.register(own_rule())
    cell = Cell("random", 12, 4, "perfect", ("first-places", "borda"))
    assert not cell.portable
    assert Cell("random", 12, 4, "perfect", ("borda",)).portable
    (done,) = run_studies([Study("mine", "", (cell,), 2, (), list)], workers=2)["mine"].values()
    assert [list(run) for run in done] == [["first-places", "borda"]] * 2
    assert simulate(12, 4, "perfect", "first-places", runs=2) == simulate(12, 4, "perfect", rule, runs=2)


def test_noises_and_schemes_as_objects():
    def upside_down(task, rng):
        return task.papers.reshape(10, 9)[:, ::-1].reshape(-1).copy()

    noise = Noise(name="upside-down", summary="", citation="", rank=upside_down)
    (row,) = simulate(10, 9, noise, "borda", runs=1, scheme=SCHEMES["complete"]).to_pylist()
    assert (row["noise"], row["scheme"], row["pairwise_accuracy"]) == ("upside-down", "complete", 0)
    options = simulate(12, 4, NOISES["condorcet"].with_options(level=20), RULES["plackett-luce:prior=1"], runs=1)
    row = options.to_pylist()[0]
    assert (row["noise"], row["rule"]) == ("condorcet:level=20", "plackett-luce:prior=1")


def test_progress():
    seen = []
    simulate(12, 4, "perfect", "borda", runs=2, progress=lambda done, total: seen.append((done, total)))
    assert seen == [(0, 2), (1, 2), (2, 2)]
    assert len(simulate(12, 4, "perfect", "borda", runs=2, progress=True)) == 2


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"rules": []}, "at least one rule"),
        ({"n": []}, "nothing to simulate"),
        ({"n": "many"}, "`n` is 'many'; give a whole number"),
        ({"k": 2.5}, "`k` is 2.5; give a whole number"),
        ({"k": 40}, "k is 40, but"),
        ({"runs": "many"}, "`runs` is .* give a whole number"),
        ({"runs": 0}, "`runs` is 0"),
        ({"rules": "bordo"}, "did you mean borda"),
        ({"noise": RULES["borda"]}, "is not a noise"),
        ({"rules": [own_rule(), own_rule(compute=lambda profile, rng: [0.0])]}, "two different rules are called"),
        ({"rules": ["borda", own_rule("borda")]}, "two different rules are called 'borda'"),
        ({"workers": 0}, "workers is 0"),
    ],
)
def test_what_cannot_be_simulated(changes, message):
    with pytest.raises(InputError, match=message):
        simulate(**{"n": 10, "k": 4, "noise": "perfect", "rules": "borda", "runs": 1, **changes})


def test_a_plan_is_that_of_the_studies():
    made = plan(300, [4, 8], dropout=20, graders="careful")
    assert made == make_plan(300, [4, 8], missing=20, noise=10)
    lines = repr(made).splitlines()
    assert lines[0] == "<Plan: 300 papers, 20% of rankings missing, noise level 10>"
    assert lines[1].split() == ["k", "minutes", "posterior", "borda"]
    assert [line.split()[0] for line in lines[2:4]] == ["4", "8"]
    assert sum("recommended" in line for line in lines) == 1
    assert plan(300, 8, graders=10).choices[0].k == 8
    with pytest.raises(InputError, match="`graders` is 'good'; give careful, average, careless"):
        plan(300, graders="good")
    with pytest.raises(InputError, match=r"`n` is .* give a whole number"):
        plan("many")
    with pytest.raises(InputError, match="`k` is 1, but a ballot of fewer than 2"):
        plan(300, 1)
