"""Tells Django about the app."""

from django.apps import AppConfig
from django.conf import settings
from django.utils.module_loading import autodiscover_modules
from django.utils.translation import get_language, to_locale

from peerorder.core.translation import translate_into


class Config(AppConfig):
    """Running the web app. It is above all others, so it connects them."""

    name = "peerorder.web.operations"
    label = "operations"

    def ready(self) -> None:
        """Load what the apps register: their jobs, what apps below call, and the words of the audit log."""
        autodiscover_modules("background", "registrations", "audit_messages")
        translate_into(_locale_of_reader)


def _locale_of_reader() -> str:
    """Return the locale in which texts of the library are shown: that of the page, or of the site in the background."""
    return to_locale(get_language() or settings.LANGUAGE_CODE)
