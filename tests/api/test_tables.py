import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from peerorder import InputError, pairs, rank
from peerorder.api.ballots import as_ballots

LONG = {
    "grader": ["zoe", "ann", "ann", "zoe", "zoe", "bob"],
    "item": ["a", "b", "a", "c", "b", "c"],
    "rank": [1, 2, 1, 2, 2, None],
}
SAME = as_ballots({"ann": ["a", "b"], "bob": [], "zoe": ["a", ("b", "c")]})


def through_duckdb(table):
    return duckdb.connect().from_arrow(table)


KINDS = {
    "pyarrow": pa.table,
    "pandas": lambda table: pd.DataFrame(table),
    "pandas categories": lambda table: pd.DataFrame(table).astype({"grader": "category", "item": "category"}),
    "polars": pl.DataFrame,
    "polars categories": lambda table: pl.DataFrame(table).with_columns(pl.col("item").cast(pl.Categorical)),
    "duckdb": lambda table: through_duckdb(pa.table(table)),
    "batches": lambda table: pa.table(table).to_reader(),
}


@pytest.mark.parametrize("kind", KINDS)
def test_every_table_says_the_same(kind):
    found = as_ballots(KINDS[kind](LONG))
    assert (found.items, found.graders) == (SAME.items, SAME.graders)
    # Without the empty ballot of bob, who judged nothing.
    assert found.profile.papers.tolist() == SAME.profile.papers.tolist()
    assert found.profile.tie_levels.tolist() == SAME.profile.tie_levels.tolist()
    assert found.profile.grader.tolist() == [0, 2]


def test_a_thousand_ballots_are_one_ranking_from_wherever_they_come():
    rng, rule = np.random.default_rng(0), "plackett-luce"
    ballots = [rng.choice(20, 5, replace=False).tolist() for _ in range(1000)]
    ballots = [sorted(ballot, key=lambda item: item + rng.normal(0, 3)) for ballot in ballots]
    frame = pd.DataFrame(
        {
            "grader": np.repeat(np.arange(1000), 5),
            "item": np.concatenate(ballots),
            "rank": np.tile(np.arange(1, 6), 1000),
        }
    ).sample(frac=1, random_state=0)
    expected = rank(ballots, rule)
    assert rank(dict(reversed(list(enumerate(ballots)))), rule) == expected
    assert rank(frame, rule) == expected
    assert rank(pl.from_pandas(frame), rule) == expected
    assert expected.kendall_tau(list(range(20))) > 0.8


def test_other_columns():
    several = as_ballots(
        pa.table({"grader": ["a"] * 4, "paper": [1, 2, 2, 3], "rank": [1, 2, 1, 2], "ballot": [1, 1, 2, 2]})
    )
    assert several == as_ballots({"a": [[1, 2], [2, 3]]})
    points = as_ballots(pa.table({"grader": ["a"] * 3, "item": [1, 2, 3], "score": [5.5, 9, 7]}))
    assert points == as_ballots({"a": [2, 3, 1]})
    words = as_ballots(pa.table({"grader": ["a"] * 3, "item": [1, 2, 3], "rank": ["2", "1", None]}))
    assert words.profile.papers.tolist() == [1, 0]
    empty = as_ballots(pa.table({"grader": ["a"] * 3, "item": [1, 2, 3], "rank": ["2", "1", " "]}))
    assert empty == words


def test_weights():
    table = pa.table(
        {"grader": ["b", "b", "a", "a"], "item": [1, 2, 2, 1], "rank": [1, 2, 1, 2], "weight": [2, 2, 0.5, 0.5]}
    )
    assert as_ballots(table).profile.weights.tolist() == [0.5, 2]
    assert as_ballots(table.drop(["weight"]), {"a": 0.5, "b": 2}) == as_ballots(table)
    with pytest.raises(InputError, match="column weight, and weights are given too"):
        as_ballots(table, {"a": 1, "b": 1})


def test_items_and_authors():
    table = pa.table({"grader": ["x", "x"], "item": ["y", "z"], "rank": [1, 2]})
    ballots = as_ballots(table, items=["x", "y", "z"], authored={"x": "x"})
    assert ballots.items == ("x", "y", "z")
    assert ballots.profile.authored.tolist() == [0]
    with pytest.raises(InputError, match="the ballot of 'x' ranks 'z', which is their own"):
        as_ballots(table, authored={"x": "z"})
    with pytest.raises(InputError, match="the table has 'z', which is not among items"):
        as_ballots(table, items=["y"])
    with pytest.raises(InputError, match="items is 'yz'"):
        as_ballots(table, items="yz")


@pytest.mark.parametrize("take", [pairs, as_ballots])
def test_pairs(take):
    columns = {"winner": ["b", "a", "a"], "loser": ["c", "b", "c"]}
    assert take(pa.table(columns)) == pairs([("b", "c"), ("a", "b"), ("a", "c")])
    judged = pa.table({**columns, "judge": [7, 5, 7], "tie": [False, True, None], "weight": [3, 2, 1]})
    assert take(judged) == pairs([("b", "c"), {"a", "b"}, ("a", "c")], [7, 5, 7], weights=[3, 2, 1])


ROW = {"grader": ["ann", "ann"], "item": ["a", "b"], "rank": [1, 2]}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"item": ["a", "a"]}, "there is only one item, 'a'"),
        ({"item": ["a", None]}, "row 1 has no item; fill it in, or delete the row"),
        ({"item": [1.0, float("nan")]}, "row 1 has no item"),
        ({"grader": [None, "ann"]}, "row 0 has no grader"),
        ({"item": [["a"], ["b"]]}, "the column item holds list.* cannot be ids"),
        (
            {"rank": ["1", "first"]},
            r"row 1 \(grader 'ann', item 'b'\) has the rank 'first', which is not a number; use 1",
        ),
        ({"rank": [True, False]}, "row 0 .* has the rank True, which is not a number"),
        ({"rank": [1, float("inf")]}, "row 1 .* has the rank inf"),
        ({"rank": [None, None]}, "there are no ballots"),
        (
            {"rank": [95, 80]},
            "points: on the ballot of 'ann', with 2 items, they go from 80 to 95; .* column score",
        ),
        ({"rank": [1, 1]}, "no ballot puts one item above another"),
        ({"weight": [1, float("nan")]}, "row 1: the weight of the ballot of 'ann' is nan; give a number from 0 up"),
        ({"weight": [1, 2]}, "row 1: the ballot of 'ann' has two weights"),
        ({"weight": ["1", "1"]}, "the column weight holds string"),
    ],
)
def test_tables_that_cannot_be_ranked(changes, message):
    with pytest.raises(InputError, match=message) as caught:
        rank(pa.table({**ROW, **changes}), "borda")
    assert "\n" not in str(caught.value)


def test_an_item_twice_on_a_ballot():
    table = pa.table({"grader": ["ann"] * 3, "item": ["a", "b", "a"], "rank": [1, 2, 3]})
    with pytest.raises(InputError, match=r"the ballot of 'ann' has 'a' twice, in rows 0 and 2; .* a column ballot"):
        rank(table)


def test_tables_without_the_columns():
    with pytest.raises(InputError, match="the table has no column grader, item and rank, but who, what; rename"):
        rank(pd.DataFrame({"who": [1], "what": [2]}))
    with pytest.raises(InputError, match="no column rank, but grader, paper"):
        rank(pa.table({"grader": [1], "paper": [2]}))
    with pytest.raises(InputError, match="no column loser, but winner"):
        pairs(pa.table({"winner": [1]}))
    with pytest.raises(InputError, match="no columns"):
        rank(pd.DataFrame())


def test_columns_that_pandas_mixed():
    mixed = pd.DataFrame({"grader": ["a", "a"], "item": [1, "b"], "rank": [1, 2]})
    with pytest.raises(InputError, match=r"the table cannot be read: .*; let every column hold values of one kind"):
        rank(mixed)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"winner": ["a", "b"], "loser": ["b", "b"]}, "row 1 compares 'b' with itself"),
        ({"winner": ["a", "b"], "loser": ["b", None]}, "row 1 has no winner or loser"),
        ({"winner": ["a"], "loser": ["b"], "tie": ["no"]}, "the column tie holds string"),
        ({"winner": ["a"], "loser": ["b"], "weight": [-1.0]}, "row 0: the weight of the ballot of 'judge' is -1"),
        ({"winner": ["a"], "loser": [1]}, "which cannot be ids"),
    ],
)
def test_comparisons_that_are_none(columns, message):
    with pytest.raises(InputError, match=message):
        pairs(pa.table(columns))


def test_lists_of_another_kind_are_lists():
    said = [["a", "b"], ["b", "c"]]
    assert as_ballots(pd.Series(said)) == as_ballots(pl.Series(said)) == as_ballots(said)


def test_columns_and_lazy_frames_are_tables():
    assert as_ballots(LONG) == as_ballots(pl.LazyFrame(LONG)) == as_ballots(pa.table(LONG))
    assert pairs({"winner": ["a"], "loser": ["b"]}) == pairs([("a", "b")])
    with pytest.raises(InputError, match=r"the columns cannot be read: .*; give the same number of values in each"):
        rank({**LONG, "rank": [1]})


def test_two_columns_of_one_name():
    with pytest.raises(InputError, match="the table cannot be read: Duplicate column names found"):
        rank(pd.DataFrame([[1, 2, 3, 4]], columns=["grader", "item", "rank", "rank"]))
    table = pa.Table.from_arrays(
        [pa.array([1]), pa.array([1]), pa.array([1]), pa.array([2])], ["grader", "item", "rank", "rank"]
    )
    with pytest.raises(InputError, match="2 columns rank; keep one"):
        rank(table)
