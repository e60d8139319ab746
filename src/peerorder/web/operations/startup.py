"""What every command does first. It runs before Django is loaded, so it imports nothing that needs models."""

import gc
import os
from pathlib import Path

import django
from django.core.exceptions import ImproperlyConfigured

from peerorder.core.errors import InputError
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
        raise InputError(
            f"there is no site in {home}; check PEERORDER_HOME. This command needs the same variables as "
            f"`peerorder serve`, whose first start creates the site"
        )
    check_account(home)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "peerorder.web.settings")
    if os.environ.get("PEERORDER_PRODUCTION") != "yes":
        os.environ.setdefault("PEERORDER_URL", f"http://{f'[{host}]' if ':' in host else host}:{port}")
    try:
        load_django()
    except ImproperlyConfigured as error:
        raise InputError(str(error)) from None


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
