import json
import pickle
from datetime import date
from html.parser import HTMLParser

import arviz_stats
import choix
import numpy as np
import pandas as pd
import polars as pl
import pytest

from peerorder import RULES, InputError, Outcome, Rule, pairs, rank
from peerorder.api.ranking import Ranking

BALLOTS = {"ann": ["a", "b", "c"], "bob": ["b", "a", "d"], "eve": ["a", ("c", "d")]}


@pytest.fixture(scope="module")
def posterior():
    return rank(BALLOTS)


@pytest.fixture(scope="module")
def borda():
    return rank(BALLOTS, "borda")


def test_results_are_by_item_with_the_best_first(borda):
    assert borda.order[0] == "a"
    assert list(borda.scores) == list(borda.ranks) == list(borda.order) == list(borda)
    assert borda.scores == {"a": 5 / 6, "b": 0.75, "c": 0.125, "d": 0.125}
    assert borda.ranks == {"a": 1, "b": 2, "c": 3, "d": 3}
    assert len(borda) == 4


def test_bradley_terry_is_that_of_choix():
    rng = np.random.default_rng(0)
    utilities = rng.normal(0, 1, 50)
    found = []
    for _ in range(5000):
        a, b = rng.choice(50, 2, replace=False)
        won = rng.random() < 1 / (1 + np.exp(utilities[b] - utilities[a]))
        found.append((f"p{a:02}", f"p{b:02}") if won else (f"p{b:02}", f"p{a:02}"))
    comparisons = pairs(found)
    theirs = choix.opt_pairwise(50, comparisons.to_choix(), alpha=0.015, method="Newton-CG", tol=1e-10)
    ranking = rank(comparisons, "bradley-terry", prior=0.03)
    ours = np.array([np.log(ranking.scores[item]) for item in comparisons.items])
    assert np.abs((ours - ours.mean()) - (theirs - theirs.mean())).max() < 1e-6
    assert ranking == rank(comparisons, "bradley-terry:prior=0.03") == rank(comparisons, RULES["bradley-terry"])


def test_certainty(posterior):
    assert all(1 <= low <= posterior.ranks[item] <= high <= 4 for item, (low, high) in posterior.intervals.items())
    column = {item: number for number, item in enumerate(posterior.items)}
    assert posterior.draws.shape == (256, 4)
    assert posterior.draws.min() == 1
    above = np.mean(posterior.draws[:, column["a"]] < posterior.draws[:, column["d"]])
    assert posterior.probability("a", "d") == above > 0.5
    assert np.bincount(posterior.chain).tolist() == [64] * 4
    assert posterior.diagnostics["chains"] == 4
    assert posterior.diagnostics["effective_sample_size"] >= 64
    assert 0.9 < posterior.diagnostics["split_r_hat"] < 1.3


def test_diagnostics_are_the_worst_of_all_items_and_the_median(posterior):
    found, samples = posterior.diagnostics, posterior.outcome.result.samples
    assert found["r_hat"] == found["split_r_hat"] == samples.split_r_hat().max()
    for name, values in (("ess_bulk", samples.ess_bulk()), ("ess_tail", samples.ess_tail())):
        assert found[name] == values.min() < found[f"{name}_median"] == np.median(values)
    assert (found["draws"], found["papers"]) == (256, 4)


@pytest.mark.filterwarnings("ignore::UserWarning:arviz_stats")  # loo has doubts about three graders
def test_arviz_gets_the_draws_by_id(posterior):
    tree = posterior.to_arviz()
    place = tree["posterior"]["place"]
    assert place.sizes == {"chain": 4, "draw": 64, "paper": 4}
    for column, item in enumerate(posterior.items):
        assert place.sel(paper=item).values.ravel().tolist() == posterior.draws[:, column].tolist()
    assert tree["log_likelihood"]["ballots"].sel(grader="bob").shape == (4, 64)
    assert arviz_stats.rhat(tree)["place"].max() == pytest.approx(posterior.diagnostics["r_hat"], rel=1e-12)
    assert np.isfinite(arviz_stats.loo(tree).elpd)


@pytest.mark.parametrize(
    ("items", "shown"),
    [
        ((3, 1, 2), [3, 1, 2]),
        ((date(2026, 1, 2), date(2026, 1, 1)), ["2026-01-02", "2026-01-01"]),
        ((1, "b", 2.5), ["1", "b", "2.5"]),
    ],
)
def test_ids_for_arviz_are_numbers_or_text(items, shown):
    ranking = rank([list(items), list(items[::-1])])
    by_item = dict(zip(items, shown, strict=True))
    assert ranking.to_arviz()["posterior"]["paper"].values.tolist() == [by_item[item] for item in ranking.items]


def test_the_top_and_influence(posterior):
    assert sum(posterior.probability_in_top(0.5).values()) == pytest.approx(2)
    assert posterior.probability_in_top(0.25)["a"] == np.mean(posterior.draws[:, 0] == 1)
    assert posterior.influence("ann", "a") == posterior.outcome.influence(0, 0)
    with pytest.raises(InputError, match="grader 'zoe' does not exist; the first is 'ann'"):
        posterior.influence("zoe")
    with pytest.raises(InputError, match="wrote no paper"):
        posterior.influence("ann")


def test_graders(posterior):
    assert list(posterior.reliability) == ["ann", "bob", "eve"]
    for grader, (low, high) in posterior.reliability_intervals.items():
        assert 0 <= low <= posterior.reliability[grader] <= high <= 1
    assert posterior.flags == {}
    assert posterior.notes == posterior.outcome.result.notes
    many = {grader: list("abcdefgh") for grader in "stuvw"} | {"mad": [list("hgfedcba")] * 3}
    assert rank(many).flags == {"mad": "reversed"}


def test_standard_errors_and_probabilities_of_likelihoods():
    ranking = rank(BALLOTS, "plackett-luce:prior=0.5")
    covariance = RULES["plackett-luce:prior=0.5"].covariance(ranking.outcome)
    expected = dict(zip(ranking.items, np.sqrt(np.diag(covariance)), strict=True))
    assert ranking.standard_errors == pytest.approx(expected)
    assert ranking.probability("a", "d") + ranking.probability("d", "a") == pytest.approx(1)
    assert ranking.probability("a", "d") > 0.5
    assert ranking.probability("a", "a") == 0.5


def test_what_a_rule_does_not_know(borda):
    for name in (
        "intervals",
        "reliability",
        "flags",
        "reliability_intervals",
        "draws",
        "chain",
        "diagnostics",
        "to_arviz",
    ):
        with pytest.raises(InputError, match="the rule posterior does"):
            getattr(borda, name)()
    for ask in (lambda: borda.standard_errors, lambda: borda.probability("a", "b")):
        with pytest.raises(InputError, match="borda gives no standard errors"):
            ask()
    with pytest.raises(InputError, match="item 'z' does not exist; the first is 'a'"):
        borda.probability("z", "a")


def test_the_truth_by_order_ranks_or_scores(borda):
    assert borda.pairwise_accuracy(["a", "b", "c", "d"]) == 5.5 / 6
    assert borda.pairwise_accuracy(["a", "b", ("c", "d")]) == 1
    assert borda.pairwise_accuracy({"a": 1, "b": 2, "c": 3.5, "d": 3.5}) == 1
    assert borda.pairwise_accuracy(pd.Series({"d": 3.5, "c": 3.5, "b": 2, "a": 1})) == 1
    assert borda.pairwise_accuracy(scores={"a": 2.2, "b": 0.13, "c": -4, "d": -4}) == 1
    assert borda.kendall_tau(scores={"a": 2.2, "b": 0.13, "c": -4, "d": -4}) == pytest.approx(1)
    assert borda.kendall_tau([("c", "d"), "b", "a"]) == pytest.approx(-1)


@pytest.mark.parametrize(
    ("truth", "message"),
    [
        ({"a": 2.2, "b": 0.13, "c": -4, "d": -4}, "which is not a rank from 1 to 4; for utilities or scores"),
        ({"a": 90, "b": 85, "c": 70, "d": 60}, "has 90, which is not a rank from 1 to 4; .* give them as scores="),
        ({"a": 1}, "the truth has nothing for item 'b'"),
        (dict.fromkeys("abcd", "first"), "the truth must be one number for every item"),
        (["a", "b"], "the truth has nothing for item 'c'"),
        (["a", "b", "c", "d", "a"], "an item twice"),
        ("abcd", "the truth is 'abcd'"),
        (None, "either the true order"),
    ],
)
def test_what_is_no_truth(borda, truth, message):
    for ask in (borda.pairwise_accuracy, borda.kendall_tau):
        with pytest.raises(InputError, match=message):
            ask(truth)


def test_bootstrap(borda):
    ends = borda.bootstrap(50)
    assert all(1 <= low <= high <= 4 for low, high in ends.values())
    assert ends["a"][1] <= ends["d"][1]
    assert ends == borda.bootstrap(50) != borda.bootstrap(50, seed=1)
    unanimous = rank([["a", "b", "c"]] * 20, "borda").bootstrap(20)
    assert unanimous == {"a": (1, 1), "b": (2, 2), "c": (3, 3)}
    with pytest.raises(InputError, match="times is 1"):
        borda.bootstrap(1)


def test_tables(posterior, borda):
    rows = posterior.to_arrow().to_pylist()
    assert [row["item"] for row in rows] == list(posterior.order)
    assert rows[0] == {
        "item": "a",
        "rank": 1,
        "score": posterior.scores["a"],
        "low": posterior.intervals["a"][0],
        "high": posterior.intervals["a"][1],
        "ballots": 3,
    }
    assert borda.to_arrow()["low"].null_count == 4
    assert rank([["x", 1]], "borda").to_arrow()["item"].to_pylist() == ["x", "1"]
    assert pl.DataFrame(posterior).to_dicts() == rows
    frame = posterior.to_pandas()
    assert isinstance(frame, pd.DataFrame)
    assert frame.index.tolist() == list(posterior.order)
    assert frame["score"].to_dict() == posterior.scores
    assert rank([["x", 1]], "borda").to_pandas().index.tolist() == ["x", 1]


def test_everything_as_json(posterior, borda):
    told = json.loads(json.dumps(posterior.to_dict()))
    assert told["items"][0]["item"] == "a"
    assert told["graders"][0] == {"grader": "ann", "reliability": posterior.reliability["ann"], "flag": None}
    assert told["provenance"]["rule"] == "posterior"
    assert "graders" not in borda.to_dict()


def test_pandas_may_be_absent(borda, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pandas", None)
    with pytest.raises(InputError, match="install it, or use to_arrow"):
        borda.to_pandas()


def test_one_line_of_repr(posterior, borda):
    assert repr(borda) == f"<Ranking: 4 items by borda; {', '.join(map(repr, borda.order[:3]))}, ...>"
    assert repr(posterior).startswith("<Ranking: 4 items by posterior, 256 draws, 90% intervals ")
    assert "\n" not in repr(posterior)


def test_a_table_in_notebooks(posterior):
    html = rank([["<script>", "b&c"]], "borda")._repr_html_()
    assert "<script>" not in html
    assert "&lt;script&gt;</td>" in html
    HTMLParser().feed(html)
    assert "<th>low</th>" not in html
    assert "<th>low</th>" in posterior._repr_html_()
    assert "... and 5 more" in rank([list(range(25))], "borda")._repr_html_()


def test_equal_and_pickled(posterior):
    assert pickle.loads(pickle.dumps(posterior)) == posterior == rank(BALLOTS)
    assert hash(posterior) == hash(rank(BALLOTS))
    assert posterior != rank(BALLOTS, seed=1)


def test_options_of_the_rule():
    more = rank(BALLOTS, effective_draws=128)
    assert more.outcome.options["effective-draws"] == 128
    assert rank(BALLOTS, "plackett-luce", prior=0.5).outcome.options == {"prior": 0.5}
    with pytest.raises(InputError, match="borda has no option 'prior'"):
        rank(BALLOTS, "borda", prior=1)
    with pytest.raises(InputError, match="did you mean borda"):
        rank(BALLOTS, "bordo")


def test_weights_reach_the_rule():
    assert rank([["a", "b"], ["b", "a"]], "borda", weights=[1, 3]).scores == {"b": 0.75, "a": 0.25}
    with pytest.raises(InputError, match=r"posterior does not take weights of ballots; .* borda, plackett-luce"):
        rank([["a", "b"], ["b", "a"]], weights=[1, 3])


def test_a_rule_of_ones_own():
    @RULES.register()
    def first_places(profile, rng):
        """Count first places."""
        return np.bincount(profile.papers[profile.start[:-1]], minlength=profile.n_papers)

    try:
        assert rank(BALLOTS, "first-places").scores == {"a": 2, "b": 1, "c": 0, "d": 0}
        assert rank(BALLOTS, first_places).bootstrap(5).keys() == set("abcd")
    finally:
        del RULES._entries["first-places"]
    wrong = Rule(name="short", summary="", citation="", compute=lambda profile, rng: [1.0])
    with pytest.raises(InputError, match="the rule short must give one number for each of the 4 papers"):
        rank(BALLOTS, wrong)
    own = rank(BALLOTS, first_places)
    with pytest.raises(InputError, match="first-places gives no standard errors"):
        _ = own.standard_errors


@pytest.mark.parametrize("rule", ["posterior", "borda"])
def test_the_picture(rule):
    figure = rank(BALLOTS, rule).plot(most=3)
    (axes,) = figure.axes
    assert len(axes.get_yticklabels()) == 3
    assert axes.get_title(loc="left") == f"3 of 4 items by {rule}"
    assert figure._repr_png_().startswith(b"\x89PNG")
    with pytest.raises(InputError, match="most is 0"):
        rank(BALLOTS, rule).plot(most=0)


def test_the_outcome_is_there_for_arrays(borda):
    assert isinstance(borda, Ranking)
    assert isinstance(borda.outcome, Outcome)
    assert borda.outcome.scores[borda.items.index("a")] == borda.scores["a"]
