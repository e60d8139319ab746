"""From a directory that ``peerorder reproduce`` filled to its page, whichever studies are there by now."""

import json
from pathlib import Path
from typing import Any

from peerorder.core.errors import InputError
from peerorder.core.translation import gettext as _
from peerorder.files import read_rows, write_text
from peerorder.files.formats.writing import provenance_path
from peerorder.reports.reproduction import page
from peerorder.studies import STUDIES, exact_law, exact_noisy_law

__all__ = ["write_page"]

# Some studies have more than one table.
SHOWN = (*STUDIES, "reliability", "real", "real-reliability")


def write_page(directory: Path) -> Path:
    """Write ``index.html`` from the CSVs, figures and provenance in the directory, and say where it is.

    Studies may have been run one at a time: the page shows all that are there.
    """
    result = {name: directory / f"{name}.csv" for name in SHOWN if (directory / f"{name}.csv").exists()}
    if not result:
        names = ", ".join(f"{name}.csv" for name in SHOWN)
        raise InputError(
            _("{directory} holds none of {names}; run peerorder reproduce --out {directory} first").format(
                directory=directory, names=names
            )
        )
    tables = {name: read_rows(path) for name, path in result.items()}
    drawings = {name: directory / f"{name}.svg" for name in result}
    figures = {name: path.read_text(encoding="utf-8") for name, path in drawings.items() if path.exists()}
    laws = exact_law(tables.get("figure2", ())), exact_noisy_law(tables.get("table2", ()))
    path = directory / "index.html"
    write_text(path, page(tables, figures, _provenance(result), *laws))
    return path


def _provenance(result: dict[str, Path]) -> dict[str, Any]:
    """Every study's provenance, and above them the seeds and versions that occur in any."""
    each = {name: _read(provenance_path(path)) for name, path in result.items()}
    each = {name: facts for name, facts in each.items() if facts}
    shared = {}
    for key in ("seed", "version"):
        values = list(dict.fromkeys(str(facts[key]) for facts in each.values() if key in facts))
        if values:
            shared[key] = ", ".join(values)
    return {**shared, **each}


def _read(path: Path) -> dict[str, Any]:
    if not path.exists():
        return {}
    try:
        facts = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise InputError(
            _("{file} is not JSON ({error}); run that study again").format(file=path, error=error)
        ) from None
    if not isinstance(facts, dict):
        raise InputError(_("{file} holds no object; run that study again").format(file=path))
    return facts
