"""``Profile``: all ballots of all graders, in compressed rows."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from peerorder.core.arrays import (
    FloatArray,
    FrozenArrays,
    Int32Array,
    IntArray,
    as_array,
    as_count,
    as_indices,
    as_offsets,
    freeze,
)
from peerorder.core.errors import ProfileError
from peerorder.core.graph import first_row_with_repeat
from peerorder.core.text import plural
from peerorder.core.translation import gettext as _, ngettext

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["Profile"]

NOBODY = -1

# Graders are numbered from 0 and have an entry each in ``authored``, so one large number would cost that
# much memory; a larger one is not a number from 0 but somebody's id.
MOST_GRADERS = 2**27


class Profile(FrozenArrays):
    """Ballots in compressed rows: ballot b ranks ``papers[start[b]:start[b + 1]]``, best first.

    Incomplete and empty ballots, ties, several ballots by one grader, graders who wrote no paper and
    papers without ballots are legal. A paper twice in a ballot, an unknown paper and a grader who
    ranks their own paper are not: a ``ProfileError`` names the ballot. The arrays are read-only.

    Parameters
    ----------
    papers, start
        The ranked papers, and where each ballot begins.
    n_papers
        The number of papers, including those that nobody ranked.
    grader
        The grader of each ballot; a grader may hand in several. Without it, ballot b is grader b's.
    authored
        The paper that each grader wrote, -1 for none. Without it, graders wrote nothing.
    levels
        Tie levels, one for each entry of ``papers``: equal numbers within a ballot are a tie, a larger one is worse.
        Without them no ballot has ties.
    weights
        How much each ballot counts, from 0 up; without them, every ballot counts as one. Rules without
        support for weights raise an InputError.
    """

    def __init__(
        self,
        papers: ArrayLike,
        start: ArrayLike,
        n_papers: int,
        *,
        grader: ArrayLike | None = None,
        authored: ArrayLike | None = None,
        levels: ArrayLike | None = None,
        weights: ArrayLike | None = None,
    ) -> None:
        self.n_papers = as_count(n_papers, _("the number of papers"), ProfileError)
        flat = as_array(papers, "papers", ProfileError)
        as_count(flat.size, _("the number of ranked papers"), ProfileError)
        self.start: IntArray = as_offsets(start, "start", flat.size, ProfileError)
        self._check_papers(flat)
        self.papers: Int32Array = as_indices(flat, "papers", 0, self.n_papers, ProfileError)
        ballots = len(self.start) - 1
        if grader is None:
            grader = np.arange(ballots, dtype=np.int32)
        if authored is None:
            grader = as_indices(grader, "grader", 0, MOST_GRADERS, ProfileError)
            authored = np.full(int(grader.max(initial=-1)) + 1, NOBODY, np.int32)
        self.authored: Int32Array = as_indices(authored, "authored", NOBODY, self.n_papers, ProfileError)
        self.grader: Int32Array = as_indices(grader, "grader", 0, len(self.authored), ProfileError)
        if len(self.grader) != ballots:
            raise ProfileError(
                ngettext(
                    "there is {ballots} ballot but graders for {graders}; give one grader per ballot",
                    "there are {ballots} ballots but graders for {graders}; give one grader per ballot",
                    ballots,
                ).format(ballots=ballots, graders=len(self.grader))
            )
        self.levels: Int32Array | None = None if levels is None else self._validate_levels(levels)
        self.weights: FloatArray | None = None if weights is None else self._validate_weights(weights)
        self._check_ballots()

    @classmethod
    def from_ballots(
        cls,
        ballots: Iterable[Sequence[int | Sequence[int]]],
        n_papers: int,
        *,
        grader: ArrayLike | None = None,
        authored: ArrayLike | None = None,
        weights: ArrayLike | None = None,
    ) -> Profile:
        """Make a profile of lists, best first; a list inside a ballot is a tie: ``[[3, (0, 2), 1], [2, 3]]``."""
        papers: list[int] = []
        levels: list[int] = []
        start = [0]
        for ballot in ballots:
            try:
                places = list(ballot)
            except TypeError:
                raise ProfileError(
                    _("ballot {ballot} is {value!r}; it must be a list of papers").format(
                        ballot=len(start) - 1, value=ballot
                    )
                ) from None
            for level, place in enumerate(places):
                tied = list(place) if isinstance(place, Sequence) and not isinstance(place, str) else [place]
                odd = [paper for paper in tied if isinstance(paper, bool) or not isinstance(paper, (int, np.integer))]
                if odd or not tied:
                    raise ProfileError(
                        _(
                            "ballot {ballot} has {value!r} in place {place}, not a paper: papers are numbers "
                            "from 0, and tied papers are a tuple of these"
                        ).format(ballot=len(start) - 1, value=odd[0] if odd else place, place=level)
                    )
                papers += tied
                levels += [level] * len(tied)
            start.append(len(papers))
        return cls(papers, start, n_papers, grader=grader, authored=authored, levels=levels, weights=weights)

    @classmethod
    def from_matrix(
        cls, matrix: ArrayLike, n_papers: int, *, grader: ArrayLike | None = None, authored: ArrayLike | None = None
    ) -> Profile:
        """Make a profile of strict ballots of one size, one per row, best first."""
        rows = as_array(matrix, _("the matrix of ballots"), ProfileError)
        if rows.ndim != 2:
            raise ProfileError(
                ngettext(
                    "a matrix of ballots has one row per ballot; this one has {dimensions} dimension",
                    "a matrix of ballots has one row per ballot; this one has {dimensions} dimensions",
                    rows.ndim,
                ).format(dimensions=rows.ndim)
            )
        start = np.arange(rows.shape[0] + 1) * rows.shape[1]
        return cls(rows.reshape(-1), start, n_papers, grader=grader, authored=authored)

    @classmethod
    def checked(
        cls, papers: Int32Array, start: IntArray, n_papers: int, grader: Int32Array, levels: Int32Array | None = None
    ) -> Profile:
        """Make a profile of arrays that were checked before, by graders without papers of their own.

        Checking them takes longer than many sums over them.
        """
        profile = cls.__new__(cls)
        profile.n_papers, profile.weights = n_papers, None
        profile.papers, profile.start, profile.grader = freeze(papers), freeze(start), freeze(grader)
        profile.levels = None if levels is None else freeze(levels)
        profile.authored = freeze(np.full(int(grader[-1]) + 1 if len(grader) else 0, NOBODY, np.int32))
        return profile

    @classmethod
    def concatenate(cls, profiles: Sequence[Profile], n_papers: int, authored: ArrayLike) -> Profile:
        """Join the ballots of several profiles that number papers and graders in the same way."""
        begins = np.cumsum([0, *(len(profile.papers) for profile in profiles)])
        starts = [profile.start[:-1] + begin for profile, begin in zip(profiles, begins, strict=False)]
        return cls(
            np.concatenate([profile.papers for profile in profiles]),
            np.concatenate([*starts, begins[-1:]]),
            n_papers,
            grader=np.concatenate([profile.grader for profile in profiles]),
            authored=authored,
            levels=np.concatenate([profile.tie_levels for profile in profiles]),
            weights=np.concatenate([profile.ballot_weights for profile in profiles]),
        )

    def __len__(self) -> int:
        return len(self.start) - 1

    def __getitem__(self, ballot: int) -> Int32Array:
        row = range(len(self))[ballot]
        return self.papers[self.start[row] : self.start[row + 1]]

    def __repr__(self) -> str:
        counts = ((len(self), "ballot"), (self.n_graders, "grader"), (self.n_papers, "paper"))
        ballots, graders, papers = (f"{number} {plural(number, noun)}" for number, noun in counts)
        return f"<Profile: {ballots} by {graders} on {papers}{'' if self.strict else ', with ties'}>"

    def __eq__(self, other: object) -> bool:
        return self.digest == other.digest if isinstance(other, Profile) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.digest)

    @property
    def n_graders(self) -> int:
        """The number of graders, including those without a ballot."""
        return len(self.authored)

    @property
    def strict(self) -> bool:
        """Whether no ballot has a tie."""
        return self.levels is None

    @cached_property
    def tie_levels(self) -> Int32Array:
        """Tie levels, also of strict profiles: there, the position in the ballot."""
        if self.levels is not None:
            return self.levels
        position = np.arange(len(self.papers)) - np.repeat(self.start[:-1], self.sizes)
        return freeze(position.astype(np.int32))

    @property
    def ballot_weights(self) -> FloatArray:
        """The weight of every ballot, also of profiles without weights: there, 1."""
        return freeze(np.ones(len(self))) if self.weights is None else self.weights

    @cached_property
    def sizes(self) -> IntArray:
        """The number of papers on each ballot."""
        return freeze(np.diff(self.start))

    @cached_property
    def informative(self) -> NDArray[np.bool_]:
        """Whether each ballot puts a paper above another: not if it has a single paper, or ties all of its papers."""
        several = self.sizes > 1
        if self.levels is not None:
            several[several] = self.levels[self.start[1:][several] - 1] > 0
        return freeze(several)

    @cached_property
    def rankings(self) -> IntArray:
        """The number of ballots that rank each paper."""
        return freeze(np.bincount(self.papers, minlength=self.n_papers))

    @cached_property
    def digest(self) -> str:
        """A hash of everything in the profile: two profiles with the same digest are equal."""
        hashed = hashlib.blake2b(digest_size=16)
        size = np.array([self.n_papers], np.int64)
        weights = () if self.weights is None else (self.weights,)
        for array in (size, self.start, self.papers, self.grader, self.authored, self.levels, *weights):
            hashed.update((0 if array is None else array.nbytes).to_bytes(8, "little"))
            hashed.update(b"" if array is None else array)
        return hashed.hexdigest()

    def reversed(self) -> Profile:
        """Turn every ballot upside down."""
        index = np.repeat(self.start[:-1] + self.start[1:] - 1, self.sizes) - np.arange(len(self.papers))
        levels = None
        if self.levels is not None and len(self.papers):
            last = np.repeat(self.levels[np.maximum(self.start[1:] - 1, 0)], self.sizes)
            levels = (last - self.levels)[index]
        return Profile(
            self.papers[index],
            self.start,
            self.n_papers,
            grader=self.grader,
            authored=self.authored,
            levels=levels,
            weights=self.weights,
        )

    def select(self, ballots: NDArray[np.bool_]) -> Profile:
        """Return these ballots alone, with the same graders and papers."""
        if ballots.all():
            return self
        entries = np.repeat(ballots, self.sizes)
        return Profile(
            self.papers[entries],
            np.concatenate([[0], np.cumsum(self.sizes[ballots])]),
            self.n_papers,
            grader=self.grader[ballots],
            authored=self.authored,
            levels=None if self.levels is None else self.levels[entries],
            weights=None if self.weights is None else self.weights[ballots],
        )

    def reweighted(self, times: ArrayLike) -> Profile:
        """Repeat every ballot as often as ``times`` says for its grader, 0 included, so that some count for more.

        A rule that estimates reliability counts a repeated ballot as that many ballots, and so is surer of its grader.
        """
        counts = as_indices(times, "times", 0, 2**20, ProfileError)
        if len(counts) != self.n_graders:
            raise ProfileError(
                ngettext(
                    "there is {graders} grader but `times` has {count} numbers; give one per grader",
                    "there are {graders} graders but `times` has {count} numbers; give one per grader",
                    self.n_graders,
                ).format(graders=self.n_graders, count=len(counts))
            )
        ballots = np.repeat(np.arange(len(self)), counts[self.grader])
        sizes = self.sizes[ballots]
        start = np.concatenate([[0], np.cumsum(sizes)])
        index = np.arange(start[-1]) + np.repeat(self.start[ballots] - start[:-1], sizes)
        levels = None if self.levels is None else self.levels[index]
        return Profile(
            self.papers[index],
            start,
            self.n_papers,
            grader=self.grader[ballots],
            authored=self.authored,
            levels=levels,
            weights=None if self.weights is None else self.weights[ballots],
        )

    def _check_papers(self, flat: IntArray) -> None:
        if flat.ndim != 1 or flat.dtype.kind not in "iu" or flat.size == 0:
            return
        if flat.min() < 0 or flat.max() >= self.n_papers:
            index = int(np.argmax((flat < 0) | (flat >= self.n_papers)))
            if self.n_papers:
                text = _("ballot {ballot} ranks paper {paper}, which does not exist; papers are numbered 0 to {last}")
            else:
                text = _("ballot {ballot} ranks paper {paper}, which does not exist; there are no papers")
            raise ProfileError(text.format(ballot=self._ballot_at(index), paper=flat[index], last=self.n_papers - 1))

    def _validate_levels(self, values: ArrayLike) -> Int32Array | None:
        levels = as_indices(values, "levels", 0, 2**31, ProfileError)
        if len(levels) != len(self.papers):
            raise ProfileError(
                _("there are {papers} ranked papers but {levels} tie levels").format(
                    papers=len(self.papers), levels=len(levels)
                )
            )
        step = np.diff(levels, prepend=0)
        first = self.start[:-1][self.sizes > 0]
        wrong = (step < 0) | (step > 1)
        wrong[first] = levels[first] != 0
        if wrong.any():
            bad = int(np.argmax(wrong))
            raise ProfileError(
                _("ballot {ballot}: tie levels begin at 0 and rise by 0 or 1; entry {entry} has {level}").format(
                    ballot=self._ballot_at(bad), entry=bad - self.start[self._ballot_at(bad)], level=levels[bad]
                )
            )
        step[first] = 1
        return levels if (step == 0).any() else None

    def _validate_weights(self, values: ArrayLike) -> FloatArray | None:
        given = as_array(values, "weights", ProfileError)
        if given.shape != (len(self),) or given.dtype.kind not in "iuf":
            raise ProfileError(
                ngettext(
                    "there is {count} ballot; give one weight per ballot",
                    "there are {count} ballots; give one weight per ballot",
                    len(self),
                ).format(count=len(self))
            )
        weights = np.array(given, np.float64)
        bad = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))
        if len(bad):
            raise ProfileError(
                _("the weight of ballot {ballot} is {weight:g}; give a number from 0 up").format(
                    ballot=bad[0], weight=weights[bad[0]]
                )
            )
        return None if (weights == 1).all() else freeze(weights)

    def _check_ballots(self) -> None:
        row = first_row_with_repeat(self.papers, self.start)
        if row >= 0:
            raise ProfileError(
                _("ballot {ballot} (grader {grader}) ranks a paper twice: {papers}").format(
                    ballot=row, grader=self.grader[row], papers=self[row].tolist()
                )
            )
        own = np.repeat(self.authored[self.grader], self.sizes)
        if (own == self.papers).any():
            entry = int(np.argmax(own == self.papers))
            row = self._ballot_at(entry)
            raise ProfileError(
                _("ballot {ballot}: grader {grader} ranks paper {paper}, which they wrote themselves").format(
                    ballot=row, grader=self.grader[row], paper=own[entry]
                )
            )

    def _ballot_at(self, entry: int) -> int:
        return int(np.searchsorted(self.start, entry, side="right")) - 1
