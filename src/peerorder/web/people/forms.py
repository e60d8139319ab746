"""Forms about oneself."""

from typing import Any

from django import forms
from django.contrib.auth import password_validation
from django.utils.translation import gettext_lazy as _

from peerorder.web.people.models import Person

LONGEST = 1000


class LoginForm(forms.Form):
    """Name and password."""

    login = forms.CharField(label=_("Username"), max_length=254, widget=forms.TextInput({"autocomplete": "username"}))
    password = forms.CharField(
        label=_("Password"), max_length=LONGEST, widget=forms.PasswordInput({"autocomplete": "current-password"})
    )


class AddressForm(forms.Form):
    """One's e-mail address."""

    email = forms.EmailField(
        label=_("Your e-mail address"), max_length=254, widget=forms.EmailInput({"autocomplete": "email"})
    )


class PersonForm(forms.Form):
    """A form about somebody's own account."""

    def __init__(self, *args: Any, person: Person, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.person = person


class OwnForm(PersonForm):
    """With the password that one has now; people without one are not asked for it."""

    current = forms.CharField(
        label=_("Your current password"),
        max_length=LONGEST,
        widget=forms.PasswordInput({"autocomplete": "current-password"}),
    )

    def __init__(self, *args: Any, person: Person, **kwargs: Any) -> None:
        super().__init__(*args, person=person, **kwargs)
        if not person.has_usable_password():
            del self.fields["current"]


class DetailsForm(OwnForm):
    """The name that others see, and the address that messages go to; another address needs the password."""

    name = forms.CharField(label=_("Name"), max_length=200, widget=forms.TextInput({"autocomplete": "name"}))
    email = forms.EmailField(label=_("E-mail"), max_length=254, widget=forms.EmailInput({"autocomplete": "email"}))
    field_order = ("name", "email", "current")

    def __init__(self, *args: Any, person: Person, **kwargs: Any) -> None:
        super().__init__(*args, person=person, **kwargs)
        for name in ("name", "email"):
            self.initial.setdefault(name, getattr(person, name))
            # The first account has no address, and need not have one.
            self.fields[name].required = bool(getattr(person, name))
        if "current" in self.fields:
            self.fields["current"].required = False
            self.fields["current"].help_text = _("Needed only if you change the e-mail address.")

    @property
    def changes_address(self) -> bool:
        """Whether the password is needed."""
        return bool(self.cleaned_data["email"] != self.person.email)


class NewPasswordForm(PersonForm):
    """A new password."""

    password = forms.CharField(
        label=_("New password"),
        max_length=LONGEST,
        widget=forms.PasswordInput({"autocomplete": "new-password"}),
        help_text=_("At least 10 characters."),
    )

    def clean_password(self) -> str:
        """Refuse a password that is easily guessed."""
        password: str = self.cleaned_data["password"]
        password_validation.validate_password(password, self.person)
        return password


class PasswordForm(OwnForm, NewPasswordForm):
    """A new password, for somebody who is logged in."""

    field_order = ("current", "password")
