"""What one student may take of the site by handing in: drawing, pictures, texts and checks, all with limits."""

import os
import resource
import stat

import pytest
from django.db import IntegrityError, transaction
from PIL import Image

from benchmarks.papers import luminosity, noise
from peerorder.web import markdown
from peerorder.web.assignments.models import Assignment
from peerorder.web.home.erasure import erase_member
from peerorder.web.jobs.models import Job
from peerorder.web.jobs.registry import Progress
from peerorder.web.jobs.services import claim
from peerorder.web.papers import background, services, submissions
from peerorder.web.papers.models import State, Version
from peerorder.web.papers.submissions import Rejected, check_file, check_text, turn_of
from peerorder.web.papers.tasks import pdf
from peerorder.web.sandbox.problems import Problem
from tests.web.papers.conftest import address, make_image, make_pdf, send, take, upload, work

pytestmark = pytest.mark.usefixtures("real_sandbox")

LONG = "A long text, *slanted*. " * 300
BRACKETS = "[" * 100_000


@pytest.fixture
def hand_in(assignment):
    """Hand in a PDF."""

    def handed_in(member, content=None, where=assignment):
        content = content or make_pdf(f"Paper {Version.objects.count()}")
        return services.hand_in(where, member, check_file(upload(content), where))

    return handed_in


@pytest.fixture
def other_assignment(assignment):
    return Assignment.objects.create(
        **{field: getattr(assignment, field) for field in ("course", "stage", "papers_each", "hand_in_by", "rank_by")},
        title="Another",
    )


def cpu_of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


# Drawing.


def test_a_kilobyte_that_is_costly_to_draw_ends_soon_and_its_author_is_told(hand_in, enter, assignment, students):
    content = luminosity()
    assert len(content) < 1100
    version = hand_in(students[0], content)
    before = cpu_of_children()
    work()
    # It would take minutes; one page may take 2 s, and the process has to start.
    assert cpu_of_children() - before < 8
    version.refresh_from_db()
    assert version.state == State.BROKEN
    page = enter(students[0]).get(address(assignment, "my-paper/")).content.decode()
    assert "too long" in version.problem
    assert f'<p class="message error">{version.problem}</p>' in page
    assert f'<a class="button" href="{address(assignment)}">' in page


def test_what_was_replaced_while_it_waited_is_not_drawn(hand_in, students, monkeypatch):
    first, second = hand_in(students[0]), hand_in(students[0])
    drawn = []
    real = background.run_sandboxed
    monkeypatch.setattr(background, "run_sandboxed", lambda *args, **kw: drawn.append(args[1]) or real(*args, **kw))
    work()
    states = dict(Version.objects.values_list("pk", "state"))
    assert states == {first.pk: State.REPLACED, second.pk: State.READY}
    assert [path.name for path in drawn] == [second.file.name.partition("/")[2]]


def test_what_is_replaced_while_it_is_drawn_is_stopped(hand_in, students, monkeypatch):
    first = hand_in(students[0])
    asked = []

    def slow(*_arguments, is_wanted):
        asked.append(is_wanted())
        hand_in(students[0])
        asked.append(is_wanted())
        raise Problem("unwanted")

    monkeypatch.setattr(background, "run_sandboxed", slow)
    job = Job.objects.get(kind="pages")
    background.draw(job, Progress(job))
    assert asked == [True, False]
    first.refresh_from_db()
    assert first.state == State.REPLACED


def test_staff_can_look_at_a_version_that_was_replaced(hand_in, students, instructor, enter, assignment):
    version = hand_in(students[0])
    hand_in(students[0])
    work()
    page = enter(instructor).get(address(assignment, f"papers/{version.paper_id}/versions/{version.pk}/"))
    assert page.status_code == 200
    assert "replaced before" in page.content.decode()


def test_one_drawing_at_a_time_for_each_person(hand_in, students, other_assignment):
    """However many workers there are, and whatever the person hands in."""
    hand_in(students[0])
    hand_in(students[0], where=other_assignment)
    hand_in(students[1])
    one, two = claim("one", "papers"), claim("two", "papers")
    assert one.lane == f"pages {students[0].person_id}"
    assert two.lane == f"pages {students[1].person_id}"
    assert claim("three", "papers") is None
    Job.objects.filter(pk=one.pk).update(state=Job.State.DONE)
    assert claim("three", "papers").lane == one.lane


def test_two_workers_that_claim_at_once_do_not_both_get_one(hand_in, students, other_assignment):
    hand_in(students[0])
    hand_in(students[0], where=other_assignment)
    claim("one", "papers")
    with pytest.raises(IntegrityError), transaction.atomic():
        Job.objects.filter(state=Job.State.WAITING).update(state=Job.State.RUNNING)


def test_drawing_holds_up_no_other_job(hand_in, students):
    hand_in(students[0])
    other = Job.objects.create(kind="letters")
    assert claim("one", "papers").kind == "pages"
    assert claim("one", "default", alone=False) == other


# Bytes.


def test_the_pictures_of_a_pdf_have_a_limit_together(tmp_path, monkeypatch):
    # As the page says; beyond what the sandbox lets out, nobody would be told why.
    assert pdf.MOST_BYTES == 50 * 2**20 < background.OUTPUT
    (tmp_path / "in").write_bytes(make_pdf(pages=3))
    monkeypatch.setattr(pdf, "MOST_BYTES", 10_000)
    with pytest.raises(Problem, match="pages-large"):
        pdf.draw_pages(tmp_path / "in", tmp_path)


def test_a_scan_is_not_kept_without_loss(tmp_path):
    (tmp_path / "in").write_bytes(noise(1))
    (page,) = pdf.draw_pages(tmp_path / "in", tmp_path)["pages"]
    assert (tmp_path / "1.webp").stat().st_size < 0.6 * page["width"] * page["height"]


def test_a_page_has_only_so_many_pixels(hand_in, students):
    version = hand_in(students[0], make_pdf(size=(1600, 5000)))
    work()
    page = version.pages.get()
    assert page.width * page.height <= 5_000_000


def test_a_tall_image_is_made_smaller(assignment, media):
    sent = check_file(upload(make_image("PNG", (1600, 16_000)), "a.png"), assignment)
    assert sent.width * sent.height <= 12_000_000
    with Image.open(media / sent.file) as whole:
        assert whole.size == (1600, 16_000)


# What the sandbox says.


PAGE = {"width": 10, "height": 10, "text": "a"}
DRAWN = [
    None,
    {},
    {"pages": []},
    {"pages": [PAGE] * 201},
    {"pages": [PAGE | {"width": "10"}]},
    {"pages": [PAGE | {"height": 10**9}]},
    {"pages": [PAGE | {"text": "a" * 20_001}]},
    {"pages": [PAGE, PAGE]},
]


@pytest.mark.parametrize("said", DRAWN)
def test_pages_are_not_trusted(hand_in, students, monkeypatch, files, said):
    version = hand_in(students[0])
    before = files()

    def lie(_task, _source, folder, *_arguments, **_options):
        (folder / "1.webp").write_bytes(b"RIFF0000WEBP")
        return said

    monkeypatch.setattr(background, "run_sandboxed", lie)
    work()
    version.refresh_from_db()
    assert version.state == State.BROKEN
    assert files() == before


def test_a_page_that_is_no_picture_is_not_kept(hand_in, students, monkeypatch):
    version = hand_in(students[0])

    def lie(_task, _source, folder, *_arguments, **_options):
        (folder / "1.webp").write_bytes(b"<script>alert(1)</script>")
        return {"pages": [PAGE]}

    monkeypatch.setattr(background, "run_sandboxed", lie)
    work()
    version.refresh_from_db()
    assert version.state == State.BROKEN


CLEANED = [
    ({"clean": "clean.html", "width": 1, "height": 1}, {"clean.html": b"<html>", "page.webp": b"RIFF0000WEBP"}),
    ({"clean": "../../x.jpg", "width": 1, "height": 1}, {"page.webp": b"RIFF0000WEBP"}),
    ({"clean": "clean.jpg", "width": 1, "height": 1}, {"clean.jpg": b"<html>", "page.webp": b"RIFF0000WEBP"}),
    ({"clean": "clean.jpg", "width": 1, "height": 1}, {"clean.jpg": b"\xff\xd8\xff"}),
    ({"clean": "clean.jpg", "width": -1, "height": 1}, {"clean.jpg": b"\xff\xd8\xff", "page.webp": b"RIFF0000WEBP"}),
    ([], {}),
]


@pytest.mark.parametrize(("said", "wrote"), CLEANED)
def test_clean_files_are_not_trusted(assignment, monkeypatch, files, said, wrote):
    def lie(_task, _source, folder, *_arguments):
        for name, content in wrote.items():
            (folder / name).write_bytes(content)
        return said

    monkeypatch.setattr(submissions, "run_sandboxed", lie)
    with pytest.raises(Rejected):
        check_file(upload(make_image(), "a.jpg"), assignment)
    assert not files()


# Texts.


@pytest.fixture
def never_rendered(monkeypatch):
    """From now on no Markdown is rendered in this process."""

    def forbid():
        def never(*_arguments):
            raise AssertionError("a text is rendered for a look at it")

        monkeypatch.setattr(markdown.READER, "parse", never)

    return forbid


def test_a_look_at_a_text_renders_nothing(enter, round_of_three, students, never_rendered):
    never_rendered()
    page = enter(students[0]).get(address(round_of_three, "my-paper/")).content.decode()
    assert f"<p>The work number {students[0].pk} of this round.</p>" in page


def test_a_text_that_is_costly_to_render_is_rendered_once(enter, assignment, students, never_rendered):
    client = enter(students[0])
    assert send(client, assignment, "text", BRACKETS).status_code == 302
    never_rendered()
    for _ in range(3):
        assert "[" * 1000 in client.get(address(assignment, "my-paper/")).content.decode()


def test_a_short_text_with_a_table_is_rendered_in_the_sandbox(never_rendered):
    """4,000 characters of a table are 65,000 cells."""
    never_rendered()
    columns = 200
    text = "|a" * columns + "\n" + "|-" * columns + "\n" + "|\n" * 1500
    assert len(text) < 4000
    assert check_text(text).html.count("<td>") > 60_000


def test_html_has_a_limit(monkeypatch):
    monkeypatch.setattr(submissions, "run_sandboxed", lambda *_arguments: "x" * (submissions.MOST_HTML + 1))
    with pytest.raises(Rejected):
        check_text(LONG)


@pytest.fixture
def from_before(assignment, students):
    """A long text, as an older version has left it."""
    version = take(assignment, students[0], LONG)
    Version.objects.filter(pk=version.pk).update(html="<script>by old rules</script>", rules=markdown.RULES - 1)
    return version


def test_html_by_other_rules_is_not_shown_and_made_anew(enter, assignment, students, from_before, monkeypatch):
    client = enter(students[0])
    page = client.get(address(assignment, "my-paper/")).content.decode()
    assert "by old rules" not in page
    assert "being prepared" in page
    monkeypatch.setattr(background.time, "time", lambda: 60.0)
    for _ in range(2):
        background.render_outdated()
    work()
    page = client.get(address(assignment, "my-paper/")).content.decode()
    assert "<em>slanted</em>" in page
    background.render_outdated()
    assert not Job.objects.filter(kind="texts", finished_at=None).exists()


def test_a_short_text_from_before_is_shown_at_once(enter, assignment, students):
    take(assignment, students[0], "Short, *slanted*.")
    Version.objects.update(html="", rules=0)
    assert "<em>slanted</em>" in enter(students[0]).get(address(assignment, "my-paper/")).content.decode()


def test_a_text_that_was_taken_and_cannot_be_rendered_any_more_is_shown_as_it_is(from_before, monkeypatch):
    def cannot(*_arguments):
        raise Problem("too-much")

    monkeypatch.setattr(submissions, "run_sandboxed", cannot)
    Version.objects.update(text=LONG + "<b>")
    job = Job.objects.create(kind="texts")
    background.render(job, Progress(job))
    version = Version.objects.get()
    assert version.rules == markdown.RULES
    assert "*slanted*" in version.html
    assert "<b>" not in version.html


def test_the_html_of_an_erased_person_is_gone_and_stays_gone(
    assignment, students, instructor, from_before, monkeypatch
):
    real = background.as_safe_html

    def erased_meanwhile(text):
        if text:
            erase_member(students[0], instructor.person)
        return real(text)

    monkeypatch.setattr(background, "as_safe_html", erased_meanwhile)
    job = Job.objects.create(kind="texts")
    background.render(job, Progress(job))
    version = Version.objects.get()
    assert (version.text, version.html) == ("", "")


def test_texts_of_staff_are_rendered_once_for_all(enter, assignment, students, never_rendered):
    Assignment.objects.update(task="Write *something* about trees.")
    client = enter(students[0])
    assert "<em>something</em>" in client.get(address(assignment)).content.decode()
    never_rendered()
    assert "<em>something</em>" in client.get(address(assignment)).content.decode()


# Checks.


def test_one_check_at_a_time_for_each_person(enter, assignment, students):
    image = make_image()
    with turn_of(students[0].person_id):
        answer = send(enter(students[0]), assignment, "file", upload(image, "a.jpg"))
        assert answer.status_code == 422
        assert "still being checked" in answer.content.decode()
        answer = enter(students[0]).post(address(assignment, "hand-in/preview/"), {"text": LONG})
        assert "still being checked" in answer.content.decode()
        assert send(enter(students[1]), assignment, "file", upload(image, "a.jpg")).status_code == 302
    assert send(enter(students[0]), assignment, "file", upload(image, "a.jpg")).status_code == 302


def test_when_too_many_are_checked_one_is_told_to_wait(enter, assignment, students, monkeypatch, files):
    def busy(*_arguments):
        raise Problem("busy")

    monkeypatch.setattr(submissions, "run_sandboxed", busy)
    answer = send(enter(students[0]), assignment, "file", upload(make_image(), "a.jpg"))
    assert answer.status_code == 422
    assert answer.context["form"].errors.keys() == {"file"}
    assert "busy" in answer.context["form"].errors["file"][0]
    assert not files()


# The disk.


def test_a_file_and_its_folders_are_on_the_disk_before_it_counts(assignment, media, monkeypatch):
    synced = []
    real = os.fsync

    def recorded(number):
        found = os.fstat(number)
        synced.append((found.st_ino, stat.S_ISDIR(found.st_mode)))
        real(number)

    monkeypatch.setattr(os, "fsync", recorded)
    sent = check_file(upload(make_image(), "a.jpg"), assignment)
    for name in (sent.file, sent.page, sent.original):
        path = media / name
        file, folder, root = (each.stat().st_ino for each in (path, path.parent, media))
        assert (file, False) in synced
        # Another file may be in the same folder.
        assert (folder, True) in synced[synced.index((file, False)) :]
        assert (root, True) in synced
