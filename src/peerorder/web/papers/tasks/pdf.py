"""PDFs: written anew with nothing but what is to be seen, and drawn page by page."""

import io
import signal
import time
from collections.abc import Iterable, Iterator
from math import sqrt
from pathlib import Path
from typing import Any

import pikepdf
import pypdfium2  # type: ignore[import-untyped]
from PIL import Image

from peerorder.web.sandbox.problems import Problem

MOST_PAGES = 200
# 200 inches, the largest page of the standard.
LONGEST_SIDE = 14_400
NARROWEST = 1 / 20
WIDEST = 1600
MOST_PIXELS = 5_000_000
# A page of text has few colours, and more than this share of it is bare paper. Packed without loss it has a twentieth
# of a byte for each pixel; where there are more than these, it is no text.
PAPER, MOST_LOSSLESS = 1 / 3, 1 / 8
# In docs/howto/running.md stands what honest papers take. Of all pictures together, and of CPU for one page.
MOST_BYTES = 50 * 2**20
PAGE_SECONDS = 2.0
MOST_LETTERS = 20_000
SECONDS_FOR_WORDS = 2

# What makes a page look as it does; all else goes.
OF_A_PAGE = {"/Type", "/Parent", "/MediaBox", "/CropBox", "/Rotate", "/UserUnit", "/Resources", "/Contents", "/Group"}
# What may hang on any part of a file and says who made it, or does something.
NEVER = (
    *("/Metadata", "/PieceInfo", "/LastModified", "/ModDate", "/CreationDate", "/Author", "/Creator", "/Producer"),
    *("/CreatorInfo", "/AF", "/EF", "/AA", "/JS", "/OpenAction", "/Thumb", "/OPI", "/StructParent", "/StructParents"),
)


def clean_pdf(source: Path, folder: Path) -> dict[str, Any]:
    """Write ``clean.pdf``; gives the number of pages and the words on them."""
    try:
        with pikepdf.open(source, suppress_warnings=True) as old, pikepdf.new() as new:
            _check(old)
            # Form entries and annotations become part of the pages.
            if "/AcroForm" in old.Root:
                old.generate_appearance_streams()
            old.flatten_annotations("screen")
            new.pages.extend(old.pages)
            if "/OCProperties" in old.Root:
                # Without it, layers that are switched off would be seen.
                new.Root.OCProperties = new.copy_foreign(_indirect(old, old.Root.OCProperties))
            for page in new.pages:
                for key in set(page.obj.keys()) - OF_A_PAGE:
                    del page.obj[key]
            for thing in new.objects:
                _strip(thing)
            new.save(folder / "clean.pdf", deterministic_id=True, object_stream_mode=pikepdf.ObjectStreamMode.generate)
            count = len(new.pages)
    except pikepdf.PasswordError:
        raise Problem("encrypted") from None
    except (pikepdf.PdfError, ValueError, TypeError, KeyError, IndexError, AttributeError, ArithmeticError):
        raise Problem("pdf-broken") from None
    return {"pages": count, "words": " ".join(_words(folder / "clean.pdf"))}


def _indirect(pdf: pikepdf.Pdf, thing: pikepdf.Object) -> pikepdf.Object:
    return thing if thing.is_indirect else pdf.make_indirect(thing)


def _check(pdf: pikepdf.Pdf) -> None:
    if not len(pdf.pages):
        raise Problem("no-pages")
    if len(pdf.pages) > MOST_PAGES:
        raise Problem("many-pages")
    for page in pdf.pages:
        x, y, right, top = (float(side) for side in page.mediabox)
        width, height = abs(right - x), abs(top - y)
        if max(width, height) > LONGEST_SIDE or min(width, height) < NARROWEST * max(width, height, 1):
            raise Problem("page-size")


def _strip(thing: pikepdf.Object, depth: int = 0) -> None:
    """Take away from a part of the file, and from what is written within it, what never stays."""
    if depth > 50:
        raise Problem("pdf-broken")
    if not isinstance(thing, (pikepdf.Array, pikepdf.Dictionary, pikepdf.Stream)):
        return
    if isinstance(thing, pikepdf.Array):
        _strip_all(thing.as_list(), depth)
        return
    for key in NEVER:
        if key in thing:
            del thing[key]
    if thing.get("/Type") == pikepdf.Name.OCG:
        thing.Name = pikepdf.String("Layer")
    if isinstance(thing, pikepdf.Stream) and thing.get("/Filter") in (pikepdf.Name.DCTDecode, [pikepdf.Name.DCTDecode]):
        # Photographs keep where they were taken, inside a PDF too.
        thing.write(without_notes(thing.read_raw_bytes()), filter=pikepdf.Name.DCTDecode)
    inner = thing.stream_dict if isinstance(thing, pikepdf.Stream) else thing
    _strip_all(inner.as_dict().values(), depth)


def _strip_all(children: Iterable[Any], depth: int) -> None:
    """Strip those that are written within; the others come in their turn. Numbers come as Python's own."""
    for child in children:
        if not getattr(child, "is_indirect", True):
            _strip(child, depth + 1)


def without_notes(jpeg: bytes) -> bytes:
    """Return a JPEG without Exif, XMP, comments and the like: its segments APP1 to APP13, APP15 and COM."""
    if jpeg[:2] != b"\xff\xd8":
        return jpeg
    kept, start = [b"\xff\xd8"], 2
    while start + 4 <= len(jpeg) and jpeg[start] == 0xFF:
        marker = jpeg[start + 1]
        if marker == 0xDA:
            break
        end = start + 2 + int.from_bytes(jpeg[start + 2 : start + 4], "big")
        if not (0xE1 <= marker <= 0xED or marker in (0xEF, 0xFE)):
            kept.append(jpeg[start:end])
        start = end
    return b"".join((*kept, jpeg[start:]))


def _words(path: Path) -> Iterator[str]:
    """Yield what can be read on the pages, as far as that is quick."""
    until = time.monotonic() + SECONDS_FOR_WORDS
    try:
        with pypdfium2.PdfDocument(path) as pdf:
            for page in pdf:
                yield page.get_textpage().get_text_bounded()[:MOST_LETTERS]
                if time.monotonic() > until:
                    return
    except pypdfium2.PdfiumError:
        # Whether it can be shown is found out when its pages are drawn.
        return


def draw_pages(source: Path, folder: Path) -> dict[str, Any]:
    """Write ``1.webp``, ``2.webp`` and so on; gives the size of each and what stands on it."""
    pages, left = [], MOST_BYTES
    try:
        with pypdfium2.PdfDocument(source) as pdf:
            if not 1 <= len(pdf) <= MOST_PAGES:
                raise Problem("many-pages")
            for number, page in enumerate(pdf, 1):
                # Drawing cannot be interrupted, but the process can be ended.
                signal.setitimer(signal.ITIMER_PROF, PAGE_SECONDS)
                picture, content, words = draw_page(page)
                left -= len(content)
                if left < 0:
                    raise Problem("pages-large")
                (folder / f"{number}.webp").write_bytes(content)
                pages.append({"width": picture.width, "height": picture.height, "text": words})
    except (pypdfium2.PdfiumError, ZeroDivisionError, ValueError):
        raise Problem("pdf-broken") from None
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    return {"pages": pages}


def draw_page(page: Any) -> tuple[Image.Image, bytes, str]:
    """Return a page as a picture, the bytes of it, and what stands on it."""
    width, height = page.get_size()
    # A little less: sizes are rounded up.
    scale = 0.9995 * min(WIDEST / width, sqrt(MOST_PIXELS / (width * height)), 6)
    picture = page.render(scale=scale, may_draw_forms=False).to_pil().convert("RGB")
    words = page.get_textpage().get_text_bounded()[:MOST_LETTERS]
    page.close()
    # Databases take no zeros and no halves of letters.
    return picture, _compress(picture), words.replace("\0", "").encode("utf-8", "ignore").decode()


def _compress(picture: Image.Image) -> bytes:
    """Return a page as small as it gets. Text is smallest without loss; photographs would be enormous, and slow."""
    pixels = picture.width * picture.height
    colours = picture.getcolors(256)
    if colours is not None and max(count for count, _colour in colours) > PAPER * pixels:
        lossless = _webp(picture, lossless=True, quality=40, method=3)
        if len(lossless) <= MOST_LOSSLESS * pixels:
            return lossless
    return _webp(picture, quality=80, method=1)


def _webp(picture: Image.Image, **options: Any) -> bytes:
    out = io.BytesIO()
    picture.save(out, "WEBP", **options)
    return out.getvalue()
