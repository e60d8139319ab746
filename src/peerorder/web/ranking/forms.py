"""Forms around ranking."""

from django import forms
from django.utils.translation import gettext_lazy as _

from peerorder.web.mail.services import is_set_up
from peerorder.web.ranking.models import Problem


class ProblemForm(forms.ModelForm):  # type: ignore[type-arg]
    """A problem with a paper."""

    kind = forms.ChoiceField(label=_("What is wrong with it?"), choices=Problem.Kind.choices, widget=forms.RadioSelect)

    class Meta:
        """The kind, and words if one likes."""

        model = Problem
        fields = ("kind", "text")
        widgets = {"text": forms.Textarea(attrs={"rows": 3})}  # noqa: RUF012 -- Django wants it so
        labels = {"text": _("In your own words")}  # noqa: RUF012
        help_texts = {"text": _("For example: which page or line, or where the text is from.")}  # noqa: RUF012

    def clean(self) -> dict[str, object]:
        """Require a description of “something else”."""
        clean = super().clean() or {}
        if clean.get("kind") == Problem.Kind.OTHER and not clean.get("text"):
            self.add_error("text", _("Describe the problem, so that your instructors can help."))
        return clean


class AnswerForm(forms.ModelForm):  # type: ignore[type-arg]
    """The answer of staff to a reported problem."""

    tell = forms.BooleanField(required=False, initial=is_set_up)

    class Meta:
        """The answer."""

        model = Problem
        fields = ("answer",)
        widgets = {"answer": forms.Textarea(attrs={"rows": 3})}  # noqa: RUF012

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        self.fields["answer"].required = True
        self.fields["tell"].label = _("Notify %(name)s by e-mail") % {"name": self.instance.slot.grader}
