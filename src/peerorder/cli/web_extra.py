"""The web app, where it is installed."""

from importlib import import_module
from types import ModuleType

__all__ = ["web"]

# What the extra brings along and the commands need.
NEEDED = ("django", "django_tasks", "django_tasks_db", "django_htmx", "gunicorn", "whitenoise", "nh3", "markdown_it")


def web(module: str, *, host: str = "127.0.0.1", port: int = 8000) -> ModuleType:
    """A module of the web app, after the app is loaded; who has not installed it is told how to."""
    from peerorder.core.errors import InputError

    try:
        serving = import_module("peerorder.web.serving")
        serving.start(host, port)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in NEEDED:
            raise
        raise InputError("the web app is not installed; `pip install 'peerorder[web]'` installs it") from None
    return import_module(f"peerorder.web.{module}")
