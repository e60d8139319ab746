import json
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from peerorder.core import InputError, child, generator
from peerorder.core.randomness import restore_generator, state_of


def bits(rng):
    return tuple(rng.integers(0, 2**63, 4).tolist())


def test_children_do_not_depend_on_what_was_drawn_before():
    first = [bits(child(7, "run", i)) for i in range(5)]
    backwards = [bits(child(7, "run", i)) for i in reversed(range(5))]
    assert first == backwards[::-1]
    parent = child(7, "run")
    parent.random(1000)
    assert bits(child(7, "run", 3)) == first[3]


def test_every_label_matters():
    labels = [
        (),
        ("a",),
        ("b",),
        ("a", "b"),
        ("b", "a"),
        ("ab",),
        ("a", 0),
        ("a", 1),
        (0,),
        (1,),
        ("0",),
        (0, 0),
        (2**32 - 1,),
    ]
    streams = [bits(child(seed, *label)) for seed in (0, 1, 2**40) for label in labels]
    assert len(set(streams)) == len(streams)


def test_streams_of_neighbours_are_unlike():
    # 20 streams of 4000 numbers: the largest of 190 correlations is below 0.08 (5 standard deviations).
    draws = np.array([child(0, "neighbour", i).random(4000) for i in range(20)])
    table = np.corrcoef(draws)
    assert max(abs(table[i, j]) for i, j in combinations(range(20), 2)) < 0.08


def test_known_bits():
    """Results that people have kept depend on these; a change must be on purpose."""
    assert child(0).bit_generator.random_raw(2).tolist() == [11749869230777074271, 4976686463289251617]
    assert child(1, "run", 2).bit_generator.random_raw(2).tolist() == [16883154128157616801, 15749188022081034958]


def test_a_generator_passes_through():
    rng = child(3)
    assert generator(rng) is rng
    assert bits(generator(3)) == bits(child(3))


@pytest.mark.parametrize("seed", [-1, -(2**70), 1.5, "7", None])
def test_seeds_that_are_none(seed):
    with pytest.raises(InputError, match=r"the seed is .*; give a whole number from 0 up"):
        child(seed)
    with pytest.raises(InputError, match="the seed is"):
        generator(seed)


@pytest.mark.parametrize("label", [-1, 2**32, 0.5, None])
def test_labels_that_are_none(label):
    # 2**32 would share its stream with the two labels 0, 1.
    with pytest.raises(InputError, match=r"a label is .*; give a whole number from 0 to 4294967295"):
        child(0, label)


def test_seeds_of_numpy_are_seeds():
    assert state_of(child(np.int64(5), np.uint8(3))) == state_of(child(5, 3))


@pytest.mark.parametrize("name", ["PCG64", "PCG64DXSM", "MT19937", "Philox", "SFC64"])
@given(draws=st.integers(0, 9))
def test_state_through_json_draws_the_same_bits(name, draws):
    rng = np.random.Generator(getattr(np.random, name)(12))
    # An odd number of 32-bit draws leaves half a word behind, which is part of the state.
    rng.integers(0, 100, draws, dtype=np.int32)
    state = json.loads(json.dumps(state_of(rng)))
    again = restore_generator(state)
    assert again.integers(0, 100, 7, dtype=np.int32).tolist() == rng.integers(0, 100, 7, dtype=np.int32).tolist()
    assert bits(again) == bits(rng)


def test_taking_the_state_draws_nothing():
    rng = child(1)
    state_of(rng)
    assert bits(rng) == bits(child(1))


def test_state_names_the_seed_it_came_from():
    seed = state_of(child(9, "run", 4))["seed"]
    again = np.random.SeedSequence(seed["entropy"], spawn_key=seed["spawn_key"])
    assert bits(np.random.Generator(np.random.PCG64(again))) == bits(child(9, "run", 4))


@pytest.mark.parametrize("entropy", [np.int64(5), [1, 2], np.array([3, 4], np.uint32)])
def test_state_of_seeds_of_any_form_is_plain(entropy):
    rng = np.random.default_rng(entropy)
    state = json.loads(json.dumps(state_of(rng)))
    assert state["seed"] == {"entropy": np.asarray(entropy).tolist(), "spawn_key": []}
    assert bits(restore_generator(state)) == bits(rng)


def test_state_without_a_seed_sequence():
    class Fixed(np.random.bit_generator.ISeedSequence):
        def generate_state(self, n_words, dtype=np.uint32):
            return np.arange(1, n_words + 1).astype(dtype)

    rng = np.random.Generator(np.random.PCG64(Fixed()))
    assert state_of(rng)["seed"] is None
    assert bits(restore_generator(state_of(rng))) == bits(rng)
