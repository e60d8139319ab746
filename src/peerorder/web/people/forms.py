"""Forms about oneself."""

from typing import Any

from django import forms
from django.contrib.auth import password_validation
from django.utils.translation import gettext_lazy as _

from peerorder.web.people.models import Person


class LoginForm(forms.Form):
    """Name and password."""

    login = forms.CharField(
        label=_("Log-in name"), max_length=254, widget=forms.TextInput({"autocomplete": "username"})
    )
    password = forms.CharField(
        label=_("Password"), max_length=1000, widget=forms.PasswordInput({"autocomplete": "current-password"})
    )


class PasswordForm(forms.ModelForm[Person]):
    """A log-in name and a new password."""

    password = forms.CharField(
        label=_("New password"),
        max_length=1000,
        widget=forms.PasswordInput({"autocomplete": "new-password"}),
        help_text=_("10 letters or more."),
    )

    class Meta:
        """Of a person."""

        model = Person
        fields = ("login",)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["login"].required = True
        self.fields["login"].widget.attrs["autocomplete"] = "username"
        if not self.initial.get("login"):
            self.initial["login"] = self.instance.email

    def clean_password(self) -> str:
        """Not one that is easily guessed."""
        password: str = self.cleaned_data["password"]
        password_validation.validate_password(password, self.instance)
        return password
