"""The graders to look at: flagged, unreliable, all tied, moving their own paper up, or silent."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from peerorder.core.arrays import FloatArray, IntArray
from peerorder.core.jit import kernel
from peerorder.core.translation import gettext as _, ngettext, translate
from peerorder.reports.instructor.text import moved, some
from peerorder.reports.markup import Markup, element, joined
from peerorder.reports.table_cells import below, bullets, table
from peerorder.rounds.grading import GradedRound

__all__ = ["Act", "People", "by_reliability", "listed", "looked_at", "section"]

Act = Callable[[int], Markup | None]
Listed = Callable[[IntArray, str], Markup]

ROWS = 20
# A grader who puts two papers in the right order less often than this is worth a look; 1/2 is a coin.
DOUBTFUL = 0.6
# A share of the pairs on a grader's ballots, where the rule estimates no reliabilities; and the fewest pairs.
CONTRARY = 0.4
ENOUGH_PAIRS = 6
# Places gained through one's own ballots: the smallest number, and the smallest share of all.
GAINED, GAINED_SHARE = 2.0, 0.02


@dataclass(frozen=True, eq=False)
class People:
    """Numbers of graders, the most important first, and what is known about every grader."""

    flagged: IntArray
    doubtful: IntArray
    gained: IntArray
    tied: IntArray
    silent: IntArray
    blank: IntArray
    """Graders who are in the rankings, but ranked no paper."""
    partly: IntArray
    agreement: FloatArray
    """The share of the pairs on every grader's ballots that agree with the order, NaN for none."""
    gain: FloatArray | None
    """The places that everybody's own paper gained through their own ballots; None where the rule has no estimate."""


def looked_at(graded: GradedRound) -> People:
    """Return the graders to look at."""
    read, outcome = graded.round, graded.outcome
    profile, result, n = read.profile, outcome.result, len(read.graders)
    right, pairs = np.zeros(n, np.int64), np.zeros(n, np.int64)
    add_agreements(profile.papers, profile.start, profile.tie_levels, profile.grader, outcome.places, right, pairs)
    agreement = np.divide(right, pairs, out=np.full(n, np.nan), where=pairs > 0)
    worth = agreement if result.reliability is None else np.where(pairs > 0, result.reliability, np.nan)
    flagged = np.array([bool(flag) for flag in result.flags or [""] * n], bool)
    if result.reliability is None:
        doubtful = (agreement < CONTRARY) & (pairs >= ENOUGH_PAIRS)
    else:
        doubtful = (worth < DOUBTFUL) & ~flagged
    gain = None
    gained = np.zeros(n, bool)
    if result.samples is not None:
        gain = np.zeros(n)
        authors = np.flatnonzero((profile.authored >= 0) & (pairs > 0))
        gain[authors] = result.samples.influences(authors, profile.authored[authors])
        gained = gain >= max(GAINED, GAINED_SHARE * profile.n_papers)
    return People(
        flagged=_by(worth, flagged),
        doubtful=_by(worth, doubtful),
        gained=_by(-gain, gained) if gain is not None else np.flatnonzero(gained),
        tied=np.flatnonzero(read.tied),
        silent=read.absent[0],
        blank=read.absent[1],
        partly=np.flatnonzero(read.partly),
        agreement=agreement,
        gain=gain,
    )


def _by(key: FloatArray, who: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> IntArray:
    numbers = np.flatnonzero(who)
    return numbers[np.argsort(key[numbers], kind="stable")]


@kernel
def add_agreements(papers, start, levels, grader, places, right, pairs):  # type: ignore[no-untyped-def]
    """Count for every grader the pairs on their ballots that are not tied, and those that agree with the order."""
    for row in range(len(start) - 1):
        who = grader[row]
        for i in range(start[row], start[row + 1]):
            for j in range(i + 1, start[row + 1]):
                if levels[i] != levels[j]:
                    pairs[who] += 1
                    right[who] += places[papers[i]] < places[papers[j]]


# What people read.


def section(graded: GradedRound, people: People, act: Act | None = None, most: int = ROWS) -> Markup:
    """Return a part for each reason to look at a grader, or a sentence that there is none.

    ``act`` gives what can be done about a grader, by the number; tables have ``most`` rows.
    """
    listed = partial(_table, graded, people, act, most)
    parts = (_flagged, _doubtful, _tied, _gained, _absent)
    result = [said for part in parts if (said := part(graded, people, listed)) is not None]
    if not result:
        result = [element("p", _("Nobody stands out, and everybody who was asked handed in their rankings."))]
    if graded.outcome.result.reliability is None:
        text = _(
            "The rule {rule} treats all graders equally and does not estimate reliability; the rule posterior does."
        )
        result.append(element("p", text.format(rule=graded.outcome.rule)))
    return joined(*result)


def by_reliability(graded: GradedRound, people: People) -> IntArray:
    """Numbers of all graders who compared papers, the least reliable first; by agreement where that is not known."""
    known = graded.outcome.result.reliability
    heard = ~np.isnan(people.agreement)
    return _by(people.agreement if known is None else known, heard)


def listed(graded: GradedRound, people: People, who: IntArray, act: Act | None = None) -> Markup:
    """A table of these graders."""
    return _table(graded, people, act, len(who), who, _("All graders, the least reliable first."))


def _part(title: str, text: str, content: Markup | None = None) -> Markup:
    return joined(element("h3", title), element("p", text), content)


def _flagged(_graded: GradedRound, people: People, listed: Listed) -> Markup | None:
    if not len(people.flagged):
        return None
    return _part(
        _("Flagged"),
        _(
            "These rankings look random, or upside down with the best paper last. The rule takes that into account: "
            "random ones count for next to nothing, reversed ones are read the other way round. A flag is a reason to "
            "ask, not a verdict; the grader may have misread the form."
        ),
        listed(people.flagged, _("Flagged graders.")),
    )


def _doubtful(graded: GradedRound, people: People, listed: Listed) -> Markup | None:
    if not len(people.doubtful):
        return None
    if graded.outcome.result.reliability is None:
        return _part(
            _("Contrary to the others"),
            _(
                "Most of these graders' comparisons are the other way round in the merged order. With a few papers "
                "each, "
                "that happens to careful graders too."
            ),
            listed(people.doubtful, _("Graders whose rankings contradict the order.")),
        )
    return _part(
        _("Least reliable"),
        _(
            "Reliability is the probability that a grader puts two papers in the right order: 100% is never wrong, 50% "
            "is a coin toss. These graders are below {limit:.0%}. The interval is wide, because one ranking says "
            "little "
            "about a person."
        ).format(limit=DOUBTFUL),
        listed(people.doubtful, _("Graders of low reliability.")),
    )


def _tied(graded: GradedRound, people: People, _listed: Listed) -> Markup | None:
    if not len(people.tied):
        return None
    text = ngettext(
        "{count:,} grader tied all of their papers, so their ranking does not count and their reliability is unknown: "
        "{names}.",
        "{count:,} graders tied all of their papers, so their rankings do not count and their reliability is unknown: "
        "{names}.",
        len(people.tied),
    )
    return _part(_("Tied all of their papers"), text.format(count=len(people.tied), names=_names(graded, people.tied)))


def _gained(graded: GradedRound, people: People, listed: Listed) -> Markup | None:
    if people.gain is None or not (people.gain > 0).any():
        return None
    title, most = _("Moved their own paper"), int(np.argmax(people.gain))
    if not len(people.gained):
        best, name = people.gain[most], graded.round.graders[most]
        if best >= 0.1:
            text = _(
                "By a rough estimate, nobody's own ranking moved their own paper up much: {places:.1f} places at most "
                "({grader})."
            )
        else:
            text = _(
                "By a rough estimate, nobody's own ranking moved their own paper up much: a tenth of a place at most."
            )
        return _part(title, text.format(places=best, grader=name))
    if graded.round.inputs:
        text = _(
            "Nobody ranks their own paper, but a grader who ranks its rivals low moves it up. An honest ranking can do "
            "that too, and the numbers are rough estimates. Before you draw a conclusion, use "
            "peerorder grade --explain PAPER, which computes them exactly for a paper."
        )
    else:
        # Where a round does not come from files, there is no command line either.
        text = _(
            "Nobody ranks their own paper, but a grader who ranks its rivals low moves it up. An honest ranking can do "
            "that too, and the numbers are rough estimates. Look at the single rankings before you draw a conclusion."
        )
    return _part(title, text, listed(people.gained, _("Graders whose own ranking moved their own paper up most.")))


def _absent(graded: GradedRound, people: People, _listed: Listed) -> Markup | None:
    points = (
        (
            people.silent,
            ngettext(
                "{count:,} grader handed in nothing: {names}.",
                "{count:,} graders handed in nothing: {names}.",
                len(people.silent),
            ),
        ),
        (
            people.blank,
            ngettext(
                "{count:,} grader ranked none of their papers: {names}.",
                "{count:,} graders ranked none of their papers: {names}.",
                len(people.blank),
            ),
        ),
        (
            people.partly,
            ngettext(
                "{count:,} grader ranked some of their papers, not all: {names}.",
                "{count:,} graders ranked some of their papers, not all: {names}.",
                len(people.partly),
            ),
        ),
    )
    said = [text.format(count=len(who), names=_names(graded, who)) for who, text in points if len(who)]
    return joined(element("h3", _("Missing rankings")), bullets(said)) if said else None


def _table(graded: GradedRound, people: People, act: Act | None, most: int, who: IntArray, caption: str) -> Markup:
    read, result = graded.round, graded.outcome.result
    columns = (
        _("Grader"),
        _("Papers ranked"),
        _("Reliability (90% interval)"),
        _("Agrees with the order"),
        _("Own paper moved"),
        _("Flag"),
    )
    rows = []
    for index in who[:most].tolist():
        reliability = moved_by = None
        if result.reliability is not None and result.reliability_intervals is not None:
            low, high = result.reliability_intervals[index]
            reliability = _("{reliability:.0%} ({low:.0%} to {high:.0%})").format(
                reliability=result.reliability[index], low=low, high=high
            )
        if people.gain is not None and read.profile.authored[index] >= 0:
            moved_by = moved(people.gain[index])
        agreement = None if np.isnan(people.agreement[index]) else f"{people.agreement[index]:.0%}"
        flag = translate(result.flags[index]) or None if result.flags is not None else None
        rows.append(
            (
                joined(_called(graded, index), act and act(index)),
                f"{read.judged[index]:,}",
                reliability,
                agreement,
                moved_by,
                flag,
            )
        )
    if len(who) > most:
        caption = _("{caption} The first {count:,} of {total:,}.").format(caption=caption, count=most, total=len(who))
    return table(caption, columns, rows, numbers=range(1, 5))


def _names(graded: GradedRound, who: IntArray) -> str:
    """Return ids, with names where the roster has them."""
    read = graded.round
    said = [
        f"{read.graders[index]} ({name})" if (name := _name(graded, index)) else read.graders[index]
        for index in who.tolist()
    ]
    return some(said, np.arange(len(said)), 3 * ROWS)


def _name(graded: GradedRound, index: int) -> str:
    """Return the roster's name of a grader, where that is not the id."""
    read = graded.round
    name = read.people.names[index] if read.people is not None else ""
    return "" if name == read.graders[index] else name


def _called(graded: GradedRound, index: int) -> Markup:
    """Return the id, with the name where the roster has one, and whether it is staff."""
    read = graded.round
    extra = [word for word in (_name(graded, index), _("staff") if read.staff[index] else "") if word]
    return joined(read.graders[index], below(", ".join(extra)))
