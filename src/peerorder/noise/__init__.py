"""How graders err: simulated people. A new noise model is one file and one line here."""

from peerorder.core.registry import Registry
from peerorder.noise import condorcet, generalised_mallows, perfect, plackett_luce, thurstone
from peerorder.noise.noise import Noise, Task

__all__ = ["NOISES", "Noise", "Task"]

NOISES: Registry[Noise] = Registry(
    "noise",
    "peerorder.noises",
    [
        perfect.NOISE,
        condorcet.NOISE,
        generalised_mallows.NOISE,
        thurstone.NOISE,
        plackett_luce.NOISE,
    ],
)
