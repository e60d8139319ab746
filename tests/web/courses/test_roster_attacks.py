"""Rosters that are made to do harm: read in the sandbox, once."""

import io
import os
import threading
import zipfile

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from peerorder.files.formats import workbooks
from peerorder.web.courses import roster
from peerorder.web.courses.models import Member, RosterUpload
from peerorder.web.courses.services import rosters

pytestmark = pytest.mark.usefixtures("real_sandbox")

MANIFEST = '<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"/>'
GOOD = b"student,name\nzoe,Zoe\n"


def packed(parts: dict[str, str]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            archive.writestr(name, text)
    return out.getvalue()


def ods(rows: int, columns: int) -> bytes:
    """A few hundred bytes that say of one cell that it is repeated."""
    names = ("office", "table", "text")
    spaces = " ".join(f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"' for name in names)
    value = 'office:value-type="string"><text:p>a</text:p>'
    cell = f'<table:table-cell table:number-columns-repeated="{columns}" {value}</table:table-cell>'
    row = f'<table:table-row table:number-rows-repeated="{rows}">{cell}</table:table-row>'
    table = f'<table:table table:name="s">{row}</table:table>'
    body = f"<office:body><office:spreadsheet>{table}</office:spreadsheet></office:body>"
    content = f"<office:document-content {spaces}>{body}</office:document-content>"
    kind = "application/vnd.oasis.opendocument.spreadsheet"
    return packed({"mimetype": kind, "content.xml": content, "META-INF/manifest.xml": MANIFEST})


def xlsx(rows: int) -> bytes:
    """A workbook of very many rows."""
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    linked = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    package = "http://schemas.openxmlformats.org/package/2006"
    kinds = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    types = f'<Types xmlns="{package}/content-types"><Default Extension="rels" ContentType="application/vnd.' + (
        'openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="'
        f'{kinds}.sheet.main+xml"/><Override PartName="/xl/s.xml" ContentType="{kinds}.worksheet+xml"/></Types>'
    )
    link = f'<Relationships xmlns="{package}/relationships"><Relationship Id="r" Type="{linked}/%s" Target="%s"/>'
    table = "".join(
        f'<row r="{n}"><c r="A{n}"><v>{n}</v></c><c r="B{n}"><v>{n}</v></c></row>' for n in range(2, rows + 2)
    )
    names = {"A1": "student", "B1": "name"}
    head = "".join(f'<c r="{at}" t="inlineStr"><is><t>{name}</t></is></c>' for at, name in names.items())
    sheet = '<sheet name="s" sheetId="1" r:id="r"/>'
    return packed(
        {
            "[Content_Types].xml": types,
            "_rels/.rels": link % ("officeDocument", "xl/workbook.xml") + "</Relationships>",
            "xl/_rels/workbook.xml.rels": link % ("worksheet", "s.xml") + "</Relationships>",
            "xl/workbook.xml": f'<workbook xmlns="{main}" xmlns:r="{linked}"><sheets>{sheet}</sheets></workbook>',
            "xl/s.xml": f'<worksheet xmlns="{main}"><sheetData><row r="1">{head}</row>{table}</sheetData></worksheet>',
        }
    )


@pytest.fixture
def upload(enter, instructor, course):
    """Upload a roster; gives the address of its page."""

    def uploaded(content, name="roster.csv"):
        sent = {"file": SimpleUploadedFile(name, content)}
        answer = enter(instructor).post(f"/courses/{course.pk}/people/roster/", sent)
        assert answer.status_code == 302
        return answer.url

    return uploaded


@pytest.fixture
def readings(monkeypatch):
    """How often a file is read, and by what; nothing is read in this process."""
    made = []
    real = roster.run_sandboxed

    def counted(task, *arguments, **options):
        made.append(task)
        return real(task, *arguments, **options)

    def never(*_arguments):
        raise AssertionError("a roster is read in the web process")

    monkeypatch.setattr(roster, "run_sandboxed", counted)
    monkeypatch.setattr("peerorder.files.tables.roster.read_roster", never)
    monkeypatch.setattr(workbooks, "first_sheet", never)
    return made


ATTACKS = {
    "734 bytes": lambda: (ods(1_000, 100_000), "r.ods"),
    "736 bytes": lambda: (ods(1_000_000, 99), "r.ods"),
    "a million rows": lambda: (xlsx(1_000_000), "r.xlsx"),
    "a text of a million rows": lambda: (b"student\n" + b"".join(b"s%d\n" % n for n in range(1_000_000)), "r.csv"),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", ATTACKS)
def test_a_file_that_takes_too_much_is_refused_in_words(upload, client, readings, name):
    content, called = ATTACKS[name]()
    if "bytes" in name:
        assert len(content) < 1000
    page = client.get(upload(content, called))
    assert page.status_code == 422
    assert "far too large" in page.content.decode() or "more than 50,000 rows" in page.content.decode()
    assert readings == [roster.READ]


def test_a_small_ods_is_read(upload, client, readings):
    assert client.get(upload(ods(1, 1), "r.ods")).status_code == 422, "it has no column of students"
    assert readings == [roster.READ]


def test_it_is_read_once_and_never_by_a_look(upload, client, readings, students):
    address = upload(GOOD)
    pages = [client.get(address) for _ in range(3)]
    assert {page.status_code for page in pages} == {200}
    assert client.get(f"{address}changes.csv").status_code == 200
    (digest,) = {page.context["digest"] for page in pages}
    assert client.post(f"{address}apply/", {"digest": digest}).status_code == 302
    assert Member.objects.filter(student="zoe").exists()
    assert readings == [roster.READ]


def test_one_that_is_wrong_is_read_once_too(upload, client, readings):
    address = upload(b"name\nZoe\n")
    for _ in range(3):
        assert client.get(address).status_code == 422
    assert client.post(f"{address}apply/", {"digest": "x"}).status_code == 302
    assert readings == [roster.READ]


def test_one_from_before_is_read_at_the_first_look(course, instructor, enter, readings):
    kept = RosterUpload.objects.create(course=course, by=instructor.person, name="old.csv", content=GOOD)
    for _ in range(2):
        assert enter(instructor).get(f"/courses/{course.pk}/people/roster/{kept.pk}/").status_code == 200
    assert readings == [roster.READ]


def test_when_too_many_are_read_it_waits_for_the_next_look(upload, client, monkeypatch):
    real = roster.run_sandboxed

    def busy(*_arguments, **_options):
        raise roster.SandboxProblem("busy")

    monkeypatch.setattr(roster, "run_sandboxed", busy)
    address = upload(GOOD)
    assert client.get(address).status_code == 422
    assert RosterUpload.objects.get().parsed is None
    monkeypatch.setattr(roster, "run_sandboxed", real)
    assert client.get(address).status_code == 200


ROW = [2, "zoe", "Zoe", None, None, None, None]
LIES = [
    None,
    [],
    {},
    {"rows": 1, "notes": []},
    {"rows": [[]], "notes": []},
    {"rows": [["2", *ROW[1:]]], "notes": []},
    {"rows": [[*ROW[:2], {"name": 1}, *ROW[3:]]], "notes": []},
    {"rows": [[*ROW, 1]], "notes": []},
    {"rows": [ROW], "notes": [1]},
    {"problems": [["a", "b", "c", "d"]]},
    {"problems": [[1, "b", "c"]]},
    {"rows": [ROW], "notes": [], "columns": [["Student", "student"]]},
    {"rows": [ROW], "notes": [], "columns": [["Student", ["student"], []]]},
    {"rows": [ROW], "notes": [], "left_out": [ROW[:3]]},
    {"rows": [ROW], "notes": [], "problems": [], "count": "1"},
]


@pytest.mark.parametrize("lie", LIES)
def test_what_the_process_says_is_not_trusted(upload, client, monkeypatch, lie):
    monkeypatch.setattr(roster, "run_sandboxed", lambda *_arguments, **_options: lie)
    page = client.get(upload(GOOD))
    assert page.status_code == 422
    assert "cannot be read" in page.content.decode()


def test_what_was_read_is_wiped_with_the_file(course, instructor, students):
    from peerorder.web.home.erasure import erase_member

    kept = rosters.keep_roster(course, instructor.person, "r.csv", b"student,name\nbo,Bo\n")
    assert kept.parsed["rows"]
    erase_member(students[0], instructor.person)
    kept.refresh_from_db()
    assert (bytes(kept.content), kept.parsed) == (b"", None)


def test_two_workbooks_at_once_lose_no_logs():
    """The errors of the process stay where they were, however two readers overlap."""
    before = os.fstat(2)
    inside, leave = [threading.Event(), threading.Event()], [threading.Event(), threading.Event()]

    def read(at):
        with workbooks._silence():
            inside[at].set()
            assert leave[at].wait(60)

    readers = [threading.Thread(target=read, args=(at,)) for at in range(2)]
    for at in range(2):
        readers[at].start()
        assert inside[at].wait(60)
    for at in range(2):
        leave[at].set()
        readers[at].join()
    after = os.fstat(2)
    try:
        assert (after.st_dev, after.st_ino, after.st_rdev) == (before.st_dev, before.st_ino, before.st_rdev)
    finally:
        if after.st_rdev != before.st_rdev:
            os.dup2(1, 2)
