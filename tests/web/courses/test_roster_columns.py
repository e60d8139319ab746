"""Rosters as they come: exports of learning platforms, columns that somebody chooses, rows that are left out."""

import re

import pytest

from peerorder.web.courses import roster
from peerorder.web.courses.models import Member, RosterUpload, Section
from tests.files.exports import CANVAS, PEOPLE, every_export


def members():
    found = Member.objects.filter(role="student").select_related("person", "section").order_by("student")
    return {
        member.student: (member.person.name, member.person.email, str(member.section or ""), member.team)
        for member in found
    }


def apply(client, page, address, **ticks):
    answer = client.post(address + "apply/", {"digest": page.context["digest"], **ticks})
    assert answer.status_code == 302


def fields(page):
    return {column.title: column.field for column in page.context["reading"].columns}


def rows_of_problems(page):
    return [(problem.row, problem.column) for problem in page.context["problems"]]


@every_export
def test_exports_of_learning_platforms(look, client, export):
    page, address = look(export.content, export.name)
    assert page.status_code == 200
    assert tuple(title for title, field in fields(page).items() if not field) == export.ignored
    text = page.content.decode()
    for name in (*export.left_out, *export.ignored):
        assert name.replace("&", "&amp;") in text
    apply(client, page, address)
    assert tuple(members()) == tuple(sorted(export.ids))
    for student, name, person in zip(export.ids, export.names, PEOPLE, strict=True):
        assert members()[student] == (name, person[4] if export.email else "", export.section, "")


@pytest.mark.parametrize(("header", "start", "may_be_empty"), [("student,", "ann,", True), ("", "", False)])
def test_an_address_that_serves_as_id_cannot_be_left_empty(look, header, start, may_be_empty):
    other = "bob," if header else ""
    page, _address = look(f"{header}name,email\n{start}Ann,nowhere\n{other}Bob,bob@example.edu\n")
    (problem,) = page.context["problems"]
    assert (problem.row, problem.column) == (2, "email")
    assert ("empty" in problem.cure) is may_be_empty


def test_a_team_is_a_team(look, client):
    """Finding M1."""
    page, address = look("Student ID,Team,Section,Shoe size\nann,owls,Mon,38\nbob,owls,Mon,39\ncy,,Mon,40\n")
    assert fields(page) == {"Student ID": "student", "Team": "team", "Section": "section", "Shoe size": ""}
    assert any("Shoe size" in note for note in page.context["plan"].notes), "what is ignored is named"
    apply(client, page, address)
    assert [team for *_, team in members().values()] == ["owls", "owls", ""]


def test_every_column_can_be_chosen(look, client):
    """Finding M4: nobody has to rename columns and upload the file again."""
    page, address = look("Kennziffer;Wer;Gruppe;Post\n007;Ann;Owls;ann@example.edu\n008;Bob;Owls;\n")
    assert page.status_code == 422
    assert fields(page) == {"Kennziffer": "", "Wer": "", "Gruppe": "section", "Post": ""}
    assert page.content.decode().count('<select name="field"') == 4
    answer = client.post(address + "columns/", {"field": ["student", "name", "team", "email"]})
    assert (answer.status_code, answer.url) == (302, address)
    page = client.get(address)
    assert fields(page) == {"Kennziffer": "student", "Wer": "name", "Gruppe": "team", "Post": "email"}
    assert page.content.decode().count('<option value="team" selected>') == 1
    apply(client, page, address)
    assert members() == {"007": ("Ann", "ann@example.edu", "", "Owls"), "008": ("Bob", "", "", "Owls")}


def test_columns_that_were_chosen_and_not_read_are_not_passed_over(look, client):
    """Apply imported what the page showed before, and dropped what was chosen since without a word."""
    page, address = look("student,name,Group\nann,Ann,Owls\nbob,Bob,Owls\n")
    forms = re.findall(r"<form.*?</form>", page.content.decode(), re.DOTALL)
    (form,) = [each for each in forms if f'action="{address}apply/"' in each]
    assert (form.count('name="field"'), f'formaction="{address}columns/"' in form) == (3, True)
    for sent in (["student", "name", "team"], ["student"], ["student", "name", "password"]):
        apply(client, page, address, field=sent)
        assert members() == {}
    page = client.get(address)
    assert fields(page) == {"student": "student", "name": "name", "Group": "team"}
    assert "read again" in page.content.decode()
    apply(client, page, address, field=["student", "name", "team"])
    assert members() == {"ann": ("Ann", "", "", "Owls"), "bob": ("Bob", "", "", "Owls")}


def test_two_columns_for_one_field(look, client):
    _page, address = look("student,a,b\nann,1,2\n")
    client.post(address + "columns/", {"field": ["student", "name", "name"]})
    page = client.get(address)
    assert page.status_code == 422
    assert fields(page) == {"student": "student", "a": "name", "b": "name"}, "what was chosen stays, to be corrected"
    client.post(address + "columns/", {"field": ["student", "name", ""]})
    assert client.get(address).status_code == 200


def test_a_choice_that_makes_no_sense_changes_nothing(look, client):
    _page, address = look("student,name\nann,Ann\n")
    before = RosterUpload.objects.get().parsed
    for sent in ([], ["student"], ["student", "password"], ["student", "name", "email"]):
        assert client.post(address + "columns/", {"field": sent}).status_code == 302
        assert RosterUpload.objects.get().parsed == before


def test_a_file_that_was_wiped_is_not_read_again(look, client, monkeypatch):
    _page, address = look("student,name\nann,Ann\n")
    RosterUpload.objects.update(content=b"", parsed=None)
    monkeypatch.setattr(roster, "run_sandboxed", None)
    assert client.post(address + "columns/", {"field": ["student", ""]}).status_code == 302
    assert RosterUpload.objects.get().parsed is None


def test_a_choice_while_many_files_are_read(look, client, monkeypatch):
    _page, address = look("student,name\nann,Ann\n")

    def busy(*_arguments, **_options):
        raise roster.SandboxProblem("busy")

    monkeypatch.setattr(roster, "run_sandboxed", busy)
    page = client.post(address + "columns/", {"field": ["student", ""]}, follow=True)
    assert page.status_code == 200
    assert fields(page) == {"student": "student", "name": "name"}


MESS = (
    "student,name,email,section\n"
    "ann,Ann,ann@example.edu,Mo 10-12\n"
    "bob,Bob,nonsense,Mo 10-12\n"
    ",Cy,cy@example.edu,Mo 10-12\n"
    "dee,Dee,dee@example.edu,Mo 10-12\n"
    "dee,Dee,dee@example.edu,Mo 10-12\n"
    "dee,Dora,dora@,Mo 10-12\n"
)


def test_the_good_rows_can_be_imported_without_the_bad(look, client):
    page, address = look(MESS)
    assert page.status_code == 200
    assert rows_of_problems(page) == [(3, "email"), (4, "student"), (7, "student"), (7, "email")]
    assert [(row.number, row.student, row.name) for row in page.context["left_out"]] == [
        *((3, "bob", "Bob"), (4, "", "Cy"), (7, "dee", "Dora"))
    ]
    assert page.context["rows_left_out"] == 3
    assert "Import the 2 other rows" in page.content.decode()
    assert any("row 6" in note for note in page.context["plan"].notes), "the same row again is a note"
    apply(client, page, address)
    assert [*members()] == ["ann", "dee"]


def test_nobody_is_removed_while_rows_are_left_out(look, client, students):
    page, address = look("student,email\nbo,\ncy,nonsense\n")
    assert (page.context["plan"].missing, page.context["plan"].missing_with_work) == ((), ())
    assert 'name="remove"' not in page.content.decode()
    apply(client, page, address, remove="on", remove_with_work="on")
    assert not Member.objects.exclude(removed_at=None).exists()


def checks(page):
    return "\n".join(page.context["plan"].checks)


def test_what_should_be_looked_at(look):
    """Finding M3, and ids that are names of M2."""
    page, _address = look(
        "student,name,email,section\nann,Ann,a@example.edu,Mo 10-12\nbob,Ay?e Y?ld?z,A@example.edu,mo 10-12\n"
        '"Lee, Cy",Cy,,Tu\ndee 1,Dee,d@example.edu,Tu\n'
    )
    assert page.status_code == 200
    for said in (
        "ann, bob share the address a@example.edu",
        "no e-mails: Lee, Cy",
        "Lee, Cy; dee 1.",
        "“Mo 10-12” / “mo 10-12”",
        "Ay?e Y?ld?z (bob)",
    ):
        assert said in checks(page)


def test_teams_and_ids_that_are_nearly_equal(look, students):
    page, _address = look("student,team\nm2,T1\nM2,t1\nBo,T2\nmax,T2\n")
    for names in ("“T1” / “t1”", "“m2” / “M2”", "“Bo” / “bo”"):
        assert names in checks(page)
    assert "T2" not in checks(page)
    assert "T1 (m2), t1 (M2)" in checks(page)


def test_nothing_is_pointed_at_in_a_plain_roster(look):
    page, _address = look("student,name,email,section\nann,Ann,a@example.edu,Mo\nbob,Bob,b@example.edu,Tu\n")
    assert page.context["plan"].checks == ()


def test_a_roster_is_compared_with_who_is_there(look, course, students):
    """Addresses and sections of the course count too; who is in the file counts as the file says."""
    Section.objects.create(course=course, name="Monday")
    page, _address = look("student,name,email,section\nzoe,Zoe,bo@example.edu,monday\n")
    assert "zoe, bo share the address bo@example.edu" in checks(page)
    assert "“monday” / “Monday”" in checks(page)
    page, _address = look("student,name\nbo,Bo\n")
    assert checks(page) == "", "a file without addresses leaves people those that they have"


def test_an_upload_from_before_can_still_be_applied(look, client):
    _page, address = look("student,name\nann,Ann\n")
    RosterUpload.objects.update(parsed={"rows": [[2, "ann", "Ann", None, None, None, None]], "notes": []})
    page = client.get(address)
    assert page.status_code == 200
    apply(client, page, address)
    assert [*members()] == ["ann"]


def test_titles_and_examples_are_shown_as_text(look):
    page, _address = look("student,<b>x</b>\nann,<script>alert(1)</script>\n")
    assert "<script>alert" not in page.content.decode()
    assert "<b>x" not in page.content.decode()


def test_a_canvas_export_in_a_workbook(look, workbook_of):
    page, _address = look(workbook_of(CANVAS.content.decode("utf-8-sig")), "canvas.xlsx")
    assert [row.student for row in page.context["reading"].rows] == [*CANVAS.ids]


@pytest.fixture
def workbook_of():
    """Makes a workbook of CSV."""
    import csv
    import io

    import xlsxwriter

    def made(text):
        out = io.BytesIO()
        with xlsxwriter.Workbook(out) as book:
            sheet = book.add_worksheet()
            for at, row in enumerate(csv.reader(io.StringIO(text))):
                sheet.write_row(at, 0, row)
        return out.getvalue()

    return made


def test_the_page_is_not_longer_than_it_must_be(look):
    """A gradebook of a long term: its columns are folded up."""
    titles = "".join(f",Essay {at} (10{at:02d})" for at in range(80))
    page, _address = look(f"Student,ID,SIS User ID,SIS Login ID,Section{titles}\n" + "A,1,007,a,S" + "," * 80 + "\n")
    assert page.content.decode().count('<select name="field"') == 85
    assert page.context["open_columns"] is False
    page, _address = look("Student ID,name\nann,Ann\n")
    assert page.context["open_columns"] is True
    page, _address = look("student,name\nann,Ann\n")
    assert page.context["open_columns"] is False, "all names are ours"
