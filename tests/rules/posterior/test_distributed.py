"""Chains on workers give the bits of chains in threads."""

import numpy as np
import pytest

from peerorder.core.profile import Profile
from peerorder.core.randomness import child
from peerorder.engines import open_engine
from peerorder.engines.workspace import open_workspace
from peerorder.rules import RULES
from peerorder.rules.posterior import distributed


def profiles():
    rng = child(3)
    strict = Profile.from_matrix(np.argsort(rng.random((40, 40)), axis=1)[:, :5], 40)
    tied = Profile.from_ballots([[0, (1, 2), 3], [3, 2, 1, 0], [(0, 1), 2]], 5, grader=[0, 0, 1], authored=[4, -1])
    return {"strict": strict, "tied": tied}


@pytest.mark.parametrize("name", profiles())
def test_the_bits_are_those_of_threads(name, tmp_path):
    rule, profile = RULES["posterior"], profiles()[name]
    with open_engine(workers=1) as engine, open_workspace(engine, tmp_path) as workspace:
        elsewhere = rule.aggregate(profile, 5, workspace)
    here = rule.aggregate(profile, 5)
    assert elsewhere == here
    assert (elsewhere.result.samples.places == here.result.samples.places).all()
    assert (elsewhere.result.reliability == here.result.reliability).all()
    assert elsewhere.result.notes == here.result.notes
    assert not list(tmp_path.iterdir())


def test_another_processor_is_noted(tmp_path, monkeypatch):
    rule, profile = RULES["posterior"], profiles()["tied"]
    monkeypatch.setattr(distributed, "advance", lambda task, advance=distributed.advance: advance(task) and "other 1f")
    with open_engine(workers=1) as engine, open_workspace(engine, tmp_path) as workspace:
        outcome = rule.aggregate(profile, 5, workspace)
    assert any("other 1f" in note for note in outcome.result.notes)


def test_a_rule_whose_work_cannot_be_shared_ignores_workers(tmp_path):
    with open_engine(workers=1) as engine, open_workspace(engine, tmp_path) as workspace:
        assert RULES["rsd"].aggregate(profiles()["strict"], 5, workspace) == RULES["rsd"].aggregate(
            profiles()["strict"], 5
        )
