"""Staff decisions on marks: set a mark, take points off for a late paper, exclude a ballot."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from peerorder.core.errors import InputError
from peerorder.core.text import join_with_or, shortlist
from peerorder.core.translation import gettext as _
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
            yield OverrideProblem(number, "reason", _("the reason is missing"), _("give one, for people who ask later"))
        known = each.decision in DECISIONS
        if not known:
            cause = _("{text!r} is not a decision") if each.decision else _("the decision is missing")
            cure = _("write {choices}").format(choices=join_with_or(DECISIONS))
            yield OverrideProblem(number, "decision", cause.format(text=each.decision), cure)
        who = round_.grader_number.get(each.person)
        if who is None:
            cause = _("there is no student or grader {id}") if each.person else _("the ID is missing")
            cure = _("write the ID of a student or a grader")
            yield OverrideProblem(number, "person", cause.format(id=each.person), cure)
        wrong = _wrong_value(each, settings, round_.anchors is not None) if known and settings is not None else None
        if wrong is not None:
            yield OverrideProblem(number, "value", *wrong)
        if known and who is not None:
            subject = who if each.decision == EXCLUDE else int(round_.profile.authored[who])
            if subject < 0:
                cause = _("{id} wrote no paper").format(id=each.person)
                cure = _("set marks of students without a paper with `absent`, or delete the row")
                yield OverrideProblem(number, "person", cause, cure)
            elif each.decision == EXCLUDE and not round_.judged[who]:
                cause = _("{id} handed in no ballot").format(id=each.person)
                yield OverrideProblem(number, "person", cause, _("correct the ID, or delete the row"))
            elif (first := made.setdefault((each.decision, subject), number)) != number:
                cause = _("there already is a decision {decision} about {id} or their paper")
                cause = cause.format(decision=each.decision, id=each.person)
                yield OverrideProblem(number, "person", cause, _("keep one of the two"), first)


def _wrong_value(each: Override, settings: GradeSettings, anchored: bool) -> tuple[str, str] | None:
    """Return cause and cure where a decision cannot have this value."""
    if each.decision == EXCLUDE:
        cause = _("a ballot is excluded as a whole, so {value} has no meaning").format(value=each.value)
        return (cause, _("leave the value empty")) if each.value else None
    if settings.marks is None and not anchored:
        return _("there are no marks without a scale"), _("add `marks` or `anchors`")
    letters, lowest, highest = _scale_of(settings, anchored)
    if letters:
        if each.decision == PENALTY:
            cure = _("use {decision} to set another mark").format(decision=MARK)
            return _("a penalty takes points off, but these marks are letters"), cure
        if each.value in letters:
            return None
        cause = _("{text!r} is not a mark of this scale").format(text=each.value)
        return cause, _("write {choices}").format(choices=", ".join(letters))
    lowest = 0.0 if each.decision == PENALTY else lowest
    mark = parse_mark(each.value, highest)
    if mark is not None and lowest <= mark <= highest:
        return None
    if mark is not None:
        cause = _("{value} is outside the scale").format(value=each.value)
    else:
        cause = _("{text!r} is not a number").format(text=each.value) if each.value else _("the value is missing")
    return cause, _("write a number from {low:g} to {high:g}").format(low=lowest, high=highest)


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
        _("overrides, number {number}, {part}: {cause}; {cure}").format(
            number=each.number + 1, part=each.part, cause=each.cause, cure=each.cure
        )
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
    letters, _lowest, highest = _scale_of(settings, round_.anchors is not None)
    for each in sorted(round_.overrides, key=lambda each: each.decision == PENALTY):
        if each.decision == EXCLUDE:
            continue
        paper = int(round_.profile.authored[round_.grader_number[each.person]])
        value: Any = each.value if letters else parse_mark(each.value, highest)
        if each.decision == MARK:
            source = _("set by staff: {reason}").format(reason=each.reason)
            marking = marking.with_marks({paper: value}, decided={**marking.decided, paper: source})
        else:
            source = _("{source}; less {points:g} for lateness: {reason}").format(
                source=marking.source(paper), points=value, reason=each.reason
            )
            marking = marking.with_penalty(paper, value, decided={**marking.decided, paper: source})
    return marking


def notes_on(overrides: Sequence[Override]) -> Iterator[str]:
    """Yield a sentence for every kind of decision: who, what and why."""
    words = {
        MARK: (_("staff set the mark of {decisions}"), _("{person} to {value} ({reason})")),
        PENALTY: (
            _("staff took points off for lateness: {decisions}"),
            _("{value} from the paper of {person} ({reason})"),
        ),
        EXCLUDE: (_("staff excluded the ballots of {decisions}"), _("{person} ({reason})")),
    }
    for decision, (sentence, form) in words.items():
        made = [form.format(**each.record) for each in overrides if each.decision == decision]
        if made:
            yield sentence.format(decisions=shortlist(made))
