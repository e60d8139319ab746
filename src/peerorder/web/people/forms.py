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


class DetailsForm(forms.ModelForm):  # type: ignore[type-arg]
    """The name that others see, and the address that mails go to; another address needs the password."""

    password = forms.CharField(
        label=_("Your password"),
        max_length=1000,
        required=False,
        widget=forms.PasswordInput({"autocomplete": "current-password"}),
        help_text=_("Only where you change the e-mail address."),
    )

    class Meta:
        """Of a person."""

        model = Person
        fields = ("name", "email")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name, complete in (("name", "name"), ("email", "email")):
            # The first account has no address, and need not have one.
            self.fields[name].required = bool(getattr(self.instance, name))
            self.fields[name].label = str(self.fields[name].label).capitalize()
            self.fields[name].widget.attrs["autocomplete"] = complete
        # Cleaning writes to the instance.
        self.before = self.instance.email

    @property
    def changes_address(self) -> bool:
        """Whether the password is needed."""
        return bool(self.cleaned_data["email"] != self.before)

    def clean_email(self) -> str:
        """Nobody else's: by it somebody is found who is to be staff of one more course."""
        email: str = self.cleaned_data["email"]
        others = Person.objects.filter(email__iexact=email, makes_courses=True).exclude(pk=self.instance.pk)
        if email != self.before and others.exists():
            raise forms.ValidationError(_("Somebody else here has this address. Check it, or ask who runs this site."))
        return email


class PasswordForm(forms.ModelForm):  # type: ignore[type-arg]
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
