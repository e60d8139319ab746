"""The mark for ranking: how much of it was done, and how reliably; and the table of marks of all students."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from peerorder.core.arrays import FloatArray, IntArray, as_indices, freeze
from peerorder.core.errors import InputError, OptionError
from peerorder.core.outcome import Outcome, RuleResult
from peerorder.core.profile import Profile
from peerorder.core.translation import gettext as _, ngettext
from peerorder.marks.scale import Marks

__all__ = ["Review", "ReviewScheme", "Work", "compute_review", "marks_table", "work_of_handout"]

# Two papers in the right order by chance alone.
CHANCE = 0.5
# Graders at this quantile of reliability, or above, get the whole share.
GOOD = 0.9
# Below this nobody counts as reliable, whatever the rest of the class does.
LEAST = 0.6
# Weights such as 33.3 and 66.7 are sums of rounded numbers.
SLACK = 1e-9


@dataclass(frozen=True)
class ReviewScheme:
    """How the work of ranking is marked.

    Parameters
    ----------
    done, reliable
        The weights of having done it and of having done it well. Only their ratio matters: marks are from 0 to 100.
    penalty
        Points off the mark of their own paper for students who ranked nothing; in proportion to what is missing for
        those who ranked only some of their papers.
    absent
        The mark of students without a paper: None leaves it empty.
    """

    done: float = 70.0
    reliable: float = 30.0
    penalty: float = 0.0
    absent: float | None = None

    def __post_init__(self) -> None:
        for name in ("done", "reliable", "penalty"):
            value = getattr(self, name)
            if not 0 <= value < math.inf:
                raise OptionError(_("review: {name} is {value:g}; it must be 0 or more").format(name=name, value=value))
        if self.done + self.reliable == 0:
            raise OptionError(_("review: done and reliable are both 0; one must be more than 0"))

    def warnings(self, highest: float = 100.0) -> tuple[str, ...]:
        """Return what looks unintended, one sentence each, where marks go up to ``highest``."""
        result, total = [], self.done + self.reliable
        if abs(total - 100) > SLACK and abs(total - 1) > SLACK:
            result.append(
                _(
                    "the weights of the mark for ranking sum to {total:g}, so they are scaled to "
                    "done={done:.3g},reliable={reliable:.3g}"
                ).format(total=total, done=100 * self.done / total, reliable=100 * self.reliable / total)
            )
        if self.penalty > highest:
            result.append(
                _(
                    "the penalty is {penalty:g} points and the highest mark is {highest:g}, so students who ranked "
                    "only {share:.0%} of their papers also end up with 0; is that intended?"
                ).format(penalty=self.penalty, highest=highest, share=1 - highest / self.penalty)
            )
        if self.absent is not None and not 0 <= self.absent <= highest:
            result.append(
                _(
                    "students without a paper get {mark:g}, but marks are from 0 to {highest:g}; is that intended?"
                ).format(mark=self.absent, highest=highest)
            )
        return tuple(result)

    @classmethod
    def parse(cls, weights: str, penalty: float = 0.0, absent: float | None = None) -> ReviewScheme:
        """Parse text such as ``done=70,reliable=30``; a weight that is not named is 0."""
        result: dict[str, float] = {}
        for part in filter(None, (piece.strip() for piece in weights.split(","))):
            name, equals, text = (piece.strip() for piece in part.partition("="))
            if name not in ("done", "reliable") or not equals:
                raise OptionError(
                    _("review weights: {part!r} is not understood; write done=70,reliable=30").format(part=part)
                )
            if name in result:
                raise OptionError(_("review weights: {name} is given twice").format(name=name))
            try:
                result[name] = float(text)
            except ValueError:
                raise OptionError(
                    _("review weights: {name} takes a number, not {text!r}").format(name=name, text=text)
                ) from None
        if not result:
            raise OptionError(_("review weights: none were given; write done=70,reliable=30"))
        return cls(result.get("done", 0.0), result.get("reliable", 0.0), penalty, absent)


@dataclass(frozen=True, eq=False)
class Work:
    """The number of papers that every grader was asked to rank (-1 if unknown), and how many of these they ranked."""

    asked: IntArray
    judged: IntArray


@dataclass(frozen=True, eq=False)
class Review:
    """The work of every grader, and the mark for it.

    ``done`` and ``reliable`` are shares from 0 to 1, and ``marks`` are from 0 to 100; all are not a number for graders
    who were asked nothing. ``reliable`` is None where the rule does not estimate reliability.
    """

    done: FloatArray
    reliable: FloatArray | None
    marks: FloatArray
    notes: tuple[str, ...] = ()


def work_of_handout(profile: Profile, grader: ArrayLike, paper: ArrayLike) -> Work:
    """Return how much of a hand-out was done: row i asked ``grader[i]`` to rank ``paper[i]``."""
    who = as_indices(grader, _("the graders of the hand-out"), 0, profile.n_graders, InputError).astype(np.int64)
    what = as_indices(paper, _("the papers of the hand-out"), 0, profile.n_papers, InputError)
    if len(who) != len(what):
        raise InputError(
            ngettext(
                "the hand-out has {graders} grader but {papers} papers; give one per row",
                "the hand-out has {graders} graders but {papers} papers; give one per row",
                len(who),
            ).format(graders=len(who), papers=len(what))
        )
    asked, said = _once(who * max(profile.n_papers, 1) + what), _pairs(profile)
    index = np.minimum(np.searchsorted(said, asked), max(len(said) - 1, 0))
    did = said[index] == asked if len(said) else np.zeros(len(asked), bool)
    of = asked // max(profile.n_papers, 1)
    return Work(
        freeze(np.bincount(of, minlength=profile.n_graders)),
        freeze(np.bincount(of[did], minlength=profile.n_graders)),
    )


def compute_review(
    outcome: Outcome,
    scheme: ReviewScheme,
    work: Work | None = None,
    staff: ArrayLike | None = None,
    *,
    tied_count: bool = False,
    unread: ArrayLike | None = None,
) -> Review:
    """Compute the marks of all graders for ranking.

    Without ``work``, everybody is taken to have been asked for as many papers as most graders ranked (the median).
    Reliability is measured between chance and the best tenth of the class, not counting ``staff``, and counts for the
    part that was done. Graders who are flagged, because their ballots look random or upside down, get none of it; nor
    do graders who put no paper above another, unless ``tied_count``. No row of ``unread`` graders could be read, so
    what they did is unknown.
    """
    notes = []
    profile = outcome.profile
    if work is None:
        judged = np.bincount(_pairs(profile) // max(profile.n_papers, 1), minlength=profile.n_graders)
        usual = math.ceil(np.median(judged[judged > 0])) if (judged > 0).any() else 1
        asked = np.full(profile.n_graders, usual, np.int64)
        text = ngettext(
            "without a hand-out, everybody is taken to have been asked for {count} paper, as many as most ranked",
            "without a hand-out, everybody is taken to have been asked for {count} papers, as many as most ranked",
            usual,
        )
        notes.append(text.format(count=usual))
    else:
        asked, judged = work.asked, work.judged
    known = asked > 0 if unread is None else (asked > 0) & ~np.asarray(unread, bool)
    with np.errstate(divide="ignore", invalid="ignore"):
        done = np.where(known, np.minimum(judged / asked, 1.0), np.nan)
    heard = judged > 0
    if not tied_count:
        heard &= np.bincount(profile.grader[profile.informative], minlength=profile.n_graders) > 0
    reliable = _reliable(outcome.result, heard, None if staff is None else np.asarray(staff, bool))
    if reliable is None:
        if scheme.reliable > 0:
            notes.append(
                _("{rule} does not estimate reliability, so only what was done counts; the rule posterior does").format(
                    rule=outcome.rule
                )
            )
        shares = done
        if scheme.done == 0:
            raise InputError(
                _(
                    "the review mark is for reliability alone, but {rule} does not estimate it; choose the "
                    "rule posterior, or give done a weight"
                ).format(rule=outcome.rule)
            )
    else:
        reliable = np.where(np.isnan(done), np.nan, reliable * done)
        shares = (scheme.done * done + scheme.reliable * reliable) / (scheme.done + scheme.reliable)
    return Review(freeze(done), None if reliable is None else freeze(reliable), freeze(100 * shares), tuple(notes))


def marks_table(
    students: Sequence[str],
    papers: Sequence[str],
    authored: ArrayLike,
    marks: Marks,
    review: Review,
    scheme: ReviewScheme,
    staff: ArrayLike | None = None,
) -> dict[str, list[Any]]:
    """Return the table of marks: one row per student, with the mark of their paper and the mark for ranking.

    Students and graders have the same numbers; ``authored`` is the paper of each, -1 for none. All members of a team
    get its mark, or none where the paper has none (not a number, or an empty text). Staff get none and are left out.
    """
    own = as_indices(authored, "authored", -1, len(papers), InputError)
    letters = isinstance(marks, list)
    if scheme.penalty and letters:
        raise InputError(_("a penalty takes points off, but these marks are letters; choose marks that are numbers"))
    out = np.zeros(len(own), bool) if staff is None else np.asarray(staff, bool)
    table: dict[str, list[Any]] = {"student": [], "paper": [], "mark": [], "review_mark": []}
    for index, student in enumerate(students):
        if out[index]:
            continue
        paper = int(own[index])
        mark: Any
        if paper < 0:
            mark = scheme.absent
            # A column of letters is text throughout.
            mark = f"{mark:g}" if letters and mark is not None else mark
        elif letters:
            mark = marks[paper] or None
        elif math.isnan(mark := float(marks[paper])):
            mark = None
        else:
            done = float(review.done[index])
            off = 0.0 if math.isnan(done) else scheme.penalty * (1 - done)
            # No further down than to 0, but a mark that is below already stays.
            mark = round(max(mark - off, min(mark, 0.0)), 2)
        work = float(review.marks[index])
        table["student"].append(student)
        table["paper"].append(papers[paper] if paper >= 0 else "")
        table["mark"].append(mark)
        table["review_mark"].append(None if math.isnan(work) else round(work, 2))
    return table


def _pairs(profile: Profile) -> IntArray:
    """Return each grader with each paper that they ranked, once, as one number."""
    who = np.repeat(profile.grader.astype(np.int64), profile.sizes)
    return _once(who * max(profile.n_papers, 1) + profile.papers)


def _once(numbers: IntArray) -> IntArray:
    """Return each different number once, in order."""
    ordered = np.sort(numbers)
    once: IntArray = ordered[np.diff(ordered, prepend=-1) != 0]
    return once


def _reliable(result: RuleResult, heard: NDArray[np.bool_], staff: NDArray[np.bool_] | None) -> FloatArray | None:
    """Return each grader's share of full reliability, from 0 to 1; 0 for graders who are not in ``heard``."""
    if result.reliability is None:
        return None
    reliability = np.asarray(result.reliability, np.float64)
    flags = result.flags
    good = heard if flags is None else heard & np.array([not flag for flag in flags], bool)
    among = good if staff is None or not (good & ~staff).any() else good & ~staff
    best = max(float(np.quantile(reliability[among], GOOD)), LEAST) if among.any() else 1.0
    share: FloatArray = np.where(good, np.clip((reliability - CHANCE) / (best - CHANCE), 0, 1), 0.0)
    return share
