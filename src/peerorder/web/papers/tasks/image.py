"""Images: drawn anew, so that nothing but the picture is left."""

import warnings
from math import sqrt
from pathlib import Path
from typing import Any

from PIL import Image, ImageOps

from peerorder.web.sandbox.problems import Problem

FORMATS = {"JPEG": "jpg", "PNG": "png", "WEBP": "webp"}
MOST_PIXELS = 50_000_000
LONGEST_SIDE = 20_000
SHORTEST_SIDE = 32
# For reading: wide enough to zoom in, and as tall as WebP allows.
WIDEST, TALLEST, MOST_SHOWN = 1600, 16_000, 12_000_000
# A picture without loss that is larger is kept as a photograph is.
MOST_LOSSLESS = 16 * 2**20


def clean_image(source: Path, folder: Path) -> dict[str, Any]:
    """Write ``clean.*``, the whole picture, and ``page.webp``, the one that people see."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            Image.MAX_IMAGE_PIXELS = MOST_PIXELS
            picture, ending = _read(source)
    except (Image.DecompressionBombError, Image.DecompressionBombWarning):
        raise Problem("image-large") from None
    except (OSError, SyntaxError, ValueError, EOFError, KeyError, TypeError, AttributeError, ArithmeticError):
        # Pillow's readers say in many ways that a file is broken.
        raise Problem("image-broken") from None
    if ending == "webp" and max(picture.size) > TALLEST:
        ending = "jpg"
    ending = _save(picture, folder, ending)
    page = picture.copy()
    scale = min(1, sqrt(MOST_SHOWN / (min(WIDEST, page.width) * min(TALLEST, page.height))))
    page.thumbnail((int(scale * WIDEST), int(scale * TALLEST)))
    page.save(folder / "page.webp", quality=82, method=2)
    return {"clean": f"clean.{ending}", "width": page.width, "height": page.height}


def _save(picture: Image.Image, folder: Path, ending: str) -> str:
    """Write the whole picture; gives the ending that it has."""
    path = folder / f"clean.{ending}"
    options: dict[str, Any] = {} if ending == "png" else {"quality": 90}
    picture.save(path, **options)
    if ending == "png" and path.stat().st_size > MOST_LOSSLESS:
        path.unlink()
        return _save(picture, folder, "jpg")
    return ending


def _read(source: Path) -> tuple[Image.Image, str]:
    """Return the picture, upright, on white; its size is looked at before anything is unpacked."""
    with Image.open(source, formats=list(FORMATS)) as opened:
        ending = FORMATS[opened.format or ""]
        width, height = opened.size
        if width * height > MOST_PIXELS or max(width, height) > LONGEST_SIDE:
            raise Problem("image-large")
        if min(width, height) < SHORTEST_SIDE:
            raise Problem("image-small")
        opened.load()
        picture: Image.Image = ImageOps.exif_transpose(opened)
    if picture.mode.startswith("I") or picture.mode == "F":
        # 16 bits of grey: Pillow would cut them off instead of scaling them.
        low, high = picture.getextrema()
        scale = 255 / (float(high) - float(low) or 1.0)  # type: ignore[arg-type]
        picture = picture.point(lambda value: (value - float(low)) * scale).convert("L")  # type: ignore[arg-type]
    if picture.has_transparency_data:
        see_through = picture.convert("RGBA")
        picture = Image.new("RGB", see_through.size, "white")
        picture.paste(see_through, mask=see_through.getchannel("A"))
    else:
        picture = picture.convert("RGB")
    # A new picture has the pixels alone, and none of what Pillow remembers of the file.
    clean = Image.new("RGB", picture.size)
    clean.paste(picture)
    return clean, ending
