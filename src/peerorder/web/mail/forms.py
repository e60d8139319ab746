"""The tick whether people hear of something."""

from django import forms
from django.utils.translation import gettext_lazy as _

from peerorder.web.mail.services import is_set_up


class TellForm(forms.Form):
    """Whether students hear of a step by e-mail."""

    tell = forms.BooleanField(label=_("Tell the students by e-mail"), required=False, initial=is_set_up)
