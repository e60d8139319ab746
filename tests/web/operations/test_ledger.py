"""Restore a backup: who was erased and what was revoked since stays so, by the ledger."""

import json
from dataclasses import asdict

import pytest

from peerorder.web.audit.ledger import Entry
from tests.web.operations.test_backup import members, peerorder

pytestmark = pytest.mark.processes

FILL = """
from peerorder.web.courses.models import Course, Member, Role
from peerorder.web.people.models import Link, Person
course = Course.objects.create(name="Algorithms")
for name in ("Ida", "Xanthippe", "Yorick", "Zed"):
    person = Person.objects.create_user(name.lower(), "a very long password", name=name, email=f"{name}@example.edu")
    role = Role.INSTRUCTOR if name == "Ida" else Role.STUDENT
    Member.objects.create(course=course, person=person, role=role, student="" if name == "Ida" else name.lower())
    Link.objects.create(person=person, digest=name)
"""
ERASE = """
from peerorder.web.courses.models import Member
from peerorder.web.home.erasure import erase_member
from peerorder.web.courses.services.links import revoke_member_access
from peerorder.web.courses.services.members import remove_member
from peerorder.web.people.models import Person
ida = Person.objects.get(name="Ida")
erase_member(Member.objects.get(person__name="Xanthippe"), ida)
revoke_member_access(Member.objects.get(person__name="Yorick"), ida)
remove_member(Member.objects.get(person__name="Zed"), ida)
"""
LOOK = """
from peerorder.web.courses.models import Member
from peerorder.web.people.models import Link, Person
names = sorted(Person.objects.values_list("name", flat=True))
live = sorted(Link.objects.filter(revoked_at=None).values_list("digest", flat=True))
usable = sorted(person.name for person in Person.objects.all() if person.has_usable_password())
there = sorted(member.person.name for member in Member.objects.filter(removed_at=None))
tell([names, live, usable, there])
"""
BEFORE = [["Ida", "Xanthippe", "Yorick", "Zed"]] * 4
AFTER = [["", "Ida", "Yorick", "Zed"], ["Ida", "Zed"], ["Ida", "Zed"], ["Ida", "Yorick"]]


@pytest.fixture
def backed_up(app, tmp_path):
    """A site that was backed up before people were erased and removed and links revoked."""
    app.migrate().ask(FILL)
    file = tmp_path / "backup.tar.gz"
    peerorder(app, "backup", str(file))
    assert app.ask(LOOK) == BEFORE
    app.ask(ERASE)
    assert app.ask(LOOK) == AFTER
    return app, file


def test_what_was_erased_and_revoked_stays_so(backed_up):
    app, file = backed_up
    assert json.loads(members(file)["peerorder.json"])["ledger"] == {"number": 0, "checksum": ""}
    assert "3 erasures and revocations" in peerorder(app, "restore", str(file), "--force")
    assert app.ask(LOOK) == AFTER
    path = app.home / "ledger.jsonl"
    assert "anthippe" not in path.read_text()
    assert path.stat().st_mode & 0o077 == 0
    # And once more: the ledger goes on after a restore, with the ids of the new database.
    peerorder(app, "restore", str(file), "--force")
    assert app.ask(LOOK) == AFTER
    peerorder(app, "backup", str(file), "--force")
    assert "done again" not in peerorder(app, "restore", str(file), "--force")


@pytest.mark.parametrize("app", ["sqlite"], indirect=True)
def test_a_ledger_that_is_missing_or_damaged(backed_up, tmp_path):
    app, file = backed_up
    path = app.home / "ledger.jsonl"
    kept = path.read_bytes()
    assert kept.count(b"\n") == 3
    path.write_bytes(kept.replace(b"person erased", b"person erasec"))
    for words in (("restore", str(file), "--force"),):
        seen = peerorder(app, *words, code=2)
        assert "damaged in line 1" in seen
        assert len(seen.strip().splitlines()) == 1
    assert app.ask(LOOK) == AFTER
    # What can be read of it is applied.
    peerorder(app, "restore", str(file), "--force", "--without-ledger")
    names, live, _usable, there = app.ask(LOOK)
    assert (names[0], live, there) == ("Ida", ["Ida", "Xanthippe", "Zed"], ["Ida", "Xanthippe", "Yorick"])
    (damaged,) = app.home.glob("ledger.jsonl.damaged-*")
    assert b"person erasec" in damaged.read_bytes()
    peerorder(app, "restore", str(file), "--force")


@pytest.mark.parametrize("app", ["sqlite"], indirect=True)
def test_into_an_empty_place(backed_up, request, tmp_path):
    app, file = backed_up
    there = type(app)(tmp_path / "there", request.getfixturevalue("postgresql").database() if app.database else "")
    seen = peerorder(there, "restore", str(file), code=2)
    assert "there is no ledger" in seen
    assert len(seen.strip().splitlines()) == 1
    (there.home / "ledger.jsonl").write_bytes((app.home / "ledger.jsonl").read_bytes())
    peerorder(there, "restore", str(file))
    assert there.ask(LOOK) == AFTER


@pytest.mark.parametrize("app", ["sqlite"], indirect=True)
def test_a_ledger_of_another_site(backed_up, request, tmp_path):
    app, file = backed_up
    peerorder(app, "backup", str(file), "--force")
    assert json.loads(members(file)["peerorder.json"])["ledger"]["number"] == 3
    there = type(app)(tmp_path / "there", request.getfixturevalue("postgresql").database() if app.database else "")
    there.home.mkdir(mode=0o700)
    lines, before = [], ""
    for number in range(1, 5):
        entry = Entry(
            number, "2026-01-01T00:00:00+00:00", "person erased", number, details={"member": 9}
        ).with_checksum(before)
        lines.append(json.dumps(asdict(entry)))
        before = entry.checksum
    (there.home / "ledger.jsonl").write_text("\n".join(lines) + "\n")
    assert "another site" in peerorder(there, "restore", str(file), code=2)
    peerorder(there, "restore", str(file), "--without-ledger")
    assert there.ask(LOOK) == AFTER


@pytest.mark.parametrize("app", ["sqlite"], indirect=True)
def test_a_ledger_that_was_lost_is_written_again_from_the_database(backed_up):
    app, file = backed_up
    (app.home / "ledger.jsonl").unlink()
    peerorder(app, "restore", str(file), "--force")
    assert app.ask(LOOK) == AFTER


def test_killed_between_an_erasure_and_its_line(app):
    """The worker, and every start, add from the audit log what the ledger lacks."""
    app.migrate().ask(FILL)
    peerorder(app, "staff", "list")
    path = app.home / "ledger.jsonl"
    before = path.read_bytes().count(b"\n")
    code = app.ask(
        "import os\nfrom tests.web.operations.failing import in_a_fork\nfrom peerorder.web.audit import ledger\n"
        "from peerorder.web.courses.models import Member\nfrom peerorder.web.home.erasure import erase_member\n"
        "ledger.write = lambda: os.kill(os.getpid(), 9)\n"
        "tell(in_a_fork(lambda: erase_member(Member.objects.get(person__name='Xanthippe'), None)))"
    )
    assert code == -9
    assert "Xanthippe" not in app.ask(LOOK)[0]
    assert path.read_bytes().count(b"\n") == before
    peerorder(app, "staff", "list")
    assert path.read_bytes().count(b"\n") == before + 1


@pytest.mark.parametrize("app", ["sqlite"], indirect=True)
def test_killed_between_an_original_and_its_row(app):
    """What is left are files that nobody finds, and they go after a day; what was handed in stays."""
    app.migrate().ask(FILL)
    told = app.ask("""
import os, time
from pathlib import Path
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from peerorder.web.assignments.models import Assignment, Stage
from peerorder.web.courses.models import Course, Member
from peerorder.web.papers import services
from peerorder.web.papers.background import sweep_folder
from peerorder.web.papers.models import Version
from peerorder.web.papers.originals import Check, verify_receipt
from peerorder.web.papers.submissions import check_file
from tests.web.operations.failing import in_a_fork
from tests.web.papers.conftest import make_pdf

assignment = Assignment.objects.create(course=Course.objects.get(), title="Essay", stage=Stage.HANDING_IN)
member = Member.objects.get(student="yorick")
settings.MEDIA_ROOT.mkdir(exist_ok=True)
def files(): return [path for path in settings.MEDIA_ROOT.rglob("*") if path.is_file()]
def hand_in():
    services.hand_in(assignment, member, check_file(SimpleUploadedFile("a.pdf", make_pdf()), assignment))
    return 0
take = services._take
services._take = lambda *given, **more: os.kill(os.getpid(), 9)
codes = [in_a_fork(hand_in)]
left = [len(files()), Version.objects.count()]
services._take = take
codes.append(in_a_fork(hand_in))
version = Version.objects.get()
left.append(len(files()))
for path in files():
    os.utime(path, (time.time() - 90_000,) * 2)
for folder in settings.MEDIA_ROOT.iterdir():
    sweep_folder(folder)
names = sorted(str(path.relative_to(settings.MEDIA_ROOT)) for path in files())
whole = [each.check == Check.VERIFIED for each in verify_receipt(version.digest)]
tell([codes, left, names == sorted([version.file.name, version.original.name]), whole])
""")
    assert told == [[-9, 0], [2, 0, 4], True, [True]]
