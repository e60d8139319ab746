"""The messages of both domains, by Babel: ``peerorder`` for the library and its commands, ``django`` for the pages.

Commands for running a site are part of the web app, and some of their texts are shown before Django is loaded: a file
there that imports the library's gettext is of the library's domain.

Most stand in calls of gettext. Help of commands and descriptions of rules, schemes, noises and scales are data,
translated where they are shown, so they are collected from the commands and the registries themselves.
"""

import io
from collections.abc import Iterable, Iterator
from itertools import filterfalse
from pathlib import Path
from types import ModuleType
from typing import Any, BinaryIO

import click
from babel.messages.catalog import Catalog
from babel.messages.extract import DEFAULT_KEYWORDS, extract, extract_python
from django.utils.translation.template import templatize

import peerorder
from peerorder._version import __version__

__all__ = ["CATALOGUES", "is_of_library", "library_messages", "new_catalog", "web_messages"]

LIBRARY = Path(peerorder.__file__).parent
WEB = LIBRARY / "web"
CATALOGUES = {"peerorder": LIBRARY / "locale", "django": WEB / "locale"}
"""Where the catalogues of each domain are."""

KEYWORDS = {
    **DEFAULT_KEYWORDS,
    "gettext_lazy": None,
    "ngettext_lazy": (1, 2),
    "pgettext_lazy": ((1, "c"), 2),
    "npgettext_lazy": ((1, "c"), 2, 3),
    # The library's mark on a text that is translated where it is shown.
    "message": None,
}
COMMENTS = ("Translators:",)
LIBRARY_GETTEXT = "from peerorder.core.translation import gettext as _"


def library_messages() -> Catalog:
    """Return the texts of the library, of its commands and of click, which writes their help."""
    catalog = new_catalog()
    _add_files(catalog, filter(is_of_library, _files(LIBRARY, ".py")), LIBRARY.parent)
    _add_files(catalog, _files(_folder(click), ".py"), _folder(click).parent)
    for message, where in (*_command_texts(), *_entry_texts()):
        if message:
            catalog.add(message, locations=[(where, 0)])
    return catalog


def web_messages() -> Catalog:
    """Return the texts of the web app: its code, its pages and its e-mails."""
    catalog = new_catalog()
    _add_files(catalog, filterfalse(is_of_library, _files(WEB, ".py", ".html", ".txt")), LIBRARY.parent)
    return catalog


def is_of_library(path: Path) -> bool:
    """Return whether the texts of a file are in the domain of the library."""
    return not path.is_relative_to(WEB) or LIBRARY_GETTEXT in path.read_text("utf-8")


def new_catalog(locale: str | None = None) -> Catalog:
    """Return an empty catalogue, for a language or as a template for all."""
    names = {"project": "peerorder", "version": __version__, "copyright_holder": "The peerorder authors"}
    return Catalog(locale, **names, fuzzy=False)


def _folder(module: ModuleType) -> Path:
    return Path(str(module.__file__)).parent


def _files(folder: Path, *suffixes: str) -> Iterator[Path]:
    return (path for path in sorted(folder.rglob("*")) if path.suffix in suffixes)


def _add_files(catalog: Catalog, paths: Iterable[Path], root: Path) -> None:
    for path in paths:
        how = extract_python if path.suffix == ".py" else _extract_template
        with path.open("rb") as file:
            for line, message, comments, context in extract(how, file, KEYWORDS, COMMENTS):
                where = [(path.relative_to(root).as_posix(), line)]
                catalog.add(message, locations=where, auto_comments=comments, context=context)


def _extract_template(file: BinaryIO, keywords: Any, comment_tags: Any, options: Any) -> Any:
    """Extract from a template: Django turns its texts into calls of gettext, and everything else into X."""
    source = templatize(file.read().decode("utf-8"))
    # In brackets, so that lines may begin anywhere.
    return extract_python(
        io.BytesIO(f"({source}\n)".encode()), keywords, comment_tags, {**options, "encoding": "utf-8"}
    )


def _command_texts() -> Iterator[tuple[str | None, str]]:
    from peerorder.cli import cli

    yield from ((section, "peerorder") for section in cli.sections)
    yield from _texts_of_command(cli, "peerorder")


def _texts_of_command(command: click.Command, name: str) -> Iterator[tuple[str | None, str]]:
    yield from ((text, name) for text in (command.help, command.short_help, command.epilog))
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            yield parameter.help, f"{name} {parameter.opts[0]}"
    if isinstance(command, click.Group):
        for each in command.commands.values():
            yield from _texts_of_command(each, f"{name} {each.name}")


def _entry_texts() -> Iterator[tuple[str | None, str]]:
    from peerorder.marks import SCALES
    from peerorder.noise import NOISES
    from peerorder.rules import RULES
    from peerorder.schemes import SCHEMES

    for entry in (*RULES.values(), *SCHEMES.values(), *NOISES.values(), *SCALES.values()):
        yield from ((text, entry.name) for text in (entry.summary, getattr(entry, "needs", "")))
        yield from ((option.help, f"{entry.name}:{option.name}") for option in entry.options)
