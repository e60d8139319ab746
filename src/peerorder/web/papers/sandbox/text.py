"""Texts: whether they can be shown in reasonable time."""

from pathlib import Path
from typing import Any

from peerorder.web.markdown import as_html


def try_text(source: Path, _folder: Path) -> dict[str, Any]:
    """The text as HTML; a text made of nothing but brackets would take minutes, and this process is stopped."""
    return {"html": str(as_html(source.read_text()))}
