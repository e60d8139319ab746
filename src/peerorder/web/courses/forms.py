"""Forms about courses and the people in them."""

from contextlib import suppress
from datetime import date
from pathlib import Path
from typing import Any
from zoneinfo import TZPATH, available_timezones

from django import forms
from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.utils import timezone
from django.utils.functional import lazy
from django.utils.translation import gettext as _now, gettext_lazy as _, ngettext_lazy

from peerorder.web.courses.models import RETENTION_MONTHS, Course, Role, default_end
from peerorder.web.courses.services.invitations import Invitee

LARGEST_ROSTER = 10 * 2**20


def _zones() -> list[tuple[str, str]]:
    """Zones with a name of their own: a third of all names are old ones, or technical."""
    names = _named_zones() & available_timezones() or {name for name in available_timezones() if "/" in name}
    return [(name, name.replace("_", " ")) for name in ["UTC", *sorted(names)]]


def _named_zones() -> set[str]:
    """Return the zones that the system's table of countries has; none where there is no such table."""
    for folder in TZPATH:
        with suppress(OSError):
            rows = (Path(folder) / "zone.tab").read_text("utf-8").splitlines()
            return {row.split("\t")[2] for row in rows if not row.startswith("#")}
    return set()


class TimeZoneField(forms.ChoiceField):
    """A zone with a name of its own; old names, by which browsers call some, are taken as well."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(choices=lazy(_zones, list)(), **kwargs)

    def valid_value(self, value: object) -> bool:
        """Return whether there is such a zone."""
        return value in available_timezones()

    def offer(self, name: str) -> None:
        """Have a zone among the choices, whatever it is called."""
        zones = _zones()
        self.choices = zones if name in dict(zones) else [*zones, (name, name.replace("_", " "))]


NEVER = "never"
RETENTIONS = (1, 3, 6, 12, RETENTION_MONTHS, 36, 60, 120)


def _retentions() -> list[tuple[str, str]]:
    counted = ngettext_lazy("%(months)d month after the end", "%(months)d months after the end", "months")
    return [*((str(months), str(counted % {"months": months})) for months in RETENTIONS), (NEVER, _now("never"))]


class CourseForm(forms.ModelForm):  # type: ignore[type-arg]
    """What a course is called, and what its clocks show."""

    time_zone = TimeZoneField(
        label=_("Time zone"),
        help_text=_("All dates are shown in this time zone."),
    )

    ends_on = forms.DateField(
        label=_("Last day of the course"),
        widget=forms.DateInput({"type": "date"}, format="%Y-%m-%d"),
        required=False,
        help_text=_(
            "Students can log in with their personal links until the end of this day. Nothing is deleted then, and "
            "you can change the date at any time: links that were not revoked work again until the new date."
        ),
    )

    retention_months = forms.ChoiceField(
        label=_("Erase personal data"),
        choices=lazy(_retentions, list)(),
        required=False,
        help_text=_(
            "The data of everybody in the course is then erased automatically: names, IDs, addresses, papers, "
            "originals and comments. Rankings are kept under random codes. Instructors are warned 30 and 7 days "
            "before. Export what you have to keep, such as marks, before then."
        ),
    )

    class Meta:
        """Of a course."""

        model = Course
        fields = ("name", "time_zone", "ends_on", "retention_months")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["name"].label = _("Name of the course")
        self.initial.setdefault("time_zone", settings.TIME_ZONE)
        self.fields["time_zone"].offer(self.initial["time_zone"])  # type: ignore[attr-defined]
        self.initial.setdefault("ends_on", default_end())
        self.initial["retention_months"] = self.instance.retention_months or NEVER

    def clean_ends_on(self) -> date:
        """Return the date; the one that is there, or the default, where none was given."""
        given: date = self.cleaned_data["ends_on"] or self.instance.ends_on
        if not 2000 <= given.year <= timezone.localdate().year + 10:
            raise forms.ValidationError(_now("Choose a date within the next ten years."))
        return given

    def clean_retention_months(self) -> int | None:
        """Return the months, None for never; what is there where nothing was given."""
        given: str = self.cleaned_data["retention_months"]
        months: int | None = self.instance.retention_months
        if given:
            months = None if given == NEVER else int(given)
        return months


class MemberForm(forms.Form):
    """Who somebody is."""

    name = forms.CharField(label=_("Name"), max_length=200, required=False)
    email = forms.EmailField(label=_("E-mail"), required=False)
    section = forms.CharField(
        label=_("Section"),
        max_length=200,
        required=False,
        widget=forms.TextInput({"list": "sections", "autocomplete": "off"}),
        help_text=_("A new name creates a new section."),
    )
    team = forms.CharField(
        label=_("Team"),
        max_length=200,
        required=False,
        help_text=_("Students with the same team name hand in one paper together."),
    )


class StudentForm(MemberForm):
    """Somebody new."""

    student = forms.CharField(label=_("Student ID"), max_length=200)
    field_order = ("student", "name", "email", "section", "team")


STAFF_ROLES = [(role.value, role.label) for role in (Role.ASSISTANT, Role.INSTRUCTOR)]


class RoleForm(forms.Form):
    """What a member of the staff may do."""

    role = forms.ChoiceField(
        label=_("Role"),
        choices=STAFF_ROLES,
        help_text=_(
            "Assistants read papers, watch progress, remind students and answer problems. "
            "Only instructors change people, settings and stages."
        ),
    )


class InvitationForm(RoleForm):
    """An instructor or an assistant to be."""

    name = forms.CharField(label=_("Name"), max_length=200)
    email = forms.EmailField(label=_("E-mail"))
    field_order = ("name", "email", "role")

    @property
    def invitee(self) -> Invitee:
        """Return the person to invite, with their role."""
        data = self.cleaned_data
        return Invitee(data["name"], data["email"], Role(data["role"]))


class RosterForm(forms.Form):
    """A file."""

    file = forms.FileField(
        label=_("File"),
        widget=forms.ClearableFileInput({"accept": ".csv,.tsv,.txt,.xlsx,.ods"}),
        help_text=_("CSV or XLSX, with column names in the first row."),
    )

    def clean_file(self) -> "UploadedFile[Any]":
        """Not one that is certainly something else."""
        file: UploadedFile[Any] = self.cleaned_data["file"]
        if (file.size or 0) > LARGEST_ROSTER:
            raise forms.ValidationError(
                _now("The file has %(size)d MB; a roster has %(most)d at most. Is it the right file?")
                % {"size": (file.size or 0) // 2**20, "most": LARGEST_ROSTER // 2**20}
            )
        return file


class ApplyForm(forms.Form):
    """What to do with those who are no longer on a roster."""

    digest = forms.CharField(widget=forms.HiddenInput)
    remove = forms.BooleanField(required=False)
    remove_with_work = forms.BooleanField(required=False)


class SendForm(forms.Form):
    """Whom to send or export links, and a mark of the page, so that a double click is one."""

    who = forms.ChoiceField(choices=(("all", ""), ("never", ""), ("without", "")))
    once = forms.UUIDField(required=False)
    format = forms.ChoiceField(choices=(("csv", ""), ("xlsx", "")), required=False)
