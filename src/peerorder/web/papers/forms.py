"""Forms of papers."""

from typing import Any

from django import forms
from django.conf import settings
from django.utils.text import get_text_list
from django.utils.translation import gettext as _, gettext_lazy

from peerorder.web.assignments.forms import StudentPicker
from peerorder.web.assignments.models import Assignment
from peerorder.web.papers.models import Kind, Paper
from peerorder.web.papers.submissions import (
    LONGEST_LINK,
    LONGEST_TEXT,
    CheckedSubmission,
    Rejected,
    check_file,
    check_link,
    check_text,
    empty,
    other_type,
    too_large,
    turn_of,
)
from peerorder.web.people.models import Person


class HandInForm(forms.Form):
    """A paper, in one of the ways that the assignment takes."""

    # The browser would ask for all.
    use_required_attribute = False

    how = forms.ChoiceField(label=gettext_lazy("What do you hand in?"), widget=forms.RadioSelect)
    text = forms.CharField(
        label=gettext_lazy("Your text"),
        error_messages={"required": gettext_lazy("There is no text yet. Write something first.")},
        max_length=LONGEST_TEXT,
        strip=False,
        widget=forms.Textarea({"rows": 14}),
        help_text=gettext_lazy(
            "You can use Markdown: *italic*, **bold**, # Heading, - list, `code`. Do not write your name."
        ),
    )
    file = forms.FileField(allow_empty_file=True, error_messages={"required": gettext_lazy("Choose a file first.")})
    link = forms.CharField(
        label=gettext_lazy("Address"),
        error_messages={"required": gettext_lazy("There is no address yet. It begins with https://.")},
        max_length=LONGEST_LINK,
        widget=forms.URLInput({"placeholder": "https://", "inputmode": "url"}),
        help_text=gettext_lazy(
            "It must be open to your classmates without logging in, and not show your name, as Google Docs may."
        ),
    )

    def __init__(self, assignment: Assignment, *args: Any, too_large: str = "", **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._assignment = assignment
        self._too_large = too_large
        ways = self._ways()
        how = self.fields["how"]
        how.choices = list(ways.items())  # type: ignore[attr-defined]
        if self.initial.get("how") not in ways:
            self.initial["how"] = next(iter(ways), "")
        if len(ways) == 1:
            how.widget = forms.HiddenInput()
        chosen = self.data.get("how") if self.is_bound else None
        for name in ("text", "file", "link"):
            if name not in ways:
                del self.fields[name]
            else:
                # What was not chosen may be empty.
                self.fields[name].required = not self.is_bound or (name == chosen and not too_large)
        if "file" in ways:
            self._describe_file()

    def _ways(self) -> dict[str, str]:
        takes = self._assignment
        file = _("Upload a PDF or image")
        if not (takes.takes_pdf and takes.takes_images):
            file = _("Upload a PDF") if takes.takes_pdf else _("Upload an image")
        all_ways = {"text": _("Write it here"), "file": file, "link": _("Paste a link")}
        taken = {"text": takes.takes_text, "file": takes.takes_pdf or takes.takes_images, "link": takes.takes_links}
        return {name: label for name, label in all_ways.items() if taken[name]}

    def _describe_file(self) -> None:
        types = [
            *(["application/pdf"] if self._assignment.takes_pdf else []),
            *(["image/jpeg", "image/png", "image/webp"] if self._assignment.takes_images else []),
        ]
        field = self.fields["file"]
        field.label = _("Your file")
        # The browser looks before it sends; what counts is what is seen here.
        field.widget.attrs |= {
            "accept": ",".join(types),
            "data-most": settings.LARGEST_UPLOAD,
            "data-too-large": too_large(),
            "data-empty": empty(),
            "data-other-type": other_type(self._assignment),
        }
        kinds = [
            *([_("a PDF")] if self._assignment.takes_pdf else []),
            *([_("an image (JPEG, PNG or WebP)")] if self._assignment.takes_images else []),
        ]
        words = _(
            "Choose %(kinds)s of at most %(most)d MB. We remove the file name and hidden data, but not what is written "
            "on the page, so take out your name."
        )
        most = settings.LARGEST_UPLOAD // 2**20
        field.help_text = words % {"kinds": get_text_list(kinds, _("or")), "most": most}

    def clean(self) -> dict[str, Any]:
        """Check that what was chosen is there, and nothing else by mistake."""
        data = super().clean() or {}
        how = data.get("how")
        if self._too_large:
            self.add_error("file" if "file" in self.fields else None, self._too_large)
        elif how in ("text", "link") and data.get("file"):
            self.add_error("how", _("You also chose a file. Say which one you hand in, and choose the file again."))
        return data

    def check(self, by: Person) -> CheckedSubmission | None:
        """Return what somebody sent, checked and clean; None where it cannot be accepted, which the form then says."""
        how = self.cleaned_data["how"]
        try:
            if how == "link":
                return check_link(self.cleaned_data["link"])
            with turn_of(by.pk):
                if how == "text":
                    return check_text(self.cleaned_data["text"])
                return check_file(self.cleaned_data["file"], self._assignment)
        except Rejected as error:
            self.add_error(how, str(error))
            return None


class OnBehalfForm(StudentPicker, HandInForm):
    """A paper of a student who cannot hand in themselves."""

    field_order = ("student",)

    def __init__(self, assignment: Assignment, *args: Any, **kwargs: Any) -> None:
        super().__init__(assignment, *args, **kwargs)
        self.assignment = assignment
        labels = {"how": _("What is handed in?"), "text": _("The text"), "file": _("The file")}
        for name in labels.keys() & self.fields.keys():
            self.fields[name].label = labels[name]


class WithdrawForm(forms.ModelForm):  # type: ignore[type-arg]
    """Why a paper is withdrawn."""

    class Meta:
        """Of a paper."""

        model = Paper
        fields = ("withdrawn_because",)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["withdrawn_because"].required = True
        self.fields["withdrawn_because"].label = _("Why? Its authors will read this.")


HOW = {Kind.TEXT: "text", Kind.LINK: "link", Kind.PDF: "file", Kind.IMAGE: "file"}
"""The way by which a kind of paper comes."""
