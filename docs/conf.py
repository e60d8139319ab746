"""How the documentation is built: MyST Markdown, Furo in the colours of our pages, nothing loaded from another site."""

import re
import sys
from importlib.resources import files
from pathlib import Path

from peerorder import __version__

HERE = Path(__file__).parent
# The extension of our own beside this file.
sys.path.insert(0, str(HERE))

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
ICON = HERE.parent / "src" / "peerorder" / "web" / "static" / "peerorder" / "icon.svg"
html_logo = html_favicon = f"../{ICON.relative_to(HERE.parent)}"
html_static_path = ["_static"]
html_css_files = ["handbook.css"]
# Furo's names for the colours of our pages.
COLOURS = {
    "color-brand-primary": "brand",
    "color-brand-content": "brand",
    "color-brand-visited": "brand",
    "color-foreground-primary": "ink",
    "color-foreground-secondary": "soft",
    "color-foreground-muted": "soft",
    "color-foreground-border": "line-2",
    "color-background-primary": "paper",
    "color-background-secondary": "bg",
    "color-background-hover": "shade",
    "color-background-border": "line",
    "color-card-background": "paper",
    "color-card-border": "line",
    "color-inline-code-background": "shade",
    "color-table-header-background": "paper",
    "color-table-border": "line",
    "color-sidebar-link-text--top-level": "ink",
}


def theme_colours(css):
    """Return Furo's variables with the tokens of a block of ``base.css``."""
    tokens = dict(re.findall(r"--([\w-]+): (#[0-9a-f]+)", css))
    return {name: tokens[token] for name, token in COLOURS.items()}


BASE = (files("peerorder.reports") / "static" / "peerorder" / "base.css").read_text("utf-8")
LIGHT, DARK = (BASE.split(":root {")[number].partition("}")[0] for number in (1, 2))
FONTS = dict(re.findall(r"--(font|mono): ([^;]+);", LIGHT))
html_theme_options = {
    "light_css_variables": theme_colours(LIGHT) | {"font-stack": FONTS["font"], "font-stack--monospace": FONTS["mono"]},
    "dark_css_variables": theme_colours(DARK),
}
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
