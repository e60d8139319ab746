import json

import pytest


def test_it_works(peerorder):
    result = peerorder("demo")
    assert result.code == 0
    text = " ".join(result.out.split())
    assert "Everything hangs together, and no two papers meet in two bundles." in text
    assert "an average student is right 85% of the time" in text
    assert "of all pairs of papers are in the right order" in text
    assert result.out.count("\u2502") > 16


def test_json_holds_the_whole_order(peerorder):
    result = json.loads(peerorder("demo", "-n", 57, "-k", 8, "--scheme", "planes", "--noise", "perfect", "--json").out)
    assert [row["place"] for row in result["order"]] == list(range(1, 58))
    assert [row["true_place"] for row in result["order"]] == list(range(1, 58))
    assert result["recovered"] == 100
    assert result["mean_error"] == result["worst_error"] == 0
    assert result["provenance"]["rule"] == "borda"


def test_the_seed_decides_everything(peerorder):
    assert peerorder("demo", "--seed", 4).out == peerorder("demo", "--seed", 4).out
    assert peerorder("demo", "--seed", 4).out != peerorder("demo", "--seed", 5).out


@pytest.mark.parametrize(("n", "k", "words"), [(4, 8, "only 3 by others"), (20, 8, "from 69 up")])
def test_a_class_that_is_too_small(refused, n, k, words):
    assert words in refused("demo", "-n", n, "-k", k)


def test_a_small_class_by_another_scheme(peerorder):
    result = peerorder("demo", "-n", 3, "-k", 2, "--scheme", "random", "--noise", "perfect")
    assert result.code == 0
    lines = [line for line in result.out.splitlines() if "\u2502" in line and "place" in line[:14]]
    # The first and the last place are at the very ends of the plot.
    assert [line.rstrip()[-1] != "\u2502" for line in lines if line.startswith(" ")] == [True, True]


def test_groups_that_do_not_meet_are_counted(peerorder):
    text = " ".join(peerorder("demo", "-n", 32, "-k", 8, "--scheme", "complete").out.split())
    assert "There are 4 separate groups." in text
