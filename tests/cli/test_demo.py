import json

import pytest


def test_it_works(peerorder):
    result = peerorder("demo")
    assert result.code == 0
    assert "200 bundles of 8 papers, every paper in 8; connected, girth 6" in result.out
    assert "of all pairs of papers are in the right order" in " ".join(result.out.split())
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
    assert peerorder("demo", "-n", 3, "-k", 2, "--scheme", "random").code == 0
