"""Texts: shown as HTML, in reasonable time."""

from pathlib import Path

from peerorder.web.markdown import as_html


def render_text(source: Path, _folder: Path) -> str:
    """Return the text as HTML; a text made of nothing but brackets would take minutes, and this process is stopped."""
    return str(as_html(source.read_text()))
