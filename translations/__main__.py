"""``make messages``: write templates for translators; with a language, its catalogues too, or bring them up to date.

The templates (``.pot``) and the compiled catalogues (``.mo``) are made and not kept; ``.po`` files are kept.
"""

import sys
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.pofile import read_po, write_po

from translations.extraction import CATALOGUES, library_messages, new_catalog, web_messages


def main(language: str | None = None) -> None:
    """Write the messages of both domains, without or with a language such as ``de`` or ``pt_BR``."""
    for domain, messages in (("peerorder", library_messages()), ("django", web_messages())):
        folder = CATALOGUES[domain]
        _write(folder / f"{domain}.pot", messages)
        if language:
            path = folder / language / "LC_MESSAGES" / f"{domain}.po"
            catalog = _read(path, language) if path.exists() else new_catalog(language)
            catalog.update(messages)
            _write(path, catalog)


def _read(path: Path, language: str) -> Catalog:
    with path.open("rb") as file:
        return read_po(file, language, path.stem)


def _write(path: Path, catalog: Catalog) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        write_po(file, catalog, width=120, sort_by_file=True)
    print(f"{path}: {len(catalog)} messages")


main(*sys.argv[1:])
