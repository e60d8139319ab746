"""Files that people send by mistake or in bad faith, and what is left of good ones."""

import io
import zipfile
import zlib

import pikepdf
import pytest
from PIL import Image

from peerorder.web.papers import submissions
from peerorder.web.papers.background import DRAW
from peerorder.web.papers.models import Version
from peerorder.web.papers.submissions import Rejected, check_file
from peerorder.web.papers.tasks.pdf import without_notes
from peerorder.web.sandbox.runner import Limits, run_sandboxed
from tests.web.papers.conftest import address, forever, make_image, make_pdf, send, upload

pytestmark = pytest.mark.usefixtures("real_sandbox")

SECRET = "Bo Bobson of Room 12"


def zipped() -> bytes:
    """A small archive that unpacks to much."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", bytes(20_000_000))
    return out.getvalue()


def png_that_says(width: int, height: int) -> bytes:
    """A small PNG whose header speaks of an enormous picture."""

    def chunk(name: bytes, data: bytes) -> bytes:
        return len(data).to_bytes(4, "big") + name + data + zlib.crc32(name + data).to_bytes(4, "big")

    header = width.to_bytes(4, "big") + height.to_bytes(4, "big") + bytes((8, 2, 0, 0, 0))
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(bytes(1000))) + chunk(b"IEND", b"")
    )


def sized(width, height):
    def change(pdf):
        pdf.pages[0].MediaBox = pikepdf.Array([0, 0, width, height])

    return change


SVG = b'<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
HTML = b"<!DOCTYPE html><script>alert(1)</script>"
BAD = {
    "empty": (lambda: b"", "is empty"),
    "svg": (lambda: SVG, "SVG"),
    "svg without a header": (lambda: SVG[21:], "SVG"),
    "html": (lambda: HTML, "web page"),
    "html that says it is a GIF": (lambda: b"GIF89a=1;" + HTML, "GIF"),
    "zip": (zipped, "ZIP archive"),
    "old word": (lambda: b"\xd0\xcf\x11\xe0" + bytes(600), "old Word"),
    "heic": (lambda: b"\0\0\0\x18ftypheic" + bytes(600), "HEIC"),
    "noise": (lambda: bytes(range(256)) * 9, "not a PDF or an image"),
    "program": (lambda: b"\x7fELF" + bytes(600), "not a PDF or an image"),
    "html before a PDF": (lambda: HTML + make_pdf(), "web page"),
    "words that end as a PDF": (lambda: b"x" * 500 + make_pdf(), "not a PDF"),
    "a PDF in name only": (lambda: b"%PDF-1.7\n" + HTML, "broken"),
    "half a PDF": (lambda: make_pdf()[:60], "broken"),
    "no pages": (lambda: make_pdf(pages=0), "no pages"),
    "2,000 pages": (lambda: make_pdf(pages=2000), "more than 200 pages"),
    "an enormous page": (lambda: make_pdf(change=sized(200_000, 200_000)), "larger than 5 metres"),
    "a strip": (lambda: make_pdf(change=sized(1, 14_000)), "too narrow"),
    "locked": (lambda: make_pdf(encryption=pikepdf.Encryption(owner="o", user="u")), "locked by a password"),
    "half an image": (lambda: make_image("PNG", color="red", size=(900, 900))[:300], "broken"),
    "an image in name only": (lambda: b"\xff\xd8\xff\xe0" + HTML, "broken"),
    "1 x 1": (lambda: make_image("PNG", (1, 1)), "nobody could read it"),
    "30,000 wide": (lambda: make_image("PNG", (30_000, 40), "1", 1), "too large"),
    "30,000 x 30,000": (lambda: png_that_says(30_000, 30_000), "too large"),
    "a billion x a billion": (lambda: png_that_says(2**30, 2**30), "too large"),
    "9,000 x 9,000 of one colour": (lambda: make_image("PNG", (9000, 9000), "1", 1), "too large"),
}


@pytest.mark.parametrize("what", BAD)
def test_a_bad_file_is_refused_with_the_reason(assignment, what, files):
    make, reason = BAD[what]
    with pytest.raises(Rejected, match=reason):
        check_file(upload(make()), assignment)
    assert not files()


def test_the_page_says_it(enter, assignment, students):
    answer = send(enter(students[0]), assignment, "file", upload(SVG, "nice.png", "image/png"))
    assert answer.status_code == 422
    assert "SVG drawing" in answer.content.decode()
    assert not Version.objects.exists()


def test_a_file_that_is_too_large(enter, assignment, students, settings, files):
    settings.LARGEST_UPLOAD = 100_000
    answer = enter(students[0]).post(
        address(assignment), {"how": "file", "text": "kept words", "file": upload(make_pdf() + bytes(100_000))}
    )
    assert answer.status_code == 422
    assert "too large: at most 97.7" in answer.content.decode()
    assert "kept words</textarea>" in answer.content.decode()
    assert not files()


def test_the_name_and_the_declared_type_say_nothing(assignment):
    assert check_file(upload(make_pdf(), "x.html", "text/html"), assignment).kind == "pdf"
    assert check_file(upload(make_image("PNG"), "x.pdf", "application/pdf"), assignment).kind == "image"


def test_a_file_that_unpacks_to_much_more_than_there_is_room_for_is_stopped(assignment, media, tmp_path, monkeypatch):
    monkeypatch.setattr("peerorder.web.papers.submissions.FILE_MEMORY", 400 * 2**20)
    bomb = zlib.compress(zlib.compress(b"0 0 1 1 re f " * 20_000_000, 1), 9)
    assert len(bomb) < 100_000

    def change(pdf):
        stream = pdf.make_stream(b"")
        stream.write(bomb, filter=pikepdf.Array([pikepdf.Name.FlateDecode] * 2))
        pdf.pages[0].Contents = stream

    with pytest.raises(Rejected, match="too much memory"):
        check_file(upload(make_pdf(change=change)), assignment)


def test_a_pdf_that_takes_forever_is_refused(assignment, monkeypatch, files):
    monkeypatch.setitem(submissions.FILE_SECONDS, "pdf", 2)
    with pytest.raises(Rejected, match="takes too long"):
        check_file(upload(make_pdf(change=forever)), assignment)
    assert not files()


# What is left of a PDF.


def signed(pdf):
    """Write who it was wherever a PDF can hold it."""
    pdf.docinfo["/Author"] = SECRET
    with pdf.open_metadata() as metadata:
        metadata["dc:creator"] = [SECRET]
    pdf.attachments["notes.txt"] = SECRET.encode()
    script = pikepdf.Dictionary(S=pikepdf.Name.JavaScript, JS=pikepdf.String(f"app.alert('{SECRET}')"))
    pdf.Root.OpenAction = script
    pdf.Root.AA = pikepdf.Dictionary(WC=script)
    pdf.Root.Names.JavaScript = pikepdf.Dictionary(Names=pikepdf.Array([pikepdf.String("x"), script]))
    pdf.Root.Lang = pikepdf.String(SECRET)
    pdf.Root.AcroForm = pikepdf.Dictionary(Fields=pikepdf.Array())
    with pdf.open_outline() as outline:
        outline.root.append(pikepdf.OutlineItem(SECRET, 0))
    page = pdf.pages[0]
    note = pikepdf.Dictionary(
        Type=pikepdf.Name.Annot,
        Subtype=pikepdf.Name.Text,
        Rect=pikepdf.Array([10, 10, 30, 30]),
        T=pikepdf.String(SECRET),
        Contents=pikepdf.String(SECRET),
        A=script,
    )
    page.Annots = pikepdf.Array([pdf.make_indirect(note)])
    page.AA = pikepdf.Dictionary(O=script)
    page.PieceInfo = pikepdf.Dictionary(X=pikepdf.Dictionary(Private=pikepdf.String(SECRET)))
    page.Thumb = pdf.make_stream(SECRET.encode())
    page.Metadata = pdf.make_stream(SECRET.encode())
    page.LastModified = pikepdf.String(SECRET)
    photo = io.BytesIO()
    exif = Image.Exif()
    exif[0x013B] = SECRET
    Image.new("RGB", (60, 60), "green").save(photo, "JPEG", exif=exif, comment=SECRET.encode())
    picture = pdf.make_stream(b"", Width=60, Height=60, BitsPerComponent=8)
    picture.Type, picture.Subtype, picture.ColorSpace = pikepdf.Name.XObject, pikepdf.Name.Image, pikepdf.Name.DeviceRGB
    picture.write(photo.getvalue(), filter=pikepdf.Name.DCTDecode)
    picture.Metadata = pdf.make_stream(SECRET.encode())
    page.Resources.XObject = pikepdf.Dictionary(P=picture)
    page.Contents = pdf.make_stream(b"q 200 0 0 200 100 100 cm /P Do Q BT /F1 24 Tf 60 700 Td (My words) Tj ET")


def everything_in(content: bytes) -> bytes:
    """A PDF with nothing packed."""
    out = io.BytesIO()
    with pikepdf.open(io.BytesIO(content)) as pdf:
        modes = {"object_stream_mode": pikepdf.ObjectStreamMode.disable, "compress_streams": False}
        pdf.save(out, stream_decode_level=pikepdf.StreamDecodeLevel.generalized, **modes)
    return out.getvalue()


def test_nothing_hidden_is_left_in_a_pdf(assignment, media, tmp_path):
    content = make_pdf(change=signed)
    everything = everything_in(content)
    assert everything.count(SECRET.encode()) >= 10
    sent = check_file(upload(content), assignment)
    clean = everything_in((media / sent.file).read_bytes())
    assert SECRET.encode() not in clean
    assert SECRET.encode("utf-16-be") not in clean
    for word in (
        b"/JavaScript",
        b"/JS",
        b"/OpenAction",
        b"/AA",
        b"/EmbeddedFile",
        b"/Metadata",
        b"/Info",
        b"/Outlines",
    ):
        assert word not in clean
    assert b"/Annots" not in clean
    # What is to be seen is there.
    assert "My words" in sent.words
    done = run_sandboxed(DRAW, media / sent.file, tmp_path, Limits(20))
    assert done["pages"][0]["width"] == 1600
    with Image.open(tmp_path / "1.webp") as page:
        red, green, blue = page.convert("RGB").getpixel((400, page.height - 500))
    assert green > 100
    assert red < 60
    assert blue < 60


def test_what_is_drawn_on_a_page_stays(assignment, media, tmp_path):
    def change(pdf):
        stamp = pdf.make_stream(b"1 0 0 rg 0 0 200 200 re f", BBox=pikepdf.Array([0, 0, 200, 200]))
        stamp.Type, stamp.Subtype = pikepdf.Name.XObject, pikepdf.Name.Form
        note = pikepdf.Dictionary(
            Type=pikepdf.Name.Annot,
            Subtype=pikepdf.Name.Ink,
            Rect=pikepdf.Array([100, 100, 300, 300]),
            F=4,
            T=pikepdf.String(SECRET),
            AP=pikepdf.Dictionary(N=stamp),
        )
        pdf.pages[0].Annots = pikepdf.Array([pdf.make_indirect(note)])

    sent = check_file(upload(make_pdf(change=change)), assignment)
    assert SECRET.encode() not in everything_in((media / sent.file).read_bytes())
    run_sandboxed(DRAW, media / sent.file, tmp_path, Limits(20))
    with Image.open(tmp_path / "1.webp") as page:
        red, green, _blue = page.convert("RGB").getpixel((540, page.height - 540))
    assert red > 200 > 100 > green


def test_a_pdf_that_needs_no_password_to_be_read_is_taken(assignment, media):
    content = make_pdf(encryption=pikepdf.Encryption(owner="o", user=""))
    sent = check_file(upload(content), assignment)
    with pikepdf.open(media / sent.file) as pdf:
        assert not pdf.is_encrypted


def test_notes_of_a_photograph_are_cut_out_and_the_picture_stays():
    exif = Image.Exif()
    exif[0x013B] = SECRET
    photo = make_image(size=(64, 64), exif=exif, comment=b"by Bo", quality=95)
    clean = without_notes(photo)
    assert SECRET.encode() in photo
    assert SECRET.encode() not in clean
    assert b"by Bo" not in clean
    with Image.open(io.BytesIO(photo)) as before, Image.open(io.BytesIO(clean)) as after:
        assert (
            list(before.getdata()) == list(after.getdata())
            if not hasattr(before, "get_flattened_data")
            else (before.get_flattened_data() == after.get_flattened_data())
        )
    assert without_notes(b"no photograph") == b"no photograph"


# What is left of an image.


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP"])
def test_nothing_hidden_is_left_in_an_image(assignment, media, kind):
    exif = Image.Exif()
    exif[0x013B] = SECRET
    exif.get_ifd(0x8825)[1] = "N"
    exif.get_ifd(0x8825)[2] = (37.0, 58.0, 1.0)
    content = make_image(kind, exif=exif)
    assert SECRET.encode() in content
    # And something behind the end of the picture.
    sent = check_file(upload(content + HTML + SECRET.encode()), assignment)
    for name in (sent.file, sent.page):
        clean = (media / name).read_bytes()
        assert SECRET.encode() not in clean
        assert b"<script" not in clean
        with Image.open(io.BytesIO(clean)) as image:
            assert not image.getexif()
            assert image.size == (800, 600)


def test_a_photograph_is_turned_upright(assignment):
    exif = Image.Exif()
    exif[0x0112] = 6
    sent = check_file(upload(make_image(size=(800, 600), exif=exif)), assignment)
    assert (sent.width, sent.height) == (600, 800)


def test_a_large_photograph_is_made_smaller_for_reading(assignment, media):
    sent = check_file(upload(make_image(size=(4000, 3000))), assignment)
    assert (sent.width, sent.height) == (1600, 1200)
    with Image.open(media / sent.file) as whole:
        assert whole.size == (4000, 3000)


@pytest.mark.parametrize(
    ("mode", "color"), [("RGBA", (0, 0, 0, 0)), ("LA", (0, 0)), ("P", 0), ("1", 1), ("I;16", 60_000), ("L", 9)]
)
def test_every_kind_of_pixels_can_be_shown(assignment, media, mode, color):
    sent = check_file(upload(make_image("PNG", (200, 100), mode, color)), assignment)
    with Image.open(media / sent.page) as page:
        seen = page.convert("RGB").getpixel((50, 50))
    if "A" in mode:
        assert min(seen) > 250


def test_a_photograph_for_printers_can_be_shown(assignment):
    assert check_file(upload(make_image(mode="CMYK", color=(0, 0, 0, 0))), assignment).width == 800
