"""The style of every figure and how it is stored, in one place, so that all figures look like one set.

matplotlib takes most of a second to load, so it is imported inside the functions: importing this
module costs nothing.
"""

import io
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from peerorder.files import write_bytes

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = [
    "COLOURS",
    "PAGE_WIDTH",
    "RuleStyle",
    "canvas",
    "figure_settings",
    "finish_figure",
    "png",
    "rule_styles",
    "save",
    "svg",
]

# The blues and greys are those of our pages (base.css); the other hues are from the palette of Okabe and Ito (2008),
# chosen so that colour-blind people can tell them apart. A page that inlines a figure may swap each of these for its
# own, in a dark theme for example.
COLOURS = {
    "ink": "#14181f",
    "paper": "#ffffff",
    "faint": "#525c69",
    "mist": "#eff2f6",
    "blue": "#3b5bdb",
    "vermilion": "#d55e00",
    "green": "#009e73",
    "purple": "#cc79a7",
    "orange": "#e69f00",
    "sky": "#8ea3f2",
}

# Inches; the text width of a two-column journal page.
PAGE_WIDTH = 7.1

_PARAMETERS: dict[str, Any] = {
    # DejaVu Sans comes with matplotlib, so the layout is the same on every machine; a viewer of the SVG
    # who lacks it most likely has Verdana, which shares its widths.
    "font.family": ["sans-serif"],
    "font.sans-serif": ["DejaVu Sans", "Verdana"],
    "font.size": 8.0,
    "axes.titlesize": 8.5,
    "axes.titlelocation": "left",
    "axes.titleweight": "bold",
    "axes.labelsize": 8.0,
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": COLOURS["ink"],
    "axes.labelcolor": COLOURS["ink"],
    "axes.titlecolor": COLOURS["ink"],
    "text.color": COLOURS["ink"],
    "xtick.color": COLOURS["ink"],
    "ytick.color": COLOURS["ink"],
    "xtick.labelsize": 7.5,
    "ytick.labelsize": 7.5,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "xtick.major.size": 3.0,
    "ytick.major.size": 3.0,
    "lines.linewidth": 1.2,
    "lines.markersize": 4.0,
    "figure.constrained_layout.wspace": 0.05,
    "legend.frameon": False,
    "legend.fontsize": 7.5,
    "legend.handlelength": 1.8,
    # Text stays text: it can be searched, read aloud and set in the font of the page around it.
    "svg.fonttype": "none",
    # Ids in the SVG come from this and the content, not from a random number.
    "svg.hashsalt": "peerorder",
}


@dataclass(frozen=True)
class RuleStyle:
    """The label, colour and marker of a rule; rules never differ by colour alone."""

    label: str
    colour: str
    marker: str


_RULES = {
    "borda": RuleStyle("Borda", COLOURS["blue"], "o"),
    "rsd": RuleStyle("RSD", COLOURS["vermilion"], "s"),
    "mc4": RuleStyle("MC4", COLOURS["green"], "^"),
    "mc4-restart": RuleStyle("MC4 with restart", COLOURS["purple"], "D"),
}
_LABELS = {
    "posterior": "Posterior",
    "posterior:tie-quality-to-place=yes": "Posterior, quality tied to place",
    "mc1": "MC1",
    "mc2": "MC2",
    "mc3": "MC3",
    "copeland": "Copeland",
    "kemeny": "Kemeny",
    "mixture": "Mixture",
    "pagerank": "PageRank",
    "peerrank": "PeerRank",
    "plackett-luce": "Plackett-Luce",
    "bradley-terry": "Bradley-Terry",
    "thurstone": "Thurstone",
}
_SPARE = (("orange", "v"), ("sky", "P"), ("faint", "X"), ("ink", "*"))


def rule_styles(rules: Iterable[str]) -> dict[str, RuleStyle]:
    """Choose a style for each rule, without repeats: the article's rules first, then the others in the order given."""
    given = dict.fromkeys(rules)
    styles = {rule: style for rule, style in _RULES.items() if rule in given}
    for index, rule in enumerate(rule for rule in given if rule not in _RULES):
        colour, marker = _SPARE[index % len(_SPARE)]
        styles[rule] = RuleStyle(_LABELS.get(rule, rule), COLOURS[colour], marker)
    return styles


@contextmanager
def figure_settings() -> Iterator[None]:
    """Apply our settings over matplotlib's own defaults for a while, whatever the user's configuration is."""
    import matplotlib

    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        # Some versions of matplotlib list every name in the type of its settings, others know none.
        settings: Any = matplotlib.rcParams
        settings.update(_PARAMETERS)
        yield


def canvas(width: float, height: float, margin: float | None = None) -> "Figure":
    """Make an empty figure, sizes in inches; to be called and filled inside ``styled``.

    ``margin`` is what stays free on the left and on the right, if not as little as possible.
    """
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    return Figure(figsize=(width, height), layout=ConstrainedLayoutEngine(w_pad=margin))


def finish_figure(figure: "Figure", alternative: str) -> "Figure":
    """Fix the layout, and put the text alternative where ``svg`` and ``png`` find it: in the figure's label."""
    figure.draw_without_rendering()
    # Laid out once: at another resolution the texts have other sizes, and each file would move the axes a little.
    figure.set_layout_engine("none")
    figure.set_label(alternative)
    return figure


def svg(figure: "Figure") -> str:
    """Render the figure as SVG: the same bytes every time, the text alternative as its description."""
    metadata = {"Date": None, "Creator": None, "Description": _alternative(figure)}
    return _bytes(figure, format="svg", metadata=metadata).decode()


def png(figure: "Figure") -> bytes:
    """Render the figure as PNG at 300 dots per inch, the text alternative in its description."""
    return _bytes(figure, format="png", dpi=300, metadata={"Software": None, "Description": _alternative(figure)})


def save(figure: "Figure", stem: Path) -> tuple[Path, Path]:
    """Write ``stem.svg`` and ``stem.png``, and return their paths."""
    vector, pixels = stem.with_name(stem.name + ".svg"), stem.with_name(stem.name + ".png")
    write_bytes(vector, svg(figure).encode())
    write_bytes(pixels, png(figure))
    return vector, pixels


def _bytes(figure: "Figure", **options: Any) -> bytes:
    out = io.BytesIO()
    with figure_settings():
        figure.savefig(out, **options)
    return out.getvalue()


def _alternative(figure: "Figure") -> str | None:
    return str(figure.get_label()) or None
