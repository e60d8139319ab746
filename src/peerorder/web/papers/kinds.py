"""What a file is: decided by what is in it, never by its name or by what the browser says."""

import codecs

from django.utils.translation import gettext as _, gettext_lazy

from peerorder.web.papers.models import Kind

BEGINNING = 4096
"""This many bytes are enough to recognise a file."""

# Formats that people send by mistake, with the cure.
OTHERS = (
    (b"PK\x03\x04", gettext_lazy("This is a Word file or a ZIP archive. Save it as a PDF and hand that in.")),
    (b"\xd0\xcf\x11\xe0", gettext_lazy("This is an old Word or Excel file. Save it as a PDF and hand that in.")),
    (b"{\\rtf", gettext_lazy("This is a word processor document. Save it as a PDF and hand that in.")),
    (b"GIF8", gettext_lazy("This is a GIF. Save it as a PNG and hand that in.")),
    (b"II*\x00", gettext_lazy("This is a TIFF. Save it as a PDF or PNG and hand that in.")),
    (b"MM\x00*", gettext_lazy("This is a TIFF. Save it as a PDF or PNG and hand that in.")),
)


def kind_of(beginning: bytes) -> Kind | None:
    """Return PDF or image, or None where it is neither."""
    if beginning.removeprefix(codecs.BOM_UTF8).lstrip()[:5] == b"%PDF-":
        return Kind.PDF
    is_image = (
        beginning[:3] == b"\xff\xd8\xff"
        or beginning[:8] == b"\x89PNG\r\n\x1a\n"
        or (beginning[:4] == b"RIFF" and beginning[8:12] == b"WEBP")
    )
    return Kind.IMAGE if is_image else None


def describe_other_kind(beginning: bytes) -> str:
    """Return what it is instead, as far as that can be told, and what to do."""
    for magic, words in OTHERS:
        if beginning.startswith(magic):
            return str(words)
    if beginning[4:8] == b"ftyp" and beginning[8:12] in (b"heic", b"heix", b"mif1", b"msf1", b"avif", b"heim"):
        return _("This is a photograph in the format HEIC. Send it as a JPEG: your phone can share it as one.")
    start = beginning.lstrip().lower()
    if b"<svg" in start:
        return _("This is an SVG drawing. Save it as a PDF or PNG and hand that in.")
    if start.startswith((b"<!doctype html", b"<html", b"<head", b"<script", b"<?xml")):
        return _("This is a web page. Print it to a PDF and hand that in.")
    return _("This is not a PDF or an image (JPEG, PNG, WebP). Save your document as a PDF and hand that in.")
