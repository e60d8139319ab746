import numpy as np
import pytest

from peerorder.core.errors import InputError, OptionError, SchemeError, UnknownNameError
from peerorder.noise import NOISES, Noise
from peerorder.studies.experiment import Cell, Run, begin, perform


def test_a_cell_is_brought_to_one_form():
    cell = Cell("random", 20, 3, "condorcet:level=50.0,tied=true", ("mc4-restart:restart=0.1", "mc4:steps=10"))
    assert cell.noise == "condorcet"
    assert cell.rules == ("mc4-restart", "mc4:steps=10")
    assert cell.key == "random n=20 k=3 condorcet"


@pytest.mark.parametrize(
    ("scheme", "noise", "rule", "error"),
    [
        ("rando", "perfect", "borda", UnknownNameError),
        ("random", "perfct", "borda", UnknownNameError),
        ("random", "perfect", "brda", UnknownNameError),
        ("random", "condorcet:level=101", "borda", OptionError),
    ],
)
def test_a_cell_with_a_wrong_name_is_never_made(scheme, noise, rule, error):
    with pytest.raises(error):
        Cell(scheme, 20, 3, noise, (rule,))


def test_a_cell_that_cannot_be_built_is_never_made():
    with pytest.raises(SchemeError, match="n=969 and n=1026"):
        Cell("planes", 1000, 8, "perfect", ("borda",))


def test_graders_rank_what_they_were_handed(monkeypatch):
    seen = {}
    really = Noise.draw

    def spied(self, bundles, truth, rng, **others):
        seen.update(others)
        profile = really(self, bundles, truth, rng, **others)
        seen["profile"] = profile
        return profile

    monkeypatch.setattr(Noise, "draw", spied)
    perform(Run("test", Cell("random", 30, 4, "condorcet", ("borda",)), 0, seed=0))
    assert sorted(seen["bundle_of"]) == list(range(30))
    # Everybody wrote a paper, so that quality can be tied to its place.
    assert seen["profile"].authored.tolist() == list(range(30))


def test_complete_lists_are_ranked_whole_by_graders_who_wrote_nothing():
    cell = Cell("complete", 4, 4, "perfect", ("borda",), graders=7)
    assert cell.key == "complete n=4 k=4 graders=7 perfect"
    simulated = begin(Run("test", cell, 0, seed=0))
    profile = NOISES["perfect"].draw(simulated.bundles, simulated.truth, 0, bundle_of=simulated.bundle_of)
    assert profile.papers.reshape(7, 4).tolist() == [np.argsort(simulated.truth).tolist()] * 7
    assert profile.authored.tolist() == [-1] * 7
    assert perform(Run("test", cell, 0, seed=0)) == {"borda": 100.0}


@pytest.mark.parametrize(("k", "graders"), [(3, 7), (4, 0)])
def test_complete_lists_have_all_papers_and_somebody_to_rank_them(k, graders):
    with pytest.raises(InputError, match="complete lists need"):
        Cell("complete", 4, k, "perfect", ("borda",), graders=graders)


def test_a_rule_that_is_named_twice_is_run_once():
    assert Cell("random", 20, 3, "perfect", ("borda", "Borda", "borda:")).rules == ("borda",)


def test_a_cell_needs_a_rule():
    with pytest.raises(InputError, match="at least one rule"):
        Cell("random", 20, 3, "perfect", ())


def test_a_run_gives_a_percentage_for_every_rule():
    result = perform(Run("test", Cell("order-revealing", 21, 5, "perfect", ("borda", "rsd")), 0, seed=7))
    assert result == {"borda": 100.0, "rsd": 100.0}


def test_a_run_is_the_same_on_any_worker_and_whatever_else_runs():
    alone = Cell("random", 40, 4, "condorcet", ("rsd",))
    among = Cell("random", 40, 4, "condorcet", ("borda", "mc4", "rsd"))
    first = perform(Run("test", alone, 3, seed=1))
    perform(Run("test", alone, 4, seed=1))
    assert perform(Run("test", alone, 3, seed=1)) == first
    assert perform(Run("test", among, 3, seed=1))["rsd"] == first["rsd"]


@pytest.mark.parametrize("change", [{"study": "other"}, {"number": 4}, {"seed": 2}])
def test_study_number_and_seed_all_matter(change):
    cell = Cell("random", 40, 4, "condorcet", ("borda",))
    usual = {"study": "test", "cell": cell, "number": 3, "seed": 1}
    assert perform(Run(**usual)) != perform(Run(**{**usual, **change}))
