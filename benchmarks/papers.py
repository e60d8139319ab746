"""What honest papers cost the sandbox: PDFs made by LaTeX and LibreOffice, and scans at 300 dpi, and what bad ones do.

python -m benchmarks.papers          # a few minutes; LaTeX and LibreOffice where they are installed

The limits of ``peerorder.web.papers`` are chosen from this table, which docs/howto/running.md shows.
"""

import io
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from multiprocessing import Pipe, Process
from multiprocessing.connection import Connection
from pathlib import Path

import numpy as np
import pikepdf
from PIL import Image, ImageDraw, ImageFont

WORDS = (
    "the rank of a paper in the order that its graders give it is what counts here and nothing else does " * 9
).split()
A4 = (2480, 3508)


def paragraphs(count: int) -> list[str]:
    rng = np.random.default_rng(7)
    return [" ".join(rng.choice(WORDS, 90)) + "." for _ in range(count)]


# Papers.


def scan(pages: int, *, colour: bool, seed: int = 3) -> bytes:
    """A scan of printed pages: paper that is not quite white, noise of the sensor, JPEG at the quality of scanners."""
    rng = np.random.default_rng(seed)
    font = ImageFont.load_default(44)
    pdf = pikepdf.new()
    for _ in range(pages):
        page = Image.new("L", A4, 240)
        draw = ImageDraw.Draw(page)
        for line in range(52):
            draw.text((240, 260 + 58 * line), " ".join(rng.choice(WORDS, 17)), 40, font)
        shades = np.asarray(page, np.float32) - np.linspace(0, 18, A4[0], dtype=np.float32)
        if colour:
            shades = shades[:, :, None] * np.array([1, 0.98, 0.93], np.float32)
        noise = rng.normal(0, 3, shades.shape).astype(np.float32)
        picture = Image.fromarray(np.clip(shades + noise, 0, 255).astype(np.uint8))
        out = io.BytesIO()
        picture.save(out, "JPEG", quality=60, dpi=(300, 300))
        add_picture(pdf, out.getvalue(), colour=colour)
    return saved(pdf)


def add_picture(pdf: pikepdf.Pdf, jpeg: bytes, *, colour: bool) -> None:
    page = pdf.add_blank_page(page_size=(595, 842))
    picture = pdf.make_stream(b"", Width=A4[0], Height=A4[1], BitsPerComponent=8)
    picture.Type, picture.Subtype = pikepdf.Name.XObject, pikepdf.Name.Image
    picture.ColorSpace = pikepdf.Name.DeviceRGB if colour else pikepdf.Name.DeviceGray
    picture.write(jpeg, filter=pikepdf.Name.DCTDecode)
    page.Resources = pikepdf.Dictionary(XObject=pikepdf.Dictionary(P=picture))
    page.Contents = pdf.make_stream(b"q 595 0 0 842 0 0 cm /P Do Q")


def saved(pdf: pikepdf.Pdf) -> bytes:
    out = io.BytesIO()
    pdf.save(out)
    return out.getvalue()


def latex(pages: int, folder: Path) -> bytes:
    """An article with formulas and plots of thousands of points."""
    body = "\n\n".join(
        text + r" $\sum_{i=1}^n \frac{x_i^2}{1+\sqrt{i}} \le \int_0^1 f(t)\,dt$."
        + (r"\begin{center}\setlength{\unitlength}{8pt}\begin{picture}(15,3)\multiput(0,0)(0.05,0.01){300}"
           r"{\circle*{0.1}}\end{picture}\end{center}" if number % 6 == 0 else "")
        for number, text in enumerate(paragraphs(6 * pages))
    )  # fmt: skip
    source = rf"\documentclass[11pt,a4paper]{{article}}\begin{{document}}{body}\end{{document}}"
    (folder / "paper.tex").write_text(source)
    subprocess.run(
        ["pdflatex", "-interaction=batchmode", "paper.tex"], cwd=folder, check=True, stdout=subprocess.DEVNULL
    )
    return (folder / "paper.pdf").read_bytes()


def office(pages: int, folder: Path) -> bytes:
    """A text with a table and a photograph here and there."""
    rng = np.random.default_rng(5)
    small = rng.integers(0, 255, (40, 60, 3), np.uint8)
    Image.fromarray(small).resize((1800, 1200), Image.Resampling.BICUBIC).save(folder / "photo.jpg", quality=88)
    parts = []
    for number, text in enumerate(paragraphs(6 * pages)):
        parts.append(f"<p>{text}</p>")
        if number % 12 == 0:
            parts.append('<p><img src="photo.jpg" width="500" height="333"></p>')
        if number % 18 == 0:
            rows = "".join(f"<tr><td>{n}</td><td>{n * n}</td><td>{n**0.5:.3f}</td></tr>" for n in range(12))
            parts.append(f'<table border="1">{rows}</table>')
    (folder / "paper.html").write_text(f"<html><body>{''.join(parts)}</body></html>")
    subprocess.run(
        ["soffice", f"-env:UserInstallation=file://{folder}/profile", "--headless", "--writer",
         "--convert-to", "pdf:writer_web_pdf_Export", "paper.html"],
        cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=300,
    )  # fmt: skip
    return (folder / "paper.pdf").read_bytes()


def luminosity(groups: int = 60) -> bytes:
    """One kilobyte: groups as large as the page, one above the other, in a blend mode that is costly."""
    pdf = pikepdf.new()
    page = pdf.add_blank_page(page_size=(1600, 5000))
    form = pdf.make_stream(b"0.5 0.2 0.1 rg 0 0 1600 5000 re f")
    form.Type, form.Subtype = pikepdf.Name.XObject, pikepdf.Name.Form
    form.BBox = pikepdf.Array([0, 0, 1600, 5000])
    form.Group = pikepdf.Dictionary(S=pikepdf.Name.Transparency, I=True)
    mode = pikepdf.Dictionary(BM=pikepdf.Name.Luminosity, ca=0.5)
    page.Resources = pikepdf.Dictionary(XObject=pikepdf.Dictionary(X=form), ExtGState=pikepdf.Dictionary(G=mode))
    page.Contents = pdf.make_stream(b"/G gs " + b"/X Do " * groups)
    return saved(pdf)


def noise(pages: int) -> bytes:
    """Pages of nothing but noise."""
    rng = np.random.default_rng(1)
    pdf = pikepdf.new()
    for _ in range(pages):
        out = io.BytesIO()
        Image.fromarray(rng.integers(0, 255, (A4[1], A4[0]), np.uint8)).save(out, "JPEG", quality=8)
        add_picture(pdf, out.getvalue(), colour=False)
    return saved(pdf)


# Measuring.


def measure(content: bytes, pipe: Connection) -> None:
    """In a process of its own: check and draw a PDF, as the sandbox does, and tell what it took."""
    from peerorder.web.papers.tasks import pdf

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "sent").write_bytes(content)
        begin = time.process_time()
        pages = pdf.clean_pdf(folder / "sent", folder)["pages"]
        checked = time.process_time() - begin
        seconds, real = [], pdf.draw_page

        def timed(page):  # type: ignore[no-untyped-def]
            begin = time.process_time()
            done = real(page)
            seconds.append(time.process_time() - begin)
            return done

        pdf.draw_page = timed
        begin = time.process_time()
        pdf.draw_pages(folder / "clean.pdf", folder)
        drawn = time.process_time() - begin
        pictures = sum(path.stat().st_size for path in folder.glob("*.webp"))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    pipe.send((pages, checked, drawn, max(seconds), pictures, peak))


def papers() -> Iterator[tuple[str, bytes]]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if shutil.which("pdflatex"):
            yield "LaTeX, 30 pages", latex(30, folder)
        if shutil.which("soffice"):
            yield "LibreOffice, 30 pages", office(30, folder)
    for pages in (20, 60):
        for colour in (False, True):
            yield f"scan, {pages} pages {'in colour' if colour else 'in grey'}", scan(pages, colour=colour)
    yield "60 groups in Luminosity", luminosity()
    yield "noise, 20 pages", noise(20)


def main() -> None:
    print("| paper | pages | MB | check, CPU s | draw, CPU s | slowest page, CPU s | pictures, MB | memory, MB |")
    print("|---|---|---|---|---|---|---|---|")
    for title, content in papers():
        here, there = Pipe()
        process = Process(target=measure, args=(content, there))
        process.start()
        there.close()
        size = f"{len(content) / 2**20:.1f}" if len(content) > 2**16 else f"{len(content) / 2**20:.3f}"
        try:
            pages, checked, drawn, slowest, pictures, peak = here.recv()
            row = (
                f"{pages} | {size} | {checked:.1f} | {drawn:.1f} | {slowest:.2f} | {pictures / 2**20:.1f} | {peak:.0f}"
            )
        except EOFError:
            row = (
                f"- | {size} | stopped by a limit (signal {-(process.join() or process.exitcode or 0)}) | - | - | - | -"
            )
        process.join()
        print(f"| {title} | {row} |")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
