"""Seeds and streams: one root seed, and a child for everything that has a name.

No global state: every random step takes a ``numpy.random.Generator``. A child's stream depends on
the root seed and on its labels alone, never on what was drawn before it or on who draws it, so the
same labels give the same bits on any number of workers.
"""

import operator
import zlib
from typing import Any

import numpy as np
from numpy.random import PCG64, Generator, SeedSequence

from peerorder.core.errors import InputError
from peerorder.core.translation import gettext as _, message, translate

__all__ = ["Generator", "child", "generator", "restore_generator", "state_of"]


def generator(seed: int | Generator) -> Generator:
    """Return a generator for a seed; a generator is passed through. Functions that take a generator take a seed too."""
    return seed if isinstance(seed, Generator) else child(seed)


def child(seed: int, *labels: str | int) -> Generator:
    """Return the stream of this seed with these labels, independent of every other stream."""
    key = tuple(zlib.crc32(x.encode()) if isinstance(x, str) else _whole(x, message("a label"), 2**32) for x in labels)
    return Generator(PCG64(SeedSequence(_whole(seed, message("the seed")), spawn_key=key)))


def state_of(rng: Generator) -> dict[str, Any]:
    """Return the state of a generator in a form that JSON can hold: enough to draw the same bits again."""
    return {**_plain(rng.bit_generator.state), "seed": _seed_of(rng)}


def restore_generator(state: dict[str, Any]) -> Generator:
    """Return the generator that ``state_of`` described."""
    bits = getattr(np.random, state["bit_generator"])()
    bits.state = {key: value for key, value in state.items() if key != "seed"}
    return Generator(bits)


def _whole(value: int, what: str, high: int | None = None) -> int:
    # A label of more than 32 bits would fill two places of the key and so share its stream with two labels.
    try:
        number = operator.index(value)
    except TypeError:
        number = -1
    if number < 0 or (high is not None and number >= high):
        text = (
            _("{what} is {value}; give a whole number from 0 up")
            if high is None
            else _("{what} is {value}; give a whole number from 0 to {last}")
        )
        raise InputError(text.format(what=translate(what), value=value, last=None if high is None else high - 1))
    return number


def _plain(state: Any) -> Any:
    if isinstance(state, dict):
        return {key: _plain(value) for key, value in state.items()}
    return state.tolist() if isinstance(state, np.ndarray) else state


def _seed_of(rng: Generator) -> dict[str, Any] | None:
    sequence = rng.bit_generator.seed_seq
    if not isinstance(sequence, SeedSequence):
        return None
    entropy = sequence.entropy
    if isinstance(entropy, (int, np.integer)):
        entropy = int(entropy)
    return {
        "entropy": entropy if entropy is None or isinstance(entropy, int) else [int(x) for x in entropy],
        "spawn_key": [int(x) for x in sequence.spawn_key],
    }
