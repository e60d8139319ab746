"""Staff decisions on marks: set a mark, take points off for a late paper, exclude a ballot."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from peerorder.core.errors import InputError
from peerorder.core.text import shortlist
from peerorder.marks import SCALES
from peerorder.rounds.marking import Marking, parse_mark
from peerorder.rounds.settings import GradeSettings

if TYPE_CHECKING:
    from peerorder.rounds.round import Round

__all__ = [
    "EXCLUDE",
    "MARK",
    "PENALTY",
    "Override",
    "OverrideProblem",
    "apply_to_marks",
    "check_overrides",
    "exclude_ballots",
    "notes_on",
    "override_problems",
]

MARK, PENALTY, EXCLUDE = "mark", "penalty", "exclude"
DECISIONS = (MARK, PENALTY, EXCLUDE)


@dataclass(frozen=True)
class Override:
    """One decision, about a student's paper or about a grader's ballots."""

    person: str
    """The id of the student or grader."""
    decision: str
    """``mark``: the paper has the mark ``value``; ``penalty``: it loses ``value`` points; ``exclude``: the ballots of
    this grader do not count."""
    value: str
    reason: str

    @property
    def record(self) -> dict[str, Any]:
        """The decision as provenance records it."""
        return asdict(self)


@dataclass(frozen=True)
class OverrideProblem:
    """A problem with a decision: its number, and the part that is wrong."""

    number: int
    part: str
    """``person``, ``decision``, ``value`` or ``reason``."""
    cause: str
    cure: str
    earlier: int | None = None
    """The number of the same decision, where it is made twice."""


def override_problems(
    overrides: Sequence[Override], round_: "Round", settings: GradeSettings | None
) -> Iterator[OverrideProblem]:
    """Yield everything that is wrong with these decisions on a round that is graded with these settings.

    Without settings there are no marks, and which marks were decided on does not matter.
    """
    made: dict[tuple[str, int], int] = {}
    for number, each in enumerate(overrides):
        if not each.reason:
            yield OverrideProblem(number, "reason", "the reason is missing", "give one, for people who ask later")
        known = each.decision in DECISIONS
        if not known:
            said = f"{each.decision!r} is not a decision" if each.decision else "the decision is missing"
            yield OverrideProblem(number, "decision", said, f"write {MARK}, {PENALTY} or {EXCLUDE}")
        who = round_.grader_number.get(each.person)
        if who is None:
            cause = f"there is no student or grader {each.person}" if each.person else "the id is missing"
            yield OverrideProblem(number, "person", cause, "write the id of a student or a grader")
        wrong = _wrong_value(each, settings, round_.anchors is not None) if known and settings is not None else None
        if wrong is not None:
            yield OverrideProblem(number, "value", *wrong)
        if known and who is not None:
            subject = who if each.decision == EXCLUDE else int(round_.profile.authored[who])
            if subject < 0:
                cure = "set marks of students without a paper with `absent`, or delete the row"
                yield OverrideProblem(number, "person", f"{each.person} wrote no paper", cure)
            elif each.decision == EXCLUDE and not round_.judged[who]:
                cause = f"{each.person} handed in no ballot"
                yield OverrideProblem(number, "person", cause, "correct the id, or delete the row")
            elif (first := made.setdefault((each.decision, subject), number)) != number:
                cause = f"there already is a decision {each.decision} about {each.person} or their paper"
                yield OverrideProblem(number, "person", cause, "keep one of the two", first)


def _wrong_value(each: Override, settings: GradeSettings, anchored: bool) -> tuple[str, str] | None:
    """Return cause and cure where a decision cannot have this value."""
    if each.decision == EXCLUDE:
        return (
            (f"a ballot is excluded as a whole, so {each.value} has no meaning", "leave the value empty")
            if each.value
            else None
        )
    if settings.marks is None and not anchored:
        return "there are no marks without a scale", "add `marks` or `anchors`"
    letters, lowest, highest = _scale_of(settings, anchored)
    if letters:
        if each.decision == PENALTY:
            return "a penalty takes points off, but these marks are letters", f"use {MARK} to set another mark"
        wrong = each.value not in letters
        return (f"{each.value!r} is not a mark of this scale", f"write {', '.join(letters)}") if wrong else None
    lowest = 0.0 if each.decision == PENALTY else lowest
    mark = parse_mark(each.value, highest)
    cure = f"write a number from {lowest:g} to {highest:g}"
    if mark is None:
        return f"{each.value!r} is not a number" if each.value else "the value is missing", cure
    return (f"{each.value} is outside the scale", cure) if not lowest <= mark <= highest else None


def _scale_of(settings: GradeSettings, anchored: bool) -> tuple[list[str], float, float]:
    """Return the marks of a scale of letters, none where marks are numbers, and the lowest and the highest number."""
    if anchored or settings.marks is None:
        return [], 0.0, settings.anchors_points
    scale = SCALES.parse(settings.marks)
    if scale.letters:
        return [*scale.values], 0.0, 0.0
    return [], float(scale.values.get("low", 0.0)), float(scale.values.get("high", 100.0))


def check_overrides(round_: "Round", settings: GradeSettings) -> None:
    """Raise InputError with all problems of the decisions on a round."""
    lines = [
        f"overrides, number {each.number + 1}, {each.part}: {each.cause}; {each.cure}"
        for each in override_problems(round_.overrides, round_, settings)
    ]
    if lines:
        raise InputError("\n".join(lines))


def exclude_ballots(round_: "Round") -> "Round":
    """Leave out the ballots that staff excluded."""
    if not round_.excluded.any():
        return round_
    return replace(round_, profile=round_.profile.select(~round_.excluded[round_.profile.grader]))


def apply_to_marks(marking: Marking, round_: "Round", settings: GradeSettings) -> Marking:
    """Set the marks that staff set, and then take penalties off."""
    letters, _, highest = _scale_of(settings, round_.anchors is not None)
    for each in sorted(round_.overrides, key=lambda each: each.decision == PENALTY):
        if each.decision == EXCLUDE:
            continue
        paper = int(round_.profile.authored[round_.grader_number[each.person]])
        value: Any = each.value if letters else parse_mark(each.value, highest)
        if each.decision == MARK:
            source = f"set by staff: {each.reason}"
            marking = marking.with_marks({paper: value}, decided={**marking.decided, paper: source})
        else:
            source = f"{marking.source(paper)}; less {value:g} for lateness: {each.reason}"
            marking = marking.with_penalty(paper, value, decided={**marking.decided, paper: source})
    return marking


def notes_on(overrides: Sequence[Override]) -> Iterator[str]:
    """Yield a sentence for every kind of decision: who, what and why."""
    words = {
        MARK: ("staff set the mark of", "{person} to {value} ({reason})"),
        PENALTY: ("staff took points off for lateness:", "{value} from the paper of {person} ({reason})"),
        EXCLUDE: ("staff excluded the ballots of", "{person} ({reason})"),
    }
    for decision, (begin, form) in words.items():
        made = [form.format(**each.record) for each in overrides if each.decision == decision]
        if made:
            yield f"{begin} {shortlist(made)}"
