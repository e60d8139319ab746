"""What one student sees of a release: the mark and how sure it is, comments, and how their own ranking went.

Nothing here tells one grader from another: of the rankings there are counts alone, and none where they are few.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from django.utils.translation import gettext as _, ngettext

from peerorder.core.arrays import FloatArray
from peerorder.core.translation import translate
from peerorder.reports.markup import Markup
from peerorder.web.assignments.models import Assignment
from peerorder.web.courses.models import Member
from peerorder.web.papers.models import Authorship, Paper
from peerorder.web.results import student_charts as charts
from peerorder.web.results.comments import ReceivedComment, received_comments
from peerorder.web.results.mark_sheets import Mark, Sheet, StudentMark
from peerorder.web.results.models import Decision, Release

if TYPE_CHECKING:
    from peerorder.core import Profile

FEWEST = 3
"""Of fewer rankings, or of fewer papers in a ranking, nothing is counted: it would show single placements."""


@dataclass(frozen=True)
class UpperHalf:
    """How the rankings of a paper went, as far as its authors may know."""

    upper: int
    of: int


@dataclass(frozen=True)
class StudentResult:
    """Everything that the page of a student shows."""

    assignment: Assignment
    release: Release
    member: Member
    paper: Paper | None = None
    """Their own, or their team's."""
    team: bool = False
    mark: str = ""
    """As people read it; empty for none."""
    sentences: tuple[str, ...] = ()
    """The mark, how sure it is, and what it would take to change."""
    rank: str = ""
    """The rank of their paper, as a sentence; empty where the rest of the page does not imply it."""
    deductions: tuple[str, ...] = ()
    """Points that were taken off, and how that adds up."""
    picture: Markup | None = None
    summary: UpperHalf | None = None
    method: tuple[str, ...] = ()
    review_mark: str = ""
    review_reasons: tuple[str, ...] = ()
    """What the mark for ranking is made of."""
    agreement: int | None = None
    """The share of the pairs in their ranking that stand in the same order in the result, in percent."""
    excluded: bool = False
    """Whether their own ranking was left out."""
    comments: list[ReceivedComment] = field(default_factory=list)


def student_result(assignment: Assignment, member: Member, sheet: Sheet | None, release: Release) -> StudentResult:
    """Return what a student sees of a release, which may be one that is not published, or not even signed off."""
    wrote = Authorship.objects.filter(assignment=assignment, member=member).select_related("paper__current").first()
    paper = wrote.paper if wrote is not None and wrote.paper.current is not None else None
    team = paper is not None and paper.authorships.count() > 1
    comments = received_comments(paper.pk) if release.comments and paper and paper.withdrawn_at is None else []
    seen = StudentResult(assignment, release, member, paper, team, comments=comments)
    if not release.marks or sheet is None or member.pk not in sheet.students:
        return seen
    return _Reading(sheet, sheet.students[member.pk]).fill_in(seen)


def mark_text(mark: Mark) -> str:
    """Return a mark as people read it, with no more decimals than it has."""
    return "" if mark is None else mark if isinstance(mark, str) else f"{mark:.2f}".rstrip("0").rstrip(".")


def _points(text: str) -> str:
    return (_("%(points)s point") if text == "1" else _("%(points)s points")) % {"points": text}


class _Reading:
    """What a sheet says about one student."""

    def __init__(self, sheet: Sheet, student: StudentMark) -> None:
        self.sheet, self.student = sheet, student
        self.graded, self.marking = sheet.graded, sheet.graded.marking
        self.number = sheet.members.index(student.member)
        self.own = None if student.paper is None else sheet.paper_number[student.paper]
        self.n = len(sheet.papers)

    def fill_in(self, seen: StudentResult) -> StudentResult:
        return replace(
            seen,
            mark=mark_text(self.student.mark),
            sentences=tuple(self.sentences(seen)),
            rank=self.rank(),
            deductions=tuple(self.deductions()),
            picture=self.picture(),
            summary=self.summary,
            method=tuple(self.method()),
            review_mark=mark_text(self.student.review_mark),
            review_reasons=tuple(self.review_reasons()),
            agreement=agreement(self.graded.round.profile, self.number, self.graded.outcome.scores),
            excluded=bool(self.graded.round.excluded[self.number]),
        )

    # The paper.

    @cached_property
    def set_by_staff(self) -> bool:
        if self.own is None or self.marking is None:
            return False
        decided = {
            self._paper_of(each.person) for each in self.graded.round.overrides if each.decision == Decision.Kind.MARK
        }
        return self.own in decided or self.own in self.marking.kept

    def _paper_of(self, person: str) -> int:
        return int(self.graded.round.profile.authored[self.graded.round.grader_number[person]])

    @cached_property
    def summary(self) -> UpperHalf | None:
        return None if self.own is None else upper_half(self.graded.round.profile, self.own)

    def sentences(self, seen: StudentResult) -> Iterator[str]:
        mark = mark_text(self.student.mark)
        if self.own is None or not mark or self.marking is None:
            yield self._without_mark(seen, mark)
            return
        yield (_("The mark of your team's paper is %(mark)s.") if seen.team else _("Your mark is %(mark)s.")) % {
            "mark": mark
        }
        if self.set_by_staff:
            yield _("Your instructors set it, so it does not depend on the rankings.")
            yield _("Only they can change it; ask them for the reason.")
        elif self.own in self.marking.unranked:
            yield _("Nobody compared your paper with another one, so it has the mark that was chosen for such papers.")
            yield _("Only your instructors can change it.")
        else:
            yield self._how_sure()
            yield self._what_it_takes()

    def _without_mark(self, seen: StudentResult, mark: str) -> str:
        if seen.paper is not None and seen.paper.withdrawn_at is not None:
            text = _("Your instructors withdrew your paper, so it has no mark.")
        elif seen.paper is None:
            text = _("You have not handed in a paper.")
        elif self.own is not None and self.marking is not None and self.own in self.marking.unranked:
            text = _("Your paper has no mark, because nobody compared it with another one.")
        else:
            text = _("Your paper has no mark.")
        return " ".join((text, _("Your mark is %(mark)s.") % {"mark": mark})) if mark else text

    @cached_property
    def ends(self) -> tuple[str, str] | None:
        low, high = mark_text(self.student.mark_low), mark_text(self.student.mark_high)
        return (low, high) if low and high else None

    def _how_sure(self) -> str:
        if self.ends is None:
            return _("There is no interval for it: the rule that combined the rankings gives none.")
        low, high = self.ends
        if low == high:
            return _("It is as certain as it can be: every rank in the 90% credible interval gives this mark.")
        text = _("Judging by the rankings, it could be anything from %(low)s to %(high)s (90%% credible interval).")
        return text % {"low": low, "high": high}

    def _what_it_takes(self) -> str:
        first, last = self.student.low, self.student.high
        if self.ends is None or first is None or last is None:
            return _("It would change if your paper moved far enough in the order of all papers.")
        low, high = self.ends
        # How many papers at the top have a better mark than those of the interval, and how many at the end a worse one.
        better, worse = first - 1, self.n - last
        if isinstance(self.student.mark, str):
            letters = self._letters()
            better, worse = letters.index(high), letters[::-1].index(low)
        if not better and not worse:
            return _("That is the whole scale, so only more rankings could make it more certain.")
        if self.summary is None:
            # A rank is a count, too.
            return _("To get a mark outside this range, your paper would need a rank outside its interval.")
        top = _("rank 1") if better == 1 else _("rank %(rank)d or better") % {"rank": better}
        end = _("rank %(rank)d or worse") % {"rank": self.n - worse + 1} if worse > 1 else _("the last rank")
        if not worse:
            text = _("A mark above %(high)s would take %(top)s of %(of)d papers.")
        elif not better:
            text = _("A mark below %(low)s would take %(end)s of %(of)d papers.")
        else:
            text = _("A mark above %(high)s would take %(top)s of %(of)d papers; one below %(low)s, %(end)s.")
        return text % {"low": low, "high": high, "top": top, "end": end, "of": self.n}

    def rank(self) -> str:
        """Return the rank where the page shows it anyhow: in a number that a scale made of it, or in a picture."""
        student = self.student
        implied = self._mark_tells_rank() if isinstance(student.mark, float) else self.ends is not None
        by_rank = self.marking is not None and self.own not in self.marking.unranked and not self.set_by_staff
        # Of few rankings there is no count, and a rank is a count, too.
        if self.summary is None or student.mark is None or student.place is None or not by_rank:
            return ""
        if self._scale() is None or not implied:
            return ""
        values = {"rank": student.place, "of": self.n, "low": student.low, "high": student.high}
        if student.low is None or student.low == student.high:
            return _("Your paper is ranked %(rank)d of %(of)d.") % values
        text = _("Your paper is ranked %(rank)d of %(of)d (90%% credible interval: rank %(low)d to rank %(high)d).")
        return text % values

    def _mark_tells_rank(self) -> bool:
        """Return whether the scale gives this mark to one rank alone; at its ends it may give it to several."""
        scale, place, mark = self._scale(), self.student.place, self.student.mark
        # Deductions end at 0, whatever the mark was before.
        if scale is None or place is None or not isinstance(mark, float) or mark <= 0:
            return False
        marks = np.round(np.asarray(scale.of_places(np.arange(1, self.n + 1), self.n), float), 2)
        return int(np.count_nonzero(marks == marks[place - 1])) == 1

    def deductions(self) -> Iterator[str]:
        from peerorder.rounds.marking import parse_mark

        numbers = None if self.marking is None else self.marking.numbers
        if self.own is None or numbers is None or not isinstance(self.student.mark, float):
            return
        deducted = []
        for each in self.graded.round.overrides:
            if each.decision == Decision.Kind.PENALTY and self._paper_of(each.person) == self.own:
                deducted.append(parse_mark(each.value, self._range()[1]) or 0.0)
                text = _("This mark includes a deduction of %(points)s, because the paper was late.")
                yield text % {"points": _points(mark_text(deducted[-1]))}
        # A mark does not fall below 0, so that it may have lost less than that.
        adds_up = not deducted or numbers[self.own] > 0
        if points := self.sheet.ranking_penalty(self.student.member):
            deducted.append(points)
            yield self._ranking_deduction() % {"points": _points(mark_text(points))}
        if deducted and adds_up:
            before = mark_text(self.student.mark + sum(deducted))
            terms = " \N{MINUS SIGN} ".join([before, *map(mark_text, deducted)])
            yield _("The calculation: %(sum)s.") % {"sum": f"{terms} = {mark_text(self.student.mark)}"}

    def _ranking_deduction(self) -> str:
        if self.graded.round.excluded[self.number]:
            return _("This mark includes a deduction of %(points)s, because your ranking was left out of the result.")
        if not self.graded.review.done[self.number]:
            return _("This mark includes a deduction of %(points)s, because you did not rank your papers.")
        return _(
            "This mark includes a deduction of %(points)s, because you ranked fewer papers than you were asked to."
        )

    def review_reasons(self) -> Iterator[str]:
        review, scheme = self.graded.review, self.graded.settings.review_scheme
        done = float(review.done[self.number])
        if self.student.review_mark is None or self.graded.round.excluded[self.number] or np.isnan(done):
            return
        if not done:
            yield _("You ranked none of the papers that you were asked to rank.")
        elif done < 1:
            percent = {"percent": round(100 * done)}
            yield _("You ranked %(percent)d%% of the papers that you were asked to rank.") % percent
        if review.reliable is None or not scheme.reliable:
            yield _("This mark is the percentage of your papers that you ranked.")
        elif done:
            share = round(100 * scheme.done / (scheme.done + scheme.reliable))
            text = _(
                "%(done)d%% of this mark is for ranking all your papers, and %(reliable)d%% for how well your order "
                "fits the rankings of the others."
            )
            yield text % {"done": share, "reliable": 100 - share}

    def picture(self) -> Markup | None:
        if self.ends is None or self.marking is None or self.own is None:
            return None
        if isinstance(self.student.mark, str):
            return charts.interval_of_letters(self._letters(), self.student) if self.summary is not None else None
        return charts.interval_of_marks(*self._range(), self.student)

    def _scale(self) -> Any:
        from peerorder.marks import SCALES

        marks = self.graded.settings.marks
        return None if marks is None else SCALES.parse(marks)

    def _letters(self) -> list[str]:
        """Return the mark of every rank, from the first."""
        return list(self._scale().of_places(np.arange(1, self.n + 1), self.n))

    def _range(self) -> tuple[float, float]:
        scale = self._scale()
        options = {} if scale is None else scale.values
        return float(options.get("low", 0.0)), float(options.get("high", self.graded.settings.anchors_points))

    def method(self) -> Iterator[str]:
        from peerorder.reports.labels import rule_name
        from peerorder.rules import RULES

        rankings = len(np.unique(self.graded.round.profile.grader))
        text = ngettext(
            "The ranking of %(rankings)d student was turned into one order of all %(papers)d papers by the rule "
            "%(rule)s (%(summary)s).",
            "The rankings of %(rankings)d students were combined into one order of all %(papers)d papers by the rule "
            "%(rule)s (%(summary)s).",
            rankings,
        )
        rule = RULES.parse(self.graded.outcome.rule)
        plain = _("rankings that fit those of the others count more")
        summary = plain if rule.name == "posterior" else translate(rule.summary)
        yield text % {"rankings": rankings, "papers": self.n, "rule": rule_name(rule.spec), "summary": summary}
        if self.set_by_staff:
            yield _("Marks follow from the ranks of the papers, except for marks that instructors set, like yours.")
        elif self.marking is not None:
            yield self._scale_in_words()
        if self.ends is not None:
            yield _("A 90% credible interval contains the right mark in nine cases out of ten.")

    def _scale_in_words(self) -> str:
        scale = self._scale()
        if scale is None:
            return _("Your instructors marked some papers; the marks of the others lie in between, by their rank.")
        if scale.name == "percentile":
            return _("The mark of a paper is the percentage of papers that rank below it, itself counted as a half.")
        if scale.name == "curve":
            text = _(
                "The better the rank, the higher the mark: marks have a mean of %(mean)g and a standard deviation of "
                "%(sd)g, before deductions."
            )
            return text % {"mean": scale.values["mean"], "sd": scale.values["sd"]}
        if scale.letters:
            shares = ", ".join(f"{letter} {share:g}%" for letter, share in scale.values.items())
            return _("Marks follow from the rank; of all papers, from the top: %(shares)s.") % {"shares": shares}
        return _("Marks follow from the rank, by the scale %(scale)s.") % {"scale": scale.spec}


def upper_half(profile: "Profile", paper: int) -> UpperHalf | None:
    """Return how many put a paper in their upper half, in which the middle one is not; None where few ranked it."""
    shares = []
    for index in np.flatnonzero(profile.papers == paper).tolist():
        ballot = int(np.searchsorted(profile.start, index, side="right")) - 1
        levels = profile.tie_levels[profile.start[ballot] : profile.start[ballot + 1]]
        mine = profile.tie_levels[index]
        if len(levels) > 1:
            above = np.sum(levels < mine) + (np.sum(levels == mine) - 1) / 2
            shares.append(above / (len(levels) - 1))
    return UpperHalf(sum(share < 0.5 for share in shares), len(shares)) if len(shares) >= FEWEST else None


def agreement(profile: "Profile", grader: int, scores: FloatArray) -> int | None:
    """Return the percentage of a grader's pairs of papers that scores put in the same order; None for few papers."""
    ranked = same = pairs = 0
    for ballot in np.flatnonzero(profile.grader == grader).tolist():
        levels = profile.tie_levels[profile.start[ballot] : profile.start[ballot + 1]]
        mine = scores[profile[ballot]]
        above = levels[:, None] < levels[None, :]
        better = mine[:, None] - mine[None, :]
        ranked += len(levels)
        same += int(np.sum(above & (better > 0)))
        pairs += int(np.sum(above & (better != 0)))
    return round(100 * same / pairs) if ranked >= FEWEST and pairs else None
