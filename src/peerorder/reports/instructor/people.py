"""The graders to look at: flagged, unreliable, without an order, good to their own paper, or silent."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from peerorder.core.arrays import FloatArray, IntArray
from peerorder.core.jit import kernel
from peerorder.reports.instructor.text import count, moved, some
from peerorder.reports.markup import Markup, element, joined
from peerorder.reports.table_cells import below, bullets, table
from peerorder.rounds.grading import GradedRound

__all__ = ["Act", "People", "by_reliability", "listed", "looked_at", "section"]

Act = Callable[[int], Markup | None]
Listed = Callable[[IntArray, str], Markup]

ROWS = 20
# A grader who puts two papers in the right order less often than this is worth a look; 1/2 is a coin.
DOUBTFUL = 0.6
# Of the pairs on somebody's ballots, where the rule knows no reliabilities; and so many pairs at least.
CONTRARY = 0.4
ENOUGH_PAIRS = 6
# Places gained by one's own ballots: at least so many, and so large a share of all.
GAINED, GAINED_SHARE = 2.0, 0.02


@dataclass(frozen=True, eq=False)
class People:
    """Numbers of graders, those to look at first at the beginning, and what is known of every grader."""

    flagged: IntArray
    doubtful: IntArray
    gained: IntArray
    tied: IntArray
    silent: IntArray
    blank: IntArray
    """Who are in the rankings, and judged no paper."""
    partly: IntArray
    agreement: FloatArray
    """The share of the pairs on every grader's ballots that are so in the order too, not a number for none."""
    gain: FloatArray | None
    """The places that everybody's own paper gained by their own ballots; None where the rule cannot say."""


def looked_at(graded: GradedRound) -> People:
    """Sort out who is to be looked at."""
    read, outcome = graded.round, graded.outcome
    profile, findings, n = read.profile, outcome.findings, len(read.graders)
    right, pairs = np.zeros(n, np.int64), np.zeros(n, np.int64)
    add_agreements(profile.papers, profile.start, profile.tie_levels, profile.grader, outcome.places, right, pairs)
    agreement = np.divide(right, pairs, out=np.full(n, np.nan), where=pairs > 0)
    worth = agreement if findings.reliability is None else np.where(pairs > 0, findings.reliability, np.nan)
    flagged = np.array([bool(flag) for flag in findings.flags or [""] * n], bool)
    if findings.reliability is None:
        doubtful = (agreement < CONTRARY) & (pairs >= ENOUGH_PAIRS)
    else:
        doubtful = (worth < DOUBTFUL) & ~flagged
    gain = None
    gained = np.zeros(n, bool)
    if findings.samples is not None:
        gain = np.zeros(n)
        authors = np.flatnonzero((profile.authored >= 0) & (pairs > 0))
        gain[authors] = findings.samples.gains(authors, profile.authored[authors])
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
    """Count for every grader the pairs on their ballots that are no ties, and those that are so in the order too."""
    for row in range(len(start) - 1):
        who = grader[row]
        for i in range(start[row], start[row + 1]):
            for j in range(i + 1, start[row + 1]):
                if levels[i] != levels[j]:
                    pairs[who] += 1
                    right[who] += places[papers[i]] < places[papers[j]]


# What people read.


def section(graded: GradedRound, people: People, act: Act | None = None, most: int = ROWS) -> Markup:
    """A part for each reason to look at somebody, or a sentence that there is none.

    ``act`` gives what can be done about a grader, by the number; tables have ``most`` rows.
    """
    listed = partial(_table, graded, people, act, most)
    parts = (_flagged, _doubtful, _tied, _gained, _absent)
    found = [said for part in parts if (said := part(graded, people, listed)) is not None]
    if not found:
        found = [element("p", "Nobody stands out, and everybody who was asked handed in.")]
    if graded.outcome.findings.reliability is None:
        alike = f"The rule {graded.outcome.rule} takes all graders alike and does not say who is reliable"
        found.append(element("p", f"{alike}; the rule posterior does."))
    return joined(*found)


def by_reliability(graded: GradedRound, people: People) -> IntArray:
    """Numbers of all graders who compared papers, the least reliable first; by agreement where that is not known."""
    known = graded.outcome.findings.reliability
    heard = ~np.isnan(people.agreement)
    return _by(people.agreement if known is None else known, heard)


def listed(graded: GradedRound, people: People, who: IntArray, act: Act | None = None) -> Markup:
    """A table of these graders."""
    return _table(graded, people, act, len(who), who, "All graders, the least reliable first")


def _part(title: str, text: str, content: Markup | None = None) -> Markup:
    return joined(element("h3", title), element("p", text), content)


def _flagged(_graded: GradedRound, people: People, listed: Listed) -> Markup | None:
    if not len(people.flagged):
        return None
    return _part(
        "Flagged",
        "These rankings look as if they were made at random, or upside down with the best paper last. The rule "
        "has taken that into account: the first kind counts for next to nothing, the second is read the other way "
        "round. A flag is a reason to ask, not a verdict; somebody may have misread the form.",
        listed(people.flagged, "Flagged graders"),
    )


def _doubtful(graded: GradedRound, people: People, listed: Listed) -> Markup | None:
    if not len(people.doubtful):
        return None
    if graded.outcome.findings.reliability is None:
        return _part(
            "Contrary to the others",
            "Most of what these graders said is the other way round in the order of all. With a few papers each, that "
            "happens to careful graders too.",
            listed(people.doubtful, "Graders whose rankings contradict the order"),
        )
    return _part(
        "Least reliable",
        "Reliability is the chance that a grader puts two papers in the right order: 100% is never wrong, 50% is "
        f"a coin. These graders are below {DOUBTFUL:.0%}. The interval is wide, because one ranking says little "
        "about a person.",
        listed(people.doubtful, "Graders of low reliability"),
    )


def _tied(graded: GradedRound, people: People, _listed: Listed) -> Markup | None:
    if not len(people.tied):
        return None
    who = f"{count(len(people.tied), 'grader')} tied all of their papers, so their rankings say nothing"
    return _part(
        "Tied all of their papers",
        f"{who}, and nobody knows how reliable they are: {_names(graded, people.tied)}.",
    )


def _gained(graded: GradedRound, people: People, listed: Listed) -> Markup | None:
    if people.gain is None or not (people.gain > 0).any():
        return None
    title, most = "Moved their own paper", int(np.argmax(people.gain))
    if not len(people.gained):
        best, name = people.gain[most], graded.round.graders[most]
        by = f"{best:.1f} places ({name})" if best >= 0.1 else "a tenth of a place"
        return _part(title, f"By a rough estimate nobody's own ranking moved their own paper up much: {by} at most.")
    # Where a round does not come from files, there is no command line either.
    command = "peerorder grade --explain PAPER works them out for a paper. Look there"
    look = command if graded.round.inputs else "look at the single rankings"
    return _part(
        title,
        "Nobody ranks their own paper, but a grader who ranks its rivals low moves it up. An honest ranking can do "
        f"that too, and the numbers are rough estimates: {look} before you draw a conclusion.",
        listed(people.gained, "Graders whose own ranking moved their own paper up most"),
    )


def _absent(graded: GradedRound, people: People, _listed: Listed) -> Markup | None:
    said = [
        f"{count(len(who), 'grader')} {did}: {_names(graded, who)}."
        for who, did in (
            (people.silent, "handed in nothing"),
            (people.blank, "judged none of their papers"),
            (people.partly, "ranked some of their papers, not all"),
        )
        if len(who)
    ]
    return joined(element("h3", "Did not hand in"), bullets(said)) if said else None


def _table(graded: GradedRound, people: People, act: Act | None, most: int, who: IntArray, caption: str) -> Markup:
    read, findings = graded.round, graded.outcome.findings
    columns = (
        "Grader",
        "Papers ranked",
        "Reliability (90% interval)",
        "Agrees with the order",
        "Own paper moved",
        "Flag",
    )
    rows = []
    for at in who[:most].tolist():
        reliability = moved_by = None
        if findings.reliability is not None and findings.reliability_intervals is not None:
            low, high = findings.reliability_intervals[at]
            reliability = f"{findings.reliability[at]:.0%} ({low:.0%} to {high:.0%})"
        if people.gain is not None and read.profile.authored[at] >= 0:
            moved_by = moved(people.gain[at])
        agreement = None if np.isnan(people.agreement[at]) else f"{people.agreement[at]:.0%}"
        flag = findings.flags[at] or None if findings.flags is not None else None
        rows.append(
            (
                joined(_called(graded, at), act and act(at)),
                f"{read.judged[at]:,}",
                reliability,
                agreement,
                moved_by,
                flag,
            )
        )
    more = f" The first {most} of {len(who):,}." if len(who) > most else ""
    return table(f"{caption}.{more}", columns, rows, numbers=range(1, 5))


def _names(graded: GradedRound, who: IntArray) -> str:
    """Ids, with names where the roster has them."""
    read = graded.round
    said = [f"{read.graders[at]} ({name})" if (name := _name(graded, at)) else read.graders[at] for at in who.tolist()]
    return some(said, np.arange(len(said)), 3 * ROWS)


def _name(graded: GradedRound, at: int) -> str:
    """What the roster calls a grader, where that is not the id."""
    read = graded.round
    name = read.people.names[at] if read.people is not None else ""
    return "" if name == read.graders[at] else name


def _called(graded: GradedRound, at: int) -> Markup:
    """The id, under it the name where the roster has one, and whether it is staff."""
    read = graded.round
    extra = [word for word in (_name(graded, at), "staff" if read.staff[at] else "") if word]
    return joined(read.graders[at], below(", ".join(extra)))
