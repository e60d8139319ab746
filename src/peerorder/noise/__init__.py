"""How graders err: simulated people. A new noise model is one file and one line here."""

from peerorder.core.registry import Registry
from peerorder.noise import condorcet, generalised_mallows, perfect, plackett_luce, thurstone
from peerorder.noise.noise import Drawn, Noise, Ranked, Task

__all__ = ["NOISES", "Drawn", "Noise", "Ranked", "Task"]

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
