"""``Scheme``: a named way to make an (n, k) bundle graph, which checks what it made."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from peerorder.core.arrays import as_count
from peerorder.core.bundles import Bundles
from peerorder.core.errors import SchemeError
from peerorder.core.randomness import Generator, generator
from peerorder.core.registry import Entry
from peerorder.core.translation import gettext as _

__all__ = ["Scheme"]


@dataclass(frozen=True, kw_only=True, repr=False)
class Scheme(Entry):
    """A grading scheme: n bundles of k out of n papers, every paper in exactly k bundles.

    ``construct(n, k, rng, **options)`` makes the graph; papers are put on its nodes in random order.
    ``exists(n, k)`` raises a ``SchemeError`` where the scheme has limits of its own.
    ``connected`` and ``no_four_cycles`` are promises that ``build`` verifies.
    """

    function: ClassVar[str] = "construct"

    construct: Callable[..., Bundles]
    exists: Callable[[int, int], object] = lambda n, k: None  # noqa: ARG005 -- most schemes exist for all
    connected: bool = False
    no_four_cycles: bool = False

    def check(self, n: int, k: int) -> None:
        """Raise SchemeError if there is no such scheme for n and k, without building anything.

        Raises
        ------
        SchemeError
            The message names what does exist.
        """
        n, k = as_count(n, "n", SchemeError), as_count(k, "k", SchemeError)
        if k < 1:
            raise SchemeError(_("k is {k}; every student must rank at least 1 paper").format(k=k))
        if k > n - 1:
            raise SchemeError(
                _(
                    "k is {k}, but with n={n} papers there are only {others} by others; choose a smaller k or a "
                    "larger n"
                ).format(k=k, n=n, others=max(n - 1, 0))
            )
        self.exists(n, k)

    def build(self, n: int, k: int, rng: Generator | int) -> Bundles:
        """Build the bundles for n papers, k in each; ``check`` raises where there are none."""
        self.check(n, k)
        bundles = self.construct(n, k, generator(rng), **self.values)
        self._verify(bundles, n, k)
        return bundles

    def _verify(self, bundles: Bundles, n: int, k: int) -> None:
        """Check what the scheme promises about its graphs; a broken promise is a bug."""
        broken = []
        if len(bundles) != n or bundles.n_papers != n or bundles.k != k:
            broken.append(f"is not {k}-regular on {n} papers")
        if self.no_four_cycles and bundles.four_cycles:
            broken.append(f"has {bundles.four_cycles} 4-cycles")
        if self.connected and bundles.components != 1:
            broken.append(f"has {bundles.components} components")
        if broken:
            raise RuntimeError(f"scheme {self.spec} made a graph that {' and '.join(broken)} (n={n}, k={k})")
