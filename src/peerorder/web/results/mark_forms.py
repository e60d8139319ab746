"""Forms about marks: the scale, decisions, and files."""

from collections.abc import Mapping
from typing import Any, ClassVar

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.utils.translation import gettext as _now, gettext_lazy as _

from peerorder.core.errors import InputError
from peerorder.web.papers.queries import authors_of
from peerorder.web.results.mark_changes import Made, anchor_problem, decision_tuples, wrong_decisions
from peerorder.web.results.mark_sheets import ANCHORED, Sheet, make_sheet
from peerorder.web.results.models import Basis, Decision

LARGEST_FILE = 5 * 2**20
NAMED = 5
USUAL_BANDS = "A=10, B=25, C=40, D=25"


NEEDED = {"curve": ("mean", "sd", "low", "high"), "bands": ("bands",), ANCHORED: ("anchors_points",)}


class ScaleForm(forms.Form):
    """How places become marks, and what else counts: the settings of a ``Basis``."""

    scale = forms.ChoiceField(
        label=_("Scale"),
        choices=(
            ("", _("No marks: places only")),
            ("percentile", _("Percentile: the share of the class ranked below")),
            ("curve", _("Curve: a mean and a standard deviation")),
            ("bands", _("Bands: letters, each for a share of the class")),
            (ANCHORED, _("Anchors: papers that you marked set the scale")),
        ),
        widget=forms.RadioSelect,
        required=False,
    )
    mean = forms.FloatField(label=_("Mean"), initial=70)
    sd = forms.FloatField(
        label=_("Standard deviation"),
        initial=10,
        min_value=0,
        max_value=1000,
        help_text=_("Two thirds of the class are at most this far from the mean."),
    )
    low = forms.FloatField(label=_("Lowest mark"), initial=0)
    high = forms.FloatField(label=_("Highest mark"), initial=100)
    bands = forms.CharField(
        label=_("Letters, from the best, and their shares of the class in percent"),
        initial=USUAL_BANDS,
        max_length=500,
        help_text=_("For example A=10, B=25, C=40, D=25. The shares must sum to 100."),
    )
    anchors_points = forms.FloatField(label=_("Full marks of anchors"), initial=100, min_value=1, max_value=10_000)
    smooth_anchors = forms.BooleanField(
        label=_("Give anchors the mark of the curve instead of your own"), required=False
    )
    done = forms.FloatField(label=_("Weight of having ranked"), initial=70, min_value=0, max_value=1000)
    reliable = forms.FloatField(label=_("Weight of agreeing with the others"), initial=30, min_value=0, max_value=1000)
    penalty = forms.FloatField(
        label=_("Points deducted if a student ranks nothing"),
        initial=0,
        min_value=0,
        max_value=10_000,
        help_text=_("A student who ranks half of the allocated papers loses half of these points."),
    )
    absent = forms.FloatField(
        label=_("Mark of students without a paper"), required=False, help_text=_("Leave empty for no mark.")
    )
    unranked = forms.CharField(
        label=_("Mark of papers that nobody ranked"),
        max_length=20,
        required=False,
        help_text=_("Leave empty for no mark. Write “place” for the mark of the place that the paper got by chance."),
    )
    revision = forms.IntegerField(label=_("Version of these settings"), widget=forms.HiddenInput, min_value=0)

    use_required_attribute = False

    def __init__(self, basis: Basis, data: Mapping[str, Any] | None = None) -> None:
        super().__init__(data, initial={**_fields_of(basis.settings), "revision": basis.revision})
        for scale, names in NEEDED.items():
            for name in names:
                # What belongs to another scale than the chosen one may be missing.
                self.fields[name].required = data is None or data.get("scale") == scale
        self.basis = basis
        self.sheet: Sheet | None = None
        """The marks by what was sent, once it is valid."""

    def clean(self) -> dict[str, Any]:
        """Try it out: what the library or a decision objects to is said at its field."""
        cleaned = self.cleaned_data
        if self.errors:
            return cleaned
        scale = cleaned["scale"]
        if scale == "curve" and cleaned["low"] >= cleaned["high"]:
            self.add_error("low", _now("The lowest mark must be below the highest."))
        if cleaned["done"] + cleaned["reliable"] == 0:
            self.add_error("done", _now("One of the two weights must be above 0."))
        if not self.errors:
            self._check_letters(scale)
        if not self.errors:
            self._try_out()
        return cleaned

    def _check_letters(self, scale: str) -> None:
        """Check what depends on whether marks are letters."""
        from peerorder.marks import SCALES
        from peerorder.rounds.marking import BY_PLACE, parse_mark

        cleaned = self.cleaned_data
        unranked = cleaned["unranked"].strip()
        if scale == "bands":
            try:
                letters = list(SCALES.parse(self.settings["marks"]).values)
            except InputError as error:
                self.add_error("bands", _sentence(str(error).removeprefix("bands: ").replace("bands:", "")))
                return
            if cleaned["penalty"]:
                self.add_error(
                    "penalty",
                    _now(
                        "No points can be taken off letters. Write 0 here, under “Mark for ranking, and special cases”."
                    ),
                )
            if unranked and unranked != BY_PLACE and unranked not in letters:
                wanted = ", ".join([*letters, BY_PLACE])
                self.add_error("unranked", _now("Write one of %(wanted)s, or nothing.") % {"wanted": wanted})
        elif unranked and unranked != BY_PLACE and parse_mark(unranked) is None:
            self.add_error("unranked", _now("Write a number, “place”, or nothing."))

    def _try_out(self) -> None:
        result, made = self.basis.result, decision_tuples(self.basis.assignment)
        wrong = wrong_decisions(result, self.settings, made) if self.settings["marks"] is not None else []
        if self.settings["marks"] is None and any(kind != Decision.Kind.ANCHOR for kind, *_rest in made):
            text = _now("There are decisions on individual marks, which need a scale. Undo them first.")
            self.add_error("scale", text)
            return
        if wrong:
            whose = authors_of(paper for (_kind, paper, *_rest), _why in wrong[:NAMED] if paper is not None)
            for (_kind, paper, value, _reason), why in wrong[:NAMED]:
                text = _now(
                    "The decision %(value)s for %(whose)s does not go with this scale (%(why)s). Undo it first."
                )
                self.add_error("scale", text % {"value": value, "whose": whose.get(paper or 0, ""), "why": why})
            return
        try:
            sheet = make_sheet(result, self.settings, made)
            sheet.students  # noqa: B018 -- some of what does not go together shows here
        except InputError as error:
            self.add_error("scale", _sentence(str(error)))
        else:
            self.sheet = sheet

    @property
    def settings(self) -> dict[str, Any]:
        """What was chosen, as a ``Basis`` keeps it."""
        said = self.cleaned_data
        marks: str | None = said["scale"] or None
        if marks == "curve":
            marks = "curve:" + ",".join(f"{name}={_number_text(said[name])}" for name in ("mean", "sd", "low", "high"))
        elif marks == "bands":
            shares = [part.strip() for part in said["bands"].replace("\n", ",").split(",") if part.strip()]
            marks = f"bands:{','.join(shares) or '='}"
        chosen = {
            "marks": marks,
            "review": f"done={_number_text(said['done'])},reliable={_number_text(said['reliable'])}",
            "penalty": said["penalty"],
            "absent": said["absent"],
            "unranked": said["unranked"].strip() or None,
        }
        if marks == ANCHORED:
            chosen |= {"anchors_points": said["anchors_points"], "smooth_anchors": said["smooth_anchors"]}
        return chosen


def _sentence(text: str) -> str:
    """Return what the library says as a sentence."""
    return f"{text[:1].upper()}{text[1:]}."


def _number_text(number: float) -> str:
    """Return a number in full, without decimals that it does not have."""
    return f"{number:g}" if float(f"{number:g}") == number else repr(number)


def _fields_of(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of the form, from what a ``Basis`` keeps."""
    from peerorder.marks import SCALES, ReviewScheme

    fields: dict[str, Any] = {name: value for name, value in settings.items() if name not in ("marks", "review")}
    marks = settings.get("marks")
    if marks == ANCHORED:
        fields["scale"] = ANCHORED
    elif marks:
        scale = SCALES.parse(marks)
        fields["scale"] = scale.name
        fields |= (
            {"bands": ", ".join(f"{letter}={_number_text(share)}" for letter, share in scale.values.items())}
            if scale.letters
            else scale.values
        )
    if "review" in settings:
        scheme = ReviewScheme.parse(settings["review"])
        fields |= {"done": scheme.done, "reliable": scheme.reliable}
    return fields


class DecisionForm(forms.Form):
    """One decision on a paper."""

    value = forms.CharField(max_length=20)
    reason = forms.CharField(
        label=_("Reason"),
        max_length=500,
        widget=forms.Textarea({"rows": 2}),
        help_text=_("Only staff see it. Students may ask you for it."),
    )
    seen = forms.IntegerField(widget=forms.HiddenInput, required=False)

    labels: ClassVar = {
        Decision.Kind.MARK: _("Mark"),
        Decision.Kind.ANCHOR: _("Mark of the anchor"),
        Decision.Kind.PENALTY: _("Points deducted"),
    }

    def __init__(
        self, kind: Decision.Kind, basis: Basis, paper: int, seen: int | None, data: Mapping[str, Any] | None = None
    ) -> None:
        super().__init__(data, prefix=kind.value, initial={"seen": seen})
        self.kind, self.basis, self.paper = kind, basis, paper
        self.fields["value"].label = self.labels[kind]
        if kind == Decision.Kind.PENALTY:
            self.fields["value"].help_text = _(
                "A number of points, such as 5. A percentage refers to full marks, not to this mark."
            )

    @property
    def made(self) -> Made:
        """The decision that it would be."""
        return (self.kind.value, self.paper, self.cleaned_data["value"], self.cleaned_data["reason"])

    def clean_value(self) -> str:
        """Return a value that this scale can have."""
        value: str = self.cleaned_data["value"].strip()
        settings, result = self.basis.settings, self.basis.result
        if self.kind == Decision.Kind.ANCHOR:
            if problem := anchor_problem(value, settings):
                raise forms.ValidationError(problem)
        elif not settings.get("marks"):
            raise forms.ValidationError(_now("There is no scale yet, so nobody has a mark. Choose a scale first."))
        else:
            for _made, why in wrong_decisions(result, settings, [(self.kind.value, self.paper, value, "")]):
                raise forms.ValidationError(_sentence(why))
        return value


class UndoForm(forms.Form):
    """Why a decision is undone."""

    reason = forms.CharField(label=_("Reason"), max_length=500, widget=forms.Textarea({"rows": 2}))


class FileForm(forms.Form):
    """A file."""

    file = forms.FileField(label=_("File"), widget=forms.ClearableFileInput({"accept": ".csv,.tsv,.txt,.xlsx,.ods"}))

    def clean_file(self) -> "UploadedFile[Any]":
        """Refuse a file that is certainly something else."""
        file: UploadedFile[Any] = self.cleaned_data["file"]
        if (file.size or 0) > LARGEST_FILE:
            text = _now("The file has %(size)d MB; %(most)d are taken at most. Is it the right file?")
            raise forms.ValidationError(text % {"size": (file.size or 0) // 2**20, "most": LARGEST_FILE // 2**20})
        return file


class GradebookForm(FileForm):
    """The gradebook of another system, to be filled in."""

    column = forms.CharField(
        label=_("Column for the marks"),
        max_length=200,
        required=False,
        help_text=_("Leave empty to fill in the empty column. Part of the name is enough."),
    )
    review_column = forms.CharField(
        label=_("Column for the marks for ranking"),
        max_length=200,
        required=False,
        help_text=_("Leave empty for none."),
    )
    points = forms.FloatField(
        label=_("Full marks in the gradebook"),
        min_value=0.01,
        max_value=10_000,
        required=False,
        help_text=_(
            "Leave empty to take it from the file. Exports from Moodle do not have it: marks are then filled in "
            "as they are here."
        ),
    )
    force = forms.BooleanField(label=_("Replace marks already in the column"), required=False)

    def __init__(self, data: Mapping[str, Any] | None = None, files: Any = None) -> None:
        super().__init__(data, files)
        self.fields["file"].widget.attrs["accept"] = ".csv,.tsv,.txt,.xls"
