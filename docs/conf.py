"""How the documentation is built: MyST Markdown, Furo, nothing loaded from another site."""

import sys
from pathlib import Path

from peerorder import __version__

# The extension of our own beside this file.
sys.path.insert(0, str(Path(__file__).parent))

project = "peerorder"
author = "The peerorder authors"
copyright = "the peerorder authors"
version = release = __version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "command_reference"]
exclude_patterns = ["_build", "extra"]
# Links such as rules.md#borda need the headings to have anchors.
myst_heading_anchors = 3

autodoc_member_order = "bysource"
# NumPy's ArrayLike is a union that fills three lines; what a parameter may be stands in its description.
autodoc_typehints = "none"
napoleon_google_docstring = False

html_theme = "furo"
# The page and the figures of a full `peerorder reproduce`, as they are: extra/results/index.html.
html_extra_path = ["extra"]
html_title = f"peerorder {release}"
html_copy_source = False
html_show_sourcelink = False


def prepare(*event):
    """Make docstrings plain reStructuredText before napoleon reads them."""
    kind, lines = event[1], event[-1]
    # Absolute values are written |x|, which would be a substitution.
    lines[:] = [line.replace("|", r"\|") for line in lines]
    # Napoleon takes what is before a colon in the first line of a property for its type; an escaped line end is none.
    if kind == "property":
        lines.insert(0, "\\")


REPAIRS = {
    # Sphinx makes headings of the captions of a table of contents, without saying of which level.
    'role="heading">': 'role="heading" aria-level="2">',
    # What may scroll sideways must be within reach of the keyboard.
    "<pre>": '<pre tabindex="0">',
    '<div class="table-wrapper': '<div tabindex="0" class="table-wrapper',
}


def repair(*event):
    """Make what Sphinx and Furo write usable without a mouse."""
    context = event[3]
    for part in ("body", "furo_navigation_tree"):
        for old, new in REPAIRS.items():
            context[part] = context.get(part, "").replace(old, new)


def setup(app):
    app.connect("autodoc-process-docstring", prepare, priority=400)
    # After Furo has made its navigation.
    app.connect("html-page-context", repair, priority=900)
