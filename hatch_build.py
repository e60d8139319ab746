"""Compile the catalogues of translators when the package is built or installed, by Babel, which pip brings for it."""

from pathlib import Path
from typing import Any

from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CompileCatalogues(BuildHookInterface):
    """Write a ``.mo`` beside every ``.po``, in an editable installation too."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002 -- hatchling passes them
        for path in Path(self.root, "src").rglob("*.po"):
            with path.open("rb") as source, path.with_suffix(".mo").open("wb") as target:
                write_mo(target, read_po(source, path.parent.parent.name, path.stem))
