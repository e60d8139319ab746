"""Forms about results and releases."""

from datetime import datetime
from typing import Any

from django import forms
from django.utils import timezone
from django.utils.translation import gettext as _now, gettext_lazy as _

from peerorder.core.errors import InputError
from peerorder.core.translation import translate
from peerorder.web.assignments.local_times import LocalTimeField
from peerorder.web.mail.services import is_set_up

LARGEST_SEED = 2**31 - 1
CHOICES = {"marks": (True, True), "comments": (False, True), "nothing": (False, False)}
"""What can be released: marks or not, comments or not."""


class ComputeForm(forms.Form):
    """How rankings are merged."""

    rule = forms.ChoiceField(label=_("Rule"), choices=lambda: _rules())
    options = forms.CharField(
        label=_("Options of the rule"),
        required=False,
        max_length=60,
        help_text=_("As name=value, separated by commas. Leave empty for the defaults."),
    )
    seed = forms.IntegerField(
        label=_("Seed"),
        initial=0,
        min_value=0,
        max_value=LARGEST_SEED,
        help_text=_("The same seed gives the same result. Another seed may break ties differently."),
    )
    upside_down = forms.BooleanField(
        label=_("Graders used 1 for the worst paper"),
        required=False,
        help_text=_("Reverses all rankings."),
    )

    def clean(self) -> dict[str, Any]:
        """Refuse options that the rule does not have."""
        from peerorder.rules import RULES

        given = super().clean() or {}
        if given.get("rule") and given.get("options"):
            try:
                given["rule"] = RULES.parse(f"{given['rule']}:{given['options'].strip()}").spec
            except InputError as error:
                self.add_error("options", str(error))
        return given

    @property
    def rules(self) -> list[tuple[str, str]]:
        """The name of every rule, and what it does."""
        from peerorder.rules import RULES

        return [(label, translate(RULES[name].summary)) for name, label in _rules()]

    @property
    def settings(self) -> dict[str, Any]:
        """What ``request_result`` takes."""
        return {name: self.cleaned_data[name] for name in ("rule", "seed", "upside_down")}


def _rules() -> list[tuple[str, str]]:
    """Return all rules of the registry with their names, the default first."""
    from peerorder.reports.labels import rule_name
    from peerorder.rules import RULES

    return [(name, rule_name(name)) for name in RULES]


class ReasonForm(forms.Form):
    """Why something is decided."""

    reason = forms.CharField(
        label=_("Reason"), max_length=500, widget=forms.Textarea(attrs={"rows": 3}), help_text=_("Only staff see it.")
    )


class ReleaseForm(forms.Form):
    """Sign off what the page shows."""

    what = forms.ChoiceField(choices=[(name, name) for name in CHOICES], widget=forms.HiddenInput)
    seen = forms.CharField(max_length=64, widget=forms.HiddenInput)
    at = LocalTimeField(
        label=_("Publish at"),
        required=False,
        help_text=_(
            "Leave empty to publish in ten minutes, the earliest possible time. Until a release is published you "
            "can withdraw it before any student sees it."
        ),
    )
    tells = forms.BooleanField(label=_("E-mail students when it is published"), required=False, initial=is_set_up)
    signs = forms.BooleanField(
        label=_("I have checked this, and it may be released."),
        error_messages={"required": _("Tick this to sign off.")},
    )

    def clean_at(self) -> datetime | None:
        """Refuse a time that has passed: somebody who typed it means another."""
        at: datetime | None = self.cleaned_data["at"]
        if at is not None and at < timezone.now():
            text = _now("This time has passed. Choose a later one, or leave this empty to publish in ten minutes.")
            raise forms.ValidationError(text)
        return at


class WithdrawForm(forms.Form):
    """Withdraw a release, with the reason where students may have seen it."""

    reason = forms.CharField(
        label=_("Reason"),
        max_length=500,
        required=False,
        strip=True,
        help_text=_("Students see it in place of their results; staff see it in the history of releases."),
    )
