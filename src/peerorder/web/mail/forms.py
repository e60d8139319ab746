"""The checkbox for telling people by e-mail."""

from django import forms
from django.utils.translation import gettext_lazy as _

from peerorder.web.mail.services import is_set_up


class TellForm(forms.Form):
    """Whether students are told of a transition by e-mail."""

    tell = forms.BooleanField(label=_("Tell students by e-mail"), required=False, initial=is_set_up)
