"""Rosters with the names that other systems and languages give to columns."""

from pathlib import Path

import pytest

from peerorder.files import FileError, read_conflicts, read_rankings, read_roster
from peerorder.files.tables.roster_columns import ALIASES, FIELDS, FIRST_OR_FULL, LAST_OR_FULL, bare


@pytest.mark.parametrize(
    "header",
    [
        "Student ID,Full name,E-mail,Section",
        "STUDENT_ID,full_name,e-mail address,GROUP",
        "Login,Display Name,EMAIL ADDRESS,Class",
        "id,name,mail,section",
    ],
)
def test_usual_names_are_taken(header, file):
    path = file(f"{header}\n007,Ann Lee,ann@example.org,Mon\n8,Bob,,\n")
    roster = read_roster(path)
    assert roster.students == ("007", "8")
    assert roster.name == ("Ann Lee", "Bob")
    assert roster.email == ("ann@example.org", "")
    assert roster.section == ("Mon", "")
    assert roster.columns == {"student", "name", "email", "section"}
    assert f"IDs from {header.split(',')[0]}" in roster.notes[0]


def test_first_name_and_surname_are_a_name(file):
    path = file("Surname,First name,ID number,Username,Email address\nLee,Ann,7,al,a@example.org\nCher,,8,ch,\n")
    roster = read_roster(path)
    assert (roster.students, roster.name) == (("7", "8"), ("Ann Lee", "Cher"))
    assert roster.notes == (
        f"{path}: this is an export of Moodle: IDs from ID number, names from First name and Surname and e-mail "
        "addresses from Email address",
        f"{path}: ignored column: Username",
    )


def test_the_same_in_a_workbook(workbook):
    roster = read_roster(workbook([["First name", "Last name", "Student ID"], ["Ann", "Lee", "a1"]]))
    assert (roster.students, roster.name) == (("a1",), ("Ann Lee",))


def test_our_own_names_go_before_all_others(file):
    path = file("student,Student ID,name,Full name,Group,Group,section\nann,1,Ann,A. Lee,x,y,Mon\n")
    roster = read_roster(path)
    assert (roster.students, roster.name, roster.section) == (("ann",), ("Ann",), ("Mon",))
    assert roster.notes == (f"{path}: ignored columns: Student ID, Full name, Group, Group",)


def test_where_two_may_be_meant_neither_is_taken(file, complaints):
    path = file("Student ID,Student number,Name\n1,2,Ann\n")
    cause = "there is no column student, and Student ID and Student number could each be meant"
    assert complaints(read_roster, path) == [(None, None, cause)]
    roster = read_roster(file("student,Mail,E-mail address,Group,Class,First name\nann,a@b.c,d@e.f,x,y,Ann\n"))
    assert (roster.email, roster.section, roster.name) == (("",), ("",), ("",))
    assert any("Mail and E-mail address could each be email" in note for note in roster.notes)
    assert any("ignored columns: Mail, E-mail address, Group, Class, First name" in note for note in roster.notes)


@pytest.mark.parametrize("header", ["student,name", "Student ID;Name;Mail", '"Matriculation number"\tName'])
def test_a_title_above_the_header_is_named(file, header):
    path = file(f"PHIL 101 class list\nAutumn, group A; late\n\n{header}\n7,Ann,a\n")
    with pytest.raises(FileError) as caught:
        read_roster(path)
    assert str(caught.value) == (
        f"{path}: the header seems to be in row 4, below phil 101 class list; delete the rows above it"
    )


def test_a_title_above_the_header_of_a_workbook_and_of_other_files(file, workbook):
    roster = read_roster(file("student\nann\nbob\n", "roster.csv"))
    path = workbook([["Essay 1"], ["student", "paper"], ["ann", "bob"]])
    with pytest.raises(FileError, match="the header seems to be in row 2, below essay 1; delete the rows above it"):
        read_conflicts(path, roster)
    with pytest.raises(FileError, match="the header seems to be in row 2, below essay 1; delete the rows above it"):
        read_rankings(file("Essay 1\nGrader,Paper,Rank\nann,bob,1\n", "rankings.csv"), roster=roster)


@pytest.mark.parametrize("heading", ["Team", "team name", "Équipe", "equipo", "团队"])
def test_a_team_is_a_paper_and_who_is_in_none_has_one_of_their_own(file, heading):
    roster = read_roster(file(f"student,{heading},role\nann,t1,\nbob,t1,\ncy,,\ndee,,staff\n"))
    assert roster.papers == ("t1", "cy")
    assert roster.authored.tolist() == [0, 0, 1, -1]
    assert "paper" in roster.columns


def test_a_team_with_the_id_of_somebody_else(file, complaints):
    path = file("student,team\n1,2\n2,\n3,2\n")
    cause = "the team 2 has the ID of a student who is in no team"
    assert complaints(read_roster, path) == [(2, "team", cause), (4, "team", cause)]
    assert read_roster(file("student,team\n1,2\n2,2\n")).papers == ("2",), "its own member may give it the name"


def test_an_empty_id_is_the_problem_of_its_own_row_alone(file, complaints):
    path = file("student,name,team\n1,Ann,\n,Bob,\n3,Cy,\n4,Dee,t1\n")
    assert [(row, column) for row, column, _cause in complaints(read_roster, path)] == [(3, "student")]
    assert read_roster(path, lenient=True).papers == ("1", "3", "t1")


def test_papers_go_before_teams(file):
    path = file("student,paper,Team\nann,p,t\nbob,,t\n")
    roster = read_roster(path)
    assert (roster.papers, roster.authored.tolist()) == (("p",), [0, -1])
    assert roster.notes == (f"{path}: ignored column: Team",)


def test_a_group_is_a_section_and_never_silently_a_team(file):
    roster = read_roster(file("student,Group\nann,g1\nbob,g1\n"))
    assert (roster.section, roster.papers) == (("g1", "g1"), ("ann", "bob"))
    assert any("Group is read as section; rename it to Team" in note for note in roster.notes)
    roster = read_roster(file("student,Group,Section\nann,g1,Mon\n"))
    assert (roster.section, roster.papers) == (("Mon",), ("ann",))
    assert any("ignored column: Group" in note for note in roster.notes)


# As a registry or a Moodle of that language would write them.
LANGUAGES = {
    "German": "Matrikelnummer;Nachname;Vorname;E-Mail-Adresse;Gruppe;Team",
    "German, surname as name": "Matr.-Nr.;Name;Vorname;E-Mail;Übungsgruppe;Projektgruppe",
    "French": "N° étudiant;Nom;Prénom;Adresse de courriel;Groupe de TD;Équipe",
    "Spanish": "Número de matrícula;Apellido(s);Nombre;Dirección de correo;Grupo;Equipo",
    "Italian": "Matricola;Cognome;Nome;Indirizzo email;Sezione;Squadra",
    "Portuguese": "N.º de aluno;Apelido;Nome;Endereço de e-mail;Turma;Equipa",
    "Brazilian": "Matrícula;Sobrenome;Nome;Endereço de email;Turma;Equipe",
    "Dutch": "Studentnummer;Achternaam;Voornaam;E-mailadres;Groep;Projectgroep",
    "Flemish": "Studentnummer;Naam;Voornaam;E-mailadres;Klas;Team",
    "Greek": "ΑΡΙΘΜΟΣ ΜΗΤΡΩΟΥ;ΕΠΩΝΥΜΟ;Όνομα;Διεύθυνση ηλεκτρονικού ταχυδρομείου;Τμήμα;Ομάδα εργασίας",
    "Chinese": "学号;姓;名;电子邮件地址;班级;团队",
    "Chinese, traditional": "學號;姓氏;名字;電子郵件;班級;團隊",
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_headings_in_other_languages(file, language):
    path = file(f"{LANGUAGES[language]}\n007;Lee;Ann;ann@example.org;Mon;t1\n008;Bo;Bob;;Mon;t1\n")
    roster = read_roster(path)
    assert roster.students == ("007", "008")
    assert roster.name == ("Ann Lee", "Bob Bo")
    assert roster.email == ("ann@example.org", "")
    assert roster.section == ("Mon", "Mon")
    assert roster.papers == ("t1",)
    [note] = roster.notes
    assert LANGUAGES[language].split(";")[0] in note


@pytest.mark.parametrize("heading", ["Nom", "Nombre", "Nome", "Naam", "Όνομα", "姓名", "Ονοματεπώνυμο"])
def test_a_name_alone_is_a_whole_name(file, heading):
    assert read_roster(file(f"student,{heading}\n1,Ann Lee\n")).name == ("Ann Lee",)


@pytest.mark.parametrize("heading", ["Name, Vorname", "Nom, Prénom"])
def test_one_column_for_surname_and_first_name(file, heading):
    assert read_roster(file(f'student;"{heading}"\n1;Lee, Ann\n')).name == ("Lee, Ann",)


def test_an_english_name_beside_a_first_name_is_whole(file):
    assert read_roster(file("student,Name,First name\n1,Ann Lee,Ann\n")).name == ("Ann Lee",)


def test_chinese_names_begin_with_the_surname(file):
    roster = read_roster(file("学号,名,姓\n1,小明,王\n2,Ann,Lee\n"))
    assert roster.name == ("王小明", "Ann Lee")


def test_addresses_are_the_ids_where_there_are_no_others(file):
    path = file("name,Mail\nAnn,ann@example.org\nBob,bob@example.org\n")
    roster = read_roster(path)
    assert roster.students == roster.email == ("ann@example.org", "bob@example.org")
    assert f"{path}: no column has student IDs, so the addresses in Mail are used as IDs" in roster.notes


def test_two_columns_of_our_own_name(file, complaints):
    cause = "more than one column has this name"
    assert complaints(read_roster, file("student,Name,name\nann,A,B\n")) == [(1, "name", cause)]


def test_somebody_says_what_the_columns_are(file, complaints):
    path = file("who,x,x,y\nann,Ann,Lee,t1\nbob,Bob,Bo,t1\n")
    roster = read_roster(path, chosen=("student", "first name", "surname", "team"))
    assert (roster.students, roster.name, roster.papers) == (("ann", "bob"), ("Ann Lee", "Bob Bo"), ("t1",))
    assert roster.layout.ignored == ()
    assert read_roster(path, chosen=("student",)).layout.ignored == ("x", "x", "y")
    assert complaints(read_roster, path, chosen=("student", "name", "name")) == [
        (None, None, "x and x are both read as name")
    ]
    [(row, column, cause)] = complaints(read_roster, path, chosen=("", "name"))
    assert (row, column) == (None, None)
    assert "no column student" in cause


def test_no_name_stands_for_two_things():
    names = [bare(name) for groups in ALIASES.values() for group in groups for name in group]
    names += [bare(name) for name in (*FIRST_OR_FULL, *LAST_OR_FULL) if name != "name"]
    assert len(names) == len(set(names))
    own = {bare(field) for field in FIELDS if field not in ("first name", "surname")}
    assert not set(names) & (own - {"email"})


def test_every_name_is_documented():
    text = (Path(__file__).parents[3] / "docs" / "reference" / "files.md").read_text("utf-8")
    names = [name for groups in ALIASES.values() for group in groups for name in group]
    assert [name for name in (*names, *FIRST_OR_FULL, *LAST_OR_FULL) if f"`{name}`" not in text] == []
