"""What every command does first. It runs before Django is loaded, so it imports nothing that needs models."""

import gc
import os
import re
from contextlib import suppress
from pathlib import Path

import django
from django.core.exceptions import ImproperlyConfigured
from django.utils.translation import activate, get_supported_language_variant, to_language

from peerorder.core.errors import InputError
from peerorder.core.translation import gettext as _
from peerorder.web.operations.folder import check_account, keep_files_private


def start(host: str = "127.0.0.1", port: int = 8000, *, makes_site: bool = False) -> None:
    """Load Django with the settings of the environment.

    Parameters
    ----------
    host, port
        Where pages are served.
    makes_site
        Whether the command may make a new site where there is none.

    Raises
    ------
    InputError
        If a setting is wrong, or no site is there: one line that says what to do.
    """
    keep_files_private()
    home = Path(os.environ.get("PEERORDER_HOME") or "peerorder-data").absolute()
    if not makes_site and not (home / ("" if os.environ.get("PEERORDER_DATABASE") else "peerorder.sqlite3")).exists():
        text = _(
            "there is no site in {folder}; check PEERORDER_HOME. This command needs the same variables as "
            "`peerorder serve`, whose first start creates the site"
        )
        raise InputError(text.format(folder=home))
    check_account(home)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "peerorder.web.settings")
    if os.environ.get("PEERORDER_PRODUCTION") != "yes":
        os.environ.setdefault("PEERORDER_URL", f"http://{f'[{host}]' if ':' in host else host}:{port}")
    try:
        load_django()
    except ImproperlyConfigured as error:
        raise InputError(str(error)) from None
    activate_environment_language()


def activate_environment_language() -> None:
    """Show texts in the first language of the environment that the app has, as gettext does before Django is loaded."""
    names = ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG")
    locales = next(filter(None, map(os.environ.get, names)), "")
    for locale in locales.split(":"):
        with suppress(LookupError):
            activate(get_supported_language_variant(to_language(re.split("[.@]", locale)[0])))
            return


def load_django() -> None:
    """Load the settings and all apps, without looking for garbage meanwhile.

    There is none, and what is loaded stays until the end: passing over it then and later takes a third off the start of
    a process.
    """
    gc.disable()
    try:
        django.setup()
    finally:
        gc.freeze()
        gc.enable()
