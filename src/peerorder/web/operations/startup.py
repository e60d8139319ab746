"""What every command does first. It runs before Django is loaded, so it imports nothing that needs models."""

import os

import django
from django.core.exceptions import ImproperlyConfigured

from peerorder.core.errors import InputError
from peerorder.web.operations.folder import keep_files_private


def start(host: str = "127.0.0.1", port: int = 8000) -> None:
    """Load Django with the settings of the environment.

    Raises
    ------
    InputError
        If a setting is wrong: one line that says which, and what to do.
    """
    keep_files_private()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "peerorder.web.settings")
    if os.environ.get("PEERORDER_PRODUCTION") != "yes":
        seen = "127.0.0.1" if host in ("0.0.0.0", "::") else host
        os.environ.setdefault("PEERORDER_URL", f"http://{f'[{seen}]' if ':' in seen else seen}:{port}")
    try:
        django.setup()
    except ImproperlyConfigured as error:
        raise InputError(str(error)) from None
