"""Old public names work for one more version, and their warning names the new one."""

import numpy as np
import pytest

import peerorder
from peerorder._deprecation import renamed_attribute
from peerorder.core import Profile, Samples
from peerorder.core.randomness import child
from peerorder.theory import Forecast

# Package, old name, new name; then class, old attribute, new attribute.
NAMES = [
    ("peerorder", "recovered", "pairwise_accuracy"),
    ("peerorder.core", "recovered", "pairwise_accuracy"),
    ("peerorder.marks", "handed_out", "work_of_handout"),
    ("peerorder.marks", "reviewed", "compute_review"),
    ("peerorder.noise", "Drawn", "SimulatedClass"),
    ("peerorder.noise", "Ranked", "RankedBundles"),
    ("peerorder.rounds", "Why", "Explanation"),
    ("peerorder.schemes", "State", "Coverage"),
]
ATTRIBUTES = [
    (peerorder.Outcome, "findings", "result"),
    (peerorder.Outcome, "recovered", "pairwise_accuracy"),
    (Profile, "telling", "informative"),
    (Profile, "some", "select"),
    (Samples, "gains", "influences"),
    (peerorder.GradedRound, "letters", "mail_merge"),
    (peerorder.Noise, "drawn", "draw_class"),
    (Forecast, "recovered", "pairwise_accuracy"),
]


@pytest.mark.parametrize(("package", "old", "new"), NAMES)
def test_an_old_name_of_a_package_warns_and_is_the_new_one(package, old, new):
    module = __import__(package, fromlist=["_"])
    with pytest.warns(DeprecationWarning, match=rf"{package}\.{old} .*use {package}\.{new}$") as caught:
        value = getattr(module, old)
    assert value is getattr(module, new)
    assert caught[0].filename == __file__
    assert old not in module.__all__
    assert old not in dir(module)


@pytest.mark.parametrize(("owner", "old", "new"), ATTRIBUTES)
def test_an_old_attribute_stands_for_one_that_exists(owner, old, new):
    alias = vars(owner)[old]
    assert isinstance(alias, renamed_attribute)
    assert alias.new == new
    assert new in vars(owner) or new in owner.__dataclass_fields__


def test_an_old_attribute_warns_and_gives_the_new_one():
    outcome = peerorder.RULES["borda"].aggregate(Profile.from_ballots([[0, 1], [1, 0, 2]], 3), child(0))
    with pytest.warns(DeprecationWarning, match=r"Outcome\.findings .*use Outcome\.result$") as caught:
        assert outcome.findings is outcome.result
    assert caught[0].filename == __file__
    with pytest.warns(DeprecationWarning, match="pairwise_accuracy"):
        assert outcome.recovered(np.arange(3)) == outcome.pairwise_accuracy(np.arange(3))
