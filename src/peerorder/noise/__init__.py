"""Noise models: how simulated graders err. A new model is one file and one line here."""

from peerorder.core.registry import Registry
from peerorder.core.translation import message
from peerorder.noise import condorcet, generalised_mallows, perfect, plackett_luce, thurstone
from peerorder.noise.noise import Noise, RankedBundles, SimulatedClass, Task

__all__ = ["NOISES", "Noise", "RankedBundles", "SimulatedClass", "Task"]

NOISES: Registry[Noise] = Registry(
    message("noise"),
    "peerorder.noises",
    [
        perfect.NOISE,
        condorcet.NOISE,
        generalised_mallows.NOISE,
        thurstone.NOISE,
        plackett_luce.NOISE,
    ],
)
