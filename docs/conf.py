"""How the documentation is built: MyST Markdown, Furo, nothing loaded from another site."""

from peerorder import __version__

project = "peerorder"
author = "The peerorder authors"
copyright = "the peerorder authors"
version = release = __version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["_build"]
# Links such as rules.md#borda need the headings to have anchors.
myst_heading_anchors = 3

autodoc_member_order = "bysource"
autodoc_typehints = "description"
autodoc_typehints_format = "short"
# Type hints would otherwise list every parameter a second time, without a word about it.
autodoc_typehints_description_target = "documented"
napoleon_google_docstring = False

html_theme = "furo"
html_title = f"peerorder {release}"
html_copy_source = False
html_show_sourcelink = False


def literal_bars(*event):
    """Docstrings write absolute values as |x|, which would be a substitution to reStructuredText."""
    lines = event[-1]
    lines[:] = [line.replace("|", r"\|") for line in lines]


def setup(app):
    app.connect("autodoc-process-docstring", literal_bars)
