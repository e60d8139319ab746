"""Forms about assignments and extensions."""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Any

from django import forms
from django.core.validators import MaxLengthValidator, MaxValueValidator, MinValueValidator
from django.db.models import Q, QuerySet
from django.forms.boundfield import BoundField
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from peerorder.web.assignments.attachments import ENDINGS
from peerorder.web.assignments.local_times import FORMAT, LocalTimeField, comes_twice, evening
from peerorder.web.assignments.locks import KIND_FIELDS, locked_fields, may_be_lowered
from peerorder.web.assignments.models import LONGEST_COMMENT, Assignment, Attachment, Extension, Stage
from peerorder.web.assignments.queries import most_papers, students_in, students_of, why_too_many
from peerorder.web.assignments.registry import hand_in_time_checks, ranking_time_checks
from peerorder.web.courses.models import Course, Member
from peerorder.web.courses.search import by_surname, find_members, plain
from peerorder.web.hooks import Hook
from peerorder.web.mail.services import is_set_up

# One more than are shown, so that it can be said that there are more.
OFFERED = 21
# More than this takes longer to write than most papers take to read.
LONG_COMMENT = 500
# It is rendered for everybody who looks at it.
LONGEST_TEXT = 100_000
TEXTS = ("task", "instructions", "solution")
DEADLINES = ("hand_in_by", "rank_by")
GROUPS = (
    ("task", _("Task"), ("title", "task")),
    ("participants", _("Who takes part"), ("sections", "in_teams")),
    ("handing-in", _("What is handed in"), KIND_FIELDS),
    (
        "ranking",
        _("Ranking"),
        ("papers_each", "instructions", "solution", "ties", "cannot_judge", "comments", "least_comment"),
    ),
    ("deadlines", _("Dates"), ("hand_in_by", "late_hours", "rank_by", "moves_by_itself")),
    ("messages", _("Messages"), ("tells_students", "remind_hours")),
)
LABELS = {
    "sections": _("Sections"),
    "solution": _("Sample solution"),
    "moves_by_itself": _("Advance automatically at the deadlines"),
}
HELP = {
    "task": _("Markdown. Students see it from the beginning."),
    "in_teams": _("Students with the same team on the roster share one paper, and each student ranks."),
    "instructions": _("Markdown. Students see it from the beginning, and graders beside the papers."),
    "solution": _(
        "Markdown. Students see it next to the papers while they rank; all others see it once review begins."
    ),
    "late_hours": _("Late papers are marked as late. 0 = never."),
    "hand_in_by": _("Without a deadline, you end handing in yourself."),
    "rank_by": _("Without a deadline, you end ranking yourself."),
    "moves_by_itself": _("If off, handing in still closes at the deadline, but you start the next stage yourself."),
    "tells_students": _("When the assignment advances automatically, and when late papers are added."),
    "remind_hours": _("0 = never."),
    "least_comment": _("0 = comments may be empty."),
    "sections": _("Leave empty to include the whole course."),
}


class TimesForm(forms.ModelForm):  # type: ignore[type-arg]
    """A form with deadlines on the clocks of the course."""

    def __init__(self, *args: Any, now: datetime, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.now = now
        self.notes: list[str] = []

    def _clean_deadlines(self) -> None:
        """Keep a deadline that was not touched to the second, and refuse a new one that is over."""
        for name in DEADLINES:
            moment = self.cleaned_data.get(name)
            # Cleaning has not touched the instance yet.
            old = getattr(self.instance, name)
            if self.fields[name].disabled:
                self.cleaned_data[name] = old
                continue
            if moment is None:
                continue
            if old is not None and _local_text(old) == _local_text(moment):
                self.cleaned_data[name] = old
                continue
            if moment <= self.now:
                self.add_error(name, _("This time is in the past. Choose a later one."))
            local = timezone.localtime(moment)
            if comes_twice(local.replace(tzinfo=None), timezone.get_current_timezone()):
                note = _("On that day clocks go back, and %(time)s occurs twice. The second one counts.")
                self.notes.append(str(note) % {"time": local.strftime("%H:%M")})


def _local_text(moment: datetime) -> str:
    return timezone.localtime(moment).strftime(FORMAT)


class AssignmentForm(TimesForm):
    """Everything that staff decide about an assignment, in groups; what is locked is shown with the reason."""

    hand_in_by = LocalTimeField(label=_("Hand in by"), required=False)
    rank_by = LocalTimeField(label=_("Rank by"), required=False)

    class Meta:
        """All that people may change."""

        model = Assignment
        fields = tuple(name for _key, _title, names in GROUPS for name in names)
        widgets = {"sections": forms.CheckboxSelectMultiple}  # noqa: RUF012 -- Django wants it so

    def __init__(self, *args: Any, course: Course, now: datetime, **kwargs: Any) -> None:
        super().__init__(*args, now=now, **kwargs)
        self.course = course
        if self.instance.pk is None:
            self.initial.setdefault("hand_in_by", evening(7, now))
            self.initial.setdefault("rank_by", evening(14, now))
        # Earlier versions took any number.
        self.initial["least_comment"] = min(self.instance.least_comment, LONGEST_COMMENT)
        sections = course.sections.order_by("name")
        if sections.exists():
            self.fields["sections"].queryset = sections  # type: ignore[attr-defined]
        else:
            del self.fields["sections"]
        for name, field in self.fields.items():
            field.help_text = HELP.get(name, "")
            field.label = LABELS.get(name) or _capital(field.label)
        for name in TEXTS:
            self.fields[name].widget.attrs["rows"] = 8
            self.fields[name].validators.append(MaxLengthValidator(LONGEST_TEXT))
        self._limit("papers_each", 2, 50)
        self._limit("least_comment", 0, LONGEST_COMMENT)
        self.locked = locked_fields(self.instance)
        for name in self.locked.keys() & self.fields.keys():
            if may_be_lowered(self.instance, name):
                self.locked[name] += " " + str(_("You can still lower it."))
                self._limit(name, 0, self.instance.required_comment)
            else:
                self.fields[name].disabled = True

    def _limit(self, name: str, least: int, most: int) -> None:
        text = _("Choose a number from %(least)d to %(most)d.") % {"least": least, "most": most}
        field = self.fields[name]
        field.validators = [MinValueValidator(least, text), MaxValueValidator(most, text)]
        field.widget.attrs |= {"min": least, "max": most}

    def groups(self) -> list[dict[str, Any]]:
        """Return the fields as they stand on the page, and which of a group are locked for what reason."""
        return [
            {"key": key, "title": title, "fields": self._of_group(names), "locks": self._locks_of_group(names)}
            for key, title, names in GROUPS
        ]

    def _of_group(self, names: tuple[str, ...]) -> list[tuple[BoundField, str]]:
        return [(self[name], self.locked.get(name, "")) for name in names if name in self.fields]

    def _locks_of_group(self, names: tuple[str, ...]) -> list[tuple[str, str]]:
        """Return the reasons why fields of a group are locked, each with the labels of these fields."""
        labels: dict[str, list[str]] = {}
        for field, reason in self._of_group(names):
            if reason:
                labels.setdefault(reason, []).append(str(field.label))
        return [(reason, ", ".join(some)) for reason, some in labels.items()]

    def clean(self) -> dict[str, Any]:
        """Check that what belongs together fits together."""
        values = super().clean() or self.cleaned_data
        self._clean_deadlines()
        if not any(values.get(name) for name in KIND_FIELDS):
            self.add_error("takes_text", _("Choose at least one kind of paper, or nobody can hand in."))
        hand_in, rank = values.get("hand_in_by"), values.get("rank_by")
        over = Stage(self.instance.stage).number >= Stage.RANKING.number
        if not over and hand_in is not None and rank is not None and "rank_by" not in self.errors:
            begins = hand_in + timedelta(hours=values.get("late_hours") or 0)
            if rank <= begins:
                self.add_error("rank_by", _("Ranking begins when the last papers are in. Choose a time after that."))
        if (each := values.get("papers_each")) and "papers_each" not in self.locked:
            students = students_in(self.course, values.get("sections") or ())
            if too_many := why_too_many(each, most_papers(students, bool(values.get("in_teams")))):
                self.notes.append(too_many)
        if values.get("least_comment") and not values.get("comments"):
            values["least_comment"] = 0
        if (least := values.get("least_comment") or 0) > LONG_COMMENT and least != self.initial.get("least_comment"):
            note = _("Every comment needs %(least)d characters: that is about %(words)d words on each paper.")
            self.notes.append(str(note) % {"least": least, "words": least // 6})
        return values


class AttachmentForm(forms.Form):
    """A file for students."""

    file = forms.FileField(
        label=_("File"),
        allow_empty_file=True,
        help_text=_("PDF, image, text, CSV, ZIP or office document."),
        widget=forms.ClearableFileInput({"accept": ",".join(f".{ending}" for ending in ENDINGS)}),
    )
    audience = forms.ChoiceField(
        label=_("Students see it"),
        choices=Attachment.Audience.choices,
        initial=Attachment.Audience.TASK,
        widget=forms.RadioSelect,
    )


class StudentPicker(forms.Form):
    """One student of ``assignment``: the one who matches what is typed, or is chosen from several (``offered``)."""

    assignment: Assignment
    member: Member | None = None
    offered: Sequence[Member] = ()

    student = forms.CharField(
        label=_("Student"),
        max_length=254,
        help_text=_("Part of the name, the student ID or the e-mail address; accents and case do not matter."),
        widget=forms.TextInput({"list": "students", "autocomplete": "off"}),
    )

    def clean_student(self) -> str:
        """Return exactly one student who takes part; where several fit, they are offered to choose from."""
        text: str = self.cleaned_data["student"].replace("\0", "").strip()
        students = students_of(self.assignment).select_related("person").order_by(*by_surname())
        exact = students.filter(Q(student__iexact=text) | Q(person__email__iexact=text))
        fitting = list(exact[:OFFERED]) or _matching_students(students, text)
        ticked = self.data.get("chosen")
        chosen = [member for member in fitting if str(member.pk) == ticked]
        if chosen or (len(fitting) == 1 and not ticked):
            self.member = (chosen or fitting)[0]
            return text
        self.offered = fitting[: OFFERED - 1]
        if ticked and fitting:
            # The name was changed after somebody was chosen: nobody can know which of the two is meant.
            raise forms.ValidationError(_("The name does not match the student chosen below. Choose again."))
        if len(fitting) == OFFERED:
            raise forms.ValidationError(_("Many students match. Choose one, or type more of the name."))
        if fitting:
            raise forms.ValidationError(_("Several students match. Choose one."))
        raise forms.ValidationError(_("No student of this assignment matches. Check the spelling."))


def _matching_students(students: QuerySet[Member], text: str) -> list[Member]:
    matches = list(students.filter(pk__in=find_members(students, text, OFFERED)))
    return [member for member in matches if plain(member.person.name) == plain(text)] or matches


class ExtensionForm(StudentPicker, TimesForm):
    """More time for one student."""

    hand_in_by = LocalTimeField(label=_("Hand in by"), required=False)
    rank_by = LocalTimeField(label=_("Rank by"), required=False)
    tell = forms.BooleanField(
        label=_("Tell the student by e-mail"),
        required=False,
        initial=is_set_up,
        help_text=_("The e-mail has the new deadline and the personal link, but not the reason."),
    )

    class Meta:
        """The times and the reason."""

        model = Extension
        fields = ("hand_in_by", "rank_by", "note")

    field_order = ("student", "hand_in_by", "rank_by", "note", "tell")

    def __init__(self, *args: Any, assignment: Assignment, now: datetime, **kwargs: Any) -> None:
        super().__init__(*args, now=now, **kwargs)
        self.assignment = assignment
        self.member = self.instance.member if self.instance.pk else None
        self.fields["note"].label = _("Reason")
        self.fields["note"].help_text = _("Only staff see it.")
        self.fields["hand_in_by"].help_text = _("Leave empty to keep the normal deadline.")
        self.fields["rank_by"].help_text = _("Leave empty to keep the normal deadline.")
        if self.member is not None:
            del self.fields["student"]

    def clean(self) -> dict[str, Any]:
        """Require at least one time, later than what holds for all, and enough of it to rank."""
        values = super().clean() or self.cleaned_data
        self._clean_deadlines()
        hand_in, rank = values.get("hand_in_by"), values.get("rank_by")
        if not self.errors and hand_in is None and rank is None:
            raise forms.ValidationError(_("Give a new time for handing in, for ranking, or for both."))
        for name, moment, stage in (("hand_in_by", hand_in, Stage.HANDING_IN), ("rank_by", rank, Stage.RANKING)):
            common = self.assignment.end_of(stage)
            if moment is not None and common is not None and moment <= common:
                self.add_error(name, _("That is not later than the normal deadline. Choose a later time."))
        if self.assignment.stage == Stage.RELEASED:
            raise forms.ValidationError(
                _("Results are released, so an extension would have no effect. Go back to review first.")
            )
        if rank is not None and hand_in is None:
            self._refuse_useless_time("rank_by", ranking_time_checks)
        # What was given earlier may stay, though it has ended.
        if hand_in is not None and hand_in == self.instance.hand_in_by:
            return values
        if hand_in is not None:
            self._refuse_useless_time("hand_in_by", hand_in_time_checks)
        if self.assignment.stage == Stage.REVIEW and hand_in is not None:
            self.add_error(
                "hand_in_by", _("Ranking is over, so nobody could rank the paper. Go back to ranking first.")
            )
        last = rank or self.assignment.rank_by
        if hand_in is not None and last is not None and last <= hand_in and not self.errors:
            self.add_error(
                "rank_by", _("Ranking would end before the paper is handed in. Extend the time for ranking, too.")
            )
        return values

    def _refuse_useless_time(self, field: str, checks: Hook[Callable[[Assignment, Member], str]]) -> None:
        if self.member is None or "student" in self.errors:
            return
        for check in checks:
            if reason := check(self.assignment, self.member):
                self.add_error(field, reason)


def _capital(label: Any) -> str:
    text = str(label)
    return text[:1].upper() + text[1:]
