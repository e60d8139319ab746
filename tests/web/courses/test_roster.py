"""Rosters: uploaded, looked at, applied."""

import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from peerorder.files import table_bytes
from peerorder.web.audit.models import Event
from peerorder.web.courses.models import Invitation, Member, Role, RosterUpload, Section
from peerorder.web.courses.services import invitations, rosters
from peerorder.web.papers.models import Authorship, Paper
from peerorder.web.people.models import Person
from peerorder.web.ranking.models import Ballot
from tests.sizes import sized

CLASS = "student,name,email\n" + "".join(
    f"{name.lower()},{name},{name.lower()}@example.edu\n"
    for name in ("Bo", "Cy", "Di", "Ed", "Fay", "Gus", "Hal", "Ivy")
)


@pytest.fixture
def use(look, client):
    """Upload a roster and apply it."""

    def used(content, name="roster.csv", **ticks):
        page, address = look(content, name)
        (digest,) = re.findall(r'name="digest" value="(\w+)"', page.content.decode())
        answer = client.post(address + "apply/", {"digest": digest, **ticks})
        assert answer.status_code == 302
        return answer

    return used


def counts(page):
    return [int(number) for number in re.findall(r"<dd>(\d+)</dd>", page.content.decode())]


def of(student):
    return Member.objects.select_related("person", "section").get(student=student)


WITH_STAFF = (
    "student,name,email,section,paper,role\nann,Ann,ann@example.edu,Mon,t1,\nbob,Bob,,Tue,t1,\ncy,Cy,,,c,\n"
    "ta,Tim,tim@example.edu,,,staff\n"
)


def test_it_works(use, look, course):
    page, _address = look(WITH_STAFF)
    assert page.status_code == 200
    assert counts(page) == [4, 0, 0, 0]
    assert not Member.objects.filter(student="ann").exists(), "looking changes nothing"
    use(WITH_STAFF)
    ann, bob, cy = map(of, ("ann", "bob", "cy"))
    assert (ann.person.name, ann.person.email, ann.section.name, ann.team) == ("Ann", "ann@example.edu", "Mon", "t1")
    assert bob.team == "t1"
    assert cy.team == "", "a team of one is none"
    assert cy.section is None
    assert ann.role == Role.STUDENT
    assert not ann.person.has_usable_password()
    event = Event.objects.get(verb="roster applied")
    assert event.details | {"upload": 0} == {"upload": 0, "new": 4, "changed": 0, "removed": 0}


def test_staff_on_a_roster_are_invited(use, look, course):
    """And they get their id once they have accepted."""
    use(WITH_STAFF)
    assert not Member.objects.filter(student="ta").exists()
    invitation = Invitation.objects.get(course=course)
    assert (invitation.role, invitation.email, invitation.student) == (Role.ASSISTANT, "tim@example.edu", "ta")
    page, _address = look(WITH_STAFF)
    assert counts(page) == [0, 0, 0, 4], "an invitation that waits is not sent again by the next roster"
    invitations.accept(invitation, None)
    assert (of("ta").role, of("ta").person.name) == (Role.ASSISTANT, "Tim")
    page, _address = look(WITH_STAFF)
    assert counts(page) == [0, 0, 0, 4]
    assert Invitation.objects.count() == 1


def test_staff_without_an_address_cannot_be_invited(use, look, course):
    page, _address = look("student,name,role\nann,Ann,student\nta,Tim,staff\n")
    assert counts(page) == [1, 0, 0, 0]
    assert "Row 3" in page.content.decode()
    use("student,name,role\nann,Ann,student\nta,Tim,staff\n")
    assert not Invitation.objects.exists()


def test_more_staff_than_can_be_invited_in_a_day(look, client, course):
    rows = "".join(f"ta{at},Tim,tim{at}@example.edu,staff\n" for at in range(invitations.MOST + 1))
    page, address = look("student,name,email,role\nann,Ann,,\n" + rows)
    (digest,) = re.findall(r'name="digest" value="(\w+)"', page.content.decode())
    assert client.post(address + "apply/", {"digest": digest}).status_code == 409
    assert not Invitation.objects.exists()
    assert not Member.objects.filter(student="ann").exists(), "all of it or nothing"


def test_a_changed_address_is_unverified_and_the_previous_one_is_told(use, students, work_off, mailoutbox):
    Person.objects.update(email_verified_at=timezone.now())
    use(CLASS.replace("bo@example.edu", "bo@example.org").replace("Cy", "Cyd"))
    assert of("bo").person.email_verified_at is None
    assert of("cy").person.email_verified_at is not None
    work_off()
    assert [message.to for message in mailoutbox] == [["bo@example.edu"]]


def test_the_same_file_again_changes_nothing(use, look, students):
    page, _address = look(CLASS)
    assert counts(page) == [0, 0, 0, 8]
    assert page.context["plan"].empty
    use(CLASS + "zoe,Zoe,\n")
    before = list(Member.objects.order_by("pk").values_list())
    page, _address = look(CLASS + "zoe,Zoe,\n")
    assert counts(page) == [0, 0, 0, 9]
    assert 'name="digest"' in page.content.decode()
    assert "<button>" not in page.content.decode().split('name="digest"')[1]
    assert list(Member.objects.order_by("pk").values_list()) == before


def test_applied_twice_by_a_double_click(look, client, students):
    page, address = look(CLASS + "zoe,Zoe,\n")
    (digest,) = re.findall(r'name="digest" value="(\w+)"', page.content.decode())
    for _ in range(2):
        assert client.post(address + "apply/", {"digest": digest}).status_code == 302
    assert Member.objects.filter(student="zoe").count() == 1
    assert Event.objects.filter(verb="roster applied").count() == 1


def test_what_changes_is_said_old_and_new(use, look, students):
    changed = CLASS.replace("bo,Bo,bo@example.edu", "bo,Bo Bee,")
    page, _address = look(changed)
    assert counts(page) == [0, 1, 0, 7]
    text = re.sub(r"<[^>]+>|\s+", " ", page.content.decode())
    assert "name: Bo → Bo Bee" in re.sub(r"\s+", " ", text)
    assert "e-mail: bo@example.edu → \N{EN DASH}" in re.sub(r"\s+", " ", text)
    use(changed)
    assert (of("bo").person.name, of("bo").person.email) == ("Bo Bee", "")


def test_a_column_that_is_missing_changes_nothing(use, students, course):
    monday = Section.objects.create(course=course, name="Monday")
    Member.objects.filter(pk=students[0].pk).update(section=monday, team="owls")
    use("student\n" + "".join(f"{member.student}\n" for member in students) + "zoe\n")
    bo = of("bo")
    assert (bo.person.name, bo.person.email, bo.section, bo.team) == ("Bo", "bo@example.edu", monday, "owls")


def test_who_is_gone_stays_unless_ticked(use, look, client, students):
    short = "\n".join(CLASS.splitlines()[:-1]) + "\n"
    page, _address = look(short)
    assert counts(page) == [0, 0, 1, 7]
    assert "ivy, Ivy" in page.content.decode()
    use(short)
    assert of("ivy").removed_at is None
    after = client.get(use(short, remove="on").url).content.decode()
    assert "0 added, 0 changed, 1 removed." in after
    assert of("ivy").removed_at is not None
    page, _address = look(CLASS)
    assert "on the roster: " in page.content.decode()
    use(CLASS)
    assert of("ivy").removed_at is None, "and comes back with the next one"


def test_a_roster_that_removes_somebody_who_has_already_ranked(use, look, students, assignment):
    Ballot.objects.create(assignment=assignment, grader=students[7], content={"order": []})
    paper = Paper.objects.create(assignment=assignment)
    Authorship.objects.create(assignment=assignment, paper=paper, member=students[6])
    short = "\n".join(CLASS.splitlines()[:-3]) + "\n"
    page, _address = look(short)
    assert counts(page) == [0, 0, 3, 5]
    text = page.content.decode()
    assert len(page.context["missing_with_work"]) == 2
    assert text.index("gus, Gus") < text.index('name="remove"') < text.index("ivy, Ivy")
    use(short, remove_with_work="on")
    assert not Member.objects.exclude(removed_at=None).exists(), "the second tick alone does nothing"
    use(short, remove="on")
    assert [member.student for member in Member.objects.exclude(removed_at=None)] == ["gus"]
    use(short, remove="on", remove_with_work="on")
    assert of("ivy").removed_at is not None
    assert Ballot.objects.get().grader == students[7], "nothing is lost"
    assert Authorship.objects.get().paper == paper


def test_all_problems_at_once_with_place_cause_and_cure(look, students):
    page, _address = look(
        "student,E-Mail,role,name\nann,nonsense,,\nann,,,\n,x@example.edu,,\nbob,bob@,dean,\ncy,,," + "x" * 201 + "\n"
    )
    assert page.status_code == 422
    assert [(problem.row, problem.column) for problem in page.context["problems"]] == [
        *((2, "E-Mail"), (3, "student"), (4, "student"), (5, "role"), (5, "E-Mail"), (6, "name"))
    ]
    text = page.content.decode()
    for said in ("ann is already in row 2", "dean is not a role", "write student or staff", "is not an e-mail address"):
        assert said in text
    assert "6 problems" in text
    assert "/tmp" not in text


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("r.csv", b"name\nAnn\n", "there is no column student; the file has name"),
        ("r.csv", b"", ""),
        ("r.xlsx", b"not a workbook", ""),
        ("r.xlsx", b"PK\x03\x04 not a workbook", "this workbook is damaged"),
        ("r.csv", b"student,name\nann,A\x00nn\n", ""),
        ("r.csv", b"\xff\xfe\x00\xd8", ""),
        ("r.pdf", b"%PDF-1.7\n\x00\x01", ""),
        ("r.parquet", b"PAR1", ""),
    ],
)
def test_bad_files_get_a_clear_page(enter, instructor, course, name, content, said):
    client = enter(instructor)
    address = f"/courses/{course.pk}/people/roster/"
    answer = client.post(address, {"file": SimpleUploadedFile(name, content)})
    if answer.status_code == 302:
        answer = client.get(answer.url)
    assert answer.status_code == 422
    assert said in answer.content.decode()
    assert not Member.objects.filter(course=course, role=Role.STUDENT).exists()


@pytest.mark.usefixtures("real_sandbox")
def test_a_workbook_that_would_fill_the_memory(look):
    import io
    import zipfile

    out = io.BytesIO()
    with (
        zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("xl/x.xml", "w", force_zip64=True) as part,
    ):
        for _ in range(201):
            part.write(bytes(2**20))
    page, _address = look(out.getvalue(), "r.xlsx")
    assert page.status_code == 422
    assert "far too large" in page.content.decode()


def test_too_large(enter, instructor, course, monkeypatch):
    monkeypatch.setattr("peerorder.web.courses.forms.LARGEST_ROSTER", 2**20)
    file = SimpleUploadedFile("r.csv", b"student\n" + b"x" * 2**21)
    answer = enter(instructor).post(f"/courses/{course.pk}/people/roster/", {"file": file})
    assert answer.status_code == 422
    assert "a roster has 1 at most" in answer.content.decode()
    assert not RosterUpload.objects.exists()


@pytest.mark.usefixtures("real_sandbox")
def test_a_workbook_whatever_its_name(use, tmp_path):
    from pathlib import Path

    data = table_bytes(Path("r.xlsx"), {"student": ["007", "8"], "name": ["=1+1", "<b>Bob</b>"]})
    use(data, "roster.csv")
    assert of("007").person.name == "=1+1"


def test_names_are_shown_as_text(look):
    page, _address = look("student,name\nann,<script>alert(1)</script>\n")
    assert "<script>alert" not in page.content.decode()
    assert "&lt;script&gt;alert" in page.content.decode()


def test_changed_since_it_was_looked_at(look, client, students, instructor):
    page, address = look(CLASS + "zoe,Zoe,\n")
    (digest,) = re.findall(r'name="digest" value="(\w+)"', page.content.decode())
    Person.objects.filter(pk=students[0].person_id).update(name="Bobo")
    answer = client.post(address + "apply/", {"digest": digest}, follow=True)
    assert answer.redirect_chain[0][0] == address
    assert not Member.objects.filter(student="zoe").exists()
    assert of("bo").person.name == "Bobo"


def test_a_roster_changes_no_roles(use, look, students, instructor, assistant):
    Member.objects.filter(pk=instructor.pk).update(student="ida")
    Member.objects.filter(pk=assistant.pk).update(student="asa")
    rows = "ida,Imposter,imp@example.edu,student\nasa,Asa A,asa@example.edu,student\n"
    both = CLASS.replace("bo@example.edu", "bo@example.edu,staff").replace("\n", ",role\n", 1) + rows
    page, _address = look(both)
    assert len(page.context["plan"].notes) == 3
    use(both + "zoe,Zoe,,student\n")
    assert (of("ida").role, of("ida").person.name) == (Role.INSTRUCTOR, "Ida"), "neither is the roster's to change"
    assert (of("asa").role, of("asa").person.name) == (Role.ASSISTANT, "Asa")
    assert of("bo").role == Role.STUDENT
    assert not Invitation.objects.exists()


def test_staff_are_not_found_by_their_address(use, students, assistant):
    """Everybody can claim an address, and would get the id of somebody else by it."""
    use(CLASS.replace("\n", ",role\n", 1) + "prof,Prof,asa@example.edu,staff\n")
    assistant.refresh_from_db()
    assert assistant.student == ""
    assert Invitation.objects.get().student == "prof"


def test_all_changes_as_a_file(look, client, students):
    _page, address = look("student,name\nbo,=Bo\nzoe,\n")
    text = client.get(address + "changes.csv").content.decode()
    assert text.startswith("\ufeff")
    # No formula for whoever opens it.
    assert "bo,Bo,changed,name,Bo,'=Bo\n" in text
    assert text.count("not on the roster") == 7
    assert text.count("new\n") <= 1


def test_somebody_elses_upload(enter, course, look, outsider, assistant, students):
    _page, address = look(CLASS)
    for path in ("", "changes.csv"):
        assert enter(outsider).get(address + path).status_code == 404
        assert enter(assistant).get(address + path).status_code == 403
        assert enter(students[0]).get(address + path).status_code == 403
    assert enter(outsider).post(address + "apply/").status_code == 404
    Member.objects.filter(pk=outsider.pk).update(role=Role.INSTRUCTOR)
    mine = address.replace(f"/courses/{course.pk}/", f"/courses/{outsider.course_id}/")
    assert enter(outsider).get(mine).status_code == 404


@pytest.mark.slow
@sized("n", 2_000, full=10_000)
def test_thousands(use, look, course, instructor, n):
    def roster(suffix=""):
        return "student,name,email,section,paper\n" + "".join(
            f"s{at},Name {at}{suffix},s{at}@example.edu,Section {at % 20},t{at // 3}\n" for at in range(n)
        )

    with CaptureQueriesContext(connection) as first:
        use(roster())
    assert course.members.filter(role=Role.STUDENT).count() == n
    assert course.sections.count() == 20
    with CaptureQueriesContext(connection) as second:
        use(roster(" B"))
    assert of("s77").person.name == "Name 77 B"
    page, _address = look("student\nnobody\n")
    assert counts(page) == [1, 0, n, 0]
    assert len(page.content) < 150_000
    # Hundreds of students at a time: about 20 queries for a thousand of them.
    assert max(len(first), len(second)) < n / 10


def test_the_upload_is_kept_before_it_is_read(look, students):
    page, _address = look("nonsense")
    assert page.status_code == 422
    assert bytes(RosterUpload.objects.get().content) == b"nonsense"
    assert RosterUpload.objects.get().at <= timezone.now()


def test_half_of_it_is_nothing(course, instructor, students, monkeypatch):
    upload = rosters.keep_roster(course, instructor.person, "r.csv", b"student,name\nbo,Bobo\nzoe,Zoe\n")

    def dies(*_args):
        raise RuntimeError

    monkeypatch.setattr(rosters, "_remove", dies)
    with pytest.raises(RuntimeError):
        rosters.apply_roster(
            upload, instructor.person, rosters.plan_of(upload).digest, remove=True, remove_with_work=False
        )
    assert of("bo").person.name == "Bo"
    assert not Member.objects.filter(student="zoe").exists()
