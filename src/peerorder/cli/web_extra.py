"""The web app, where it is installed."""

from importlib import import_module
from types import ModuleType

from peerorder.core.translation import gettext as _

__all__ = ["web"]

# What the extra brings along and the commands need.
NEEDED = ("django", "django_htmx", "gunicorn", "whitenoise", "nh3", "markdown_it")


def web(module: str, *, host: str = "127.0.0.1", port: int = 8000, makes_site: bool = False) -> ModuleType:
    """Return a module of the web app, as ``operations.staff``, after loading the app.

    Raises
    ------
    InputError
        If the web app is not installed, or a setting is wrong: one line that says what to do.
    """
    from peerorder.core.errors import InputError

    try:
        import_module("peerorder.web.operations.startup").start(host, port, makes_site=makes_site)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in NEEDED:
            raise
        raise InputError(_("the web app is not installed; `pip install 'peerorder[web]'` installs it")) from None
    return import_module(f"peerorder.web.{module}")
