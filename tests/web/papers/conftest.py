"""Files as people send them, made on the spot."""

import io

import pikepdf
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from PIL import Image

from peerorder.web.assignments.models import Stage
from peerorder.web.jobs.models import Job
from peerorder.web.papers import services
from peerorder.web.papers.submissions import check_text
from peerorder.web.ranking.models import Handout, Slot
from tests.web.factories import run_job


def make_pdf(words="A paper about trees", pages=1, size=(595, 842), change=None, content=None, **save) -> bytes:
    """A PDF with a line of text on every page; ``change`` may do anything to it."""
    pdf = pikepdf.new()
    font = pdf.make_indirect(
        pikepdf.Dictionary(Type=pikepdf.Name.Font, Subtype=pikepdf.Name.Type1, BaseFont=pikepdf.Name.Helvetica)
    )
    for number in range(1, pages + 1):
        page = pdf.add_blank_page(page_size=size)
        page.Resources = pikepdf.Dictionary(Font=pikepdf.Dictionary(F1=font))
        shown = content or f"BT /F1 24 Tf 60 700 Td ({words} {number}) Tj ET".encode()
        page.Contents = pdf.make_stream(shown)
    if change is not None:
        change(pdf)
    out = io.BytesIO()
    pdf.save(out, **save)
    return out.getvalue()


def forever(pdf):
    """Forms within forms, each drawn ten times: a hundred million squares from a few lines."""
    inner = b"0 0 1 1 re f " * 10
    form = None
    for _ in range(8):
        stream = pdf.make_stream(inner if form is None else b"/X Do " * 10)
        stream.Type, stream.Subtype = pikepdf.Name.XObject, pikepdf.Name.Form
        stream.BBox = pikepdf.Array([0, 0, 600, 800])
        if form is not None:
            stream.Resources = pikepdf.Dictionary(XObject=pikepdf.Dictionary(X=form))
        form = stream
    pdf.pages[0].Resources.XObject = pikepdf.Dictionary(X=form)
    pdf.pages[0].Contents = pdf.make_stream(b"/X Do " * 10)


def make_image(kind="JPEG", size=(800, 600), mode="RGB", color="steelblue", **save) -> bytes:
    out = io.BytesIO()
    Image.new(mode, size, color).save(out, kind, **save)
    return out.getvalue()


def upload(content: bytes, name="essay.pdf", declared="application/pdf") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, content, declared)


def address(assignment, rest="hand-in/") -> str:
    return f"/assignments/{assignment.pk}/{rest}"


def send(client, assignment, how, value):
    """Hand in by the form."""
    return client.post(address(assignment), {"how": how, how: value})


def work() -> None:
    """Do all jobs that wait, as a worker would."""
    for job in Job.objects.filter(state=Job.State.WAITING):
        run_job(job.pk)


def take(assignment, member, text="My answer, which is long enough.", **options):
    """A text handed in without the pages."""
    return services.hand_in(assignment, member, check_text(text), **options)


@pytest.fixture(autouse=True)
def media(settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path / "uploads"
    return settings.MEDIA_ROOT


@pytest.fixture
def files(media):
    """All files that are kept."""
    return lambda: sorted(path for path in media.rglob("*") if path.is_file())


@pytest.fixture
def round_of_three(assignment, students):
    """Three papers are being ranked: by token, what the first student has to read."""
    for student in students[:4]:
        take(assignment, student, f"The work number {student.pk} of this round.")
    assignment.stage = Stage.RANKING
    assignment.save()
    handout = Handout.objects.create(assignment=assignment, why="first", ready_at=assignment.created_at)
    for grader in students[:4]:
        papers = [a.paper for a in assignment.authorships.order_by("pk") if a.member_id != grader.pk]
        for position, paper in enumerate(papers):
            Slot.written.create(assignment=assignment, handout=handout, grader=grader, paper=paper, position=position)
    return assignment
