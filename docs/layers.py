"""Draw the layers of the library and of the web app, from the contracts that `make lint` holds them to.

python docs/layers.py         # writes docs/pictures/layers.svg
"""

import tomllib
from pathlib import Path
from xml.sax.saxutils import escape

ROOT = Path(__file__).parents[1]
PICTURE = ROOT / "docs" / "pictures" / "layers.svg"
COLUMNS = (("peerorder", "The library, the command line and the web app"), ("peerorder.web", "The apps of the web app"))
WIDTH, HEIGHT, GAP, TOP, APART = 420, 30, 8, 40, 60
STYLE = """
    text { font: 14px system-ui, sans-serif; fill: #14181f }
    .title { font-weight: 600 }
    rect { fill: #edf1ff; stroke: #3b5bdb }
    .web rect { fill: #e6f5ea; stroke: #237a37 }
    @media (prefers-color-scheme: dark) {
        text { fill: #e8ecf1 }
        rect { fill: #1e2745; stroke: #94abff }
        .web rect { fill: #16291c; stroke: #78cd8e }
    }
"""


def layers(container: str) -> list[list[str]]:
    """Return the layers of a package, the top one first, each with the packages that stand in it."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"]
    found = next(each for each in contracts if each.get("containers") == [container])
    return [[name.strip(" ()") for name in layer.replace(":", "|").split("|")] for layer in found["layers"]]


def column(container: str, title: str, x: int) -> tuple[list[str], int]:
    """Return the boxes of one package, and how high they are together."""
    y = TOP
    parts = [
        f'<g class="{container.rpartition(".")[2]}">',
        f'<text class="title" x="{x}" y="20">{escape(title)}</text>',
    ]
    for layer in layers(container):
        wide = (WIDTH - GAP * (len(layer) - 1)) / len(layer)
        for place, name in enumerate(layer):
            left = x + place * (wide + GAP)
            parts.append(f'<rect x="{left:.1f}" y="{y}" width="{wide:.1f}" height="{HEIGHT}" rx="5"/>')
            middle = f'x="{left + wide / 2:.1f}" y="{y + 20}" text-anchor="middle"'
            parts.append(f"<text {middle}>{escape(name)}</text>")
        y += HEIGHT + GAP
    return [*parts, "</g>"], y


def drawing() -> str:
    """Return the picture."""
    columns = [column(*each, x=20 + place * (WIDTH + APART)) for place, each in enumerate(COLUMNS)]
    wide, high = 20 + len(COLUMNS) * (WIDTH + APART), max(height for _parts, height in columns) + 10
    label = "A package imports only from packages that stand below it"
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}" role="img" aria-label="{label}">',
        f"<style>{STYLE}</style>",
        *(part for parts, _height in columns for part in parts),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    PICTURE.write_text(drawing(), "utf-8")
