"""Exports as the four learning platforms make them, of the same made-up class; headers are those of real ones.

Sources of the headers: Canvas, lib/gradebook_exporter.rb; Moodle, grade/export, user/action_redir.php and the language
packs; Blackboard Learn, help pages on downloading the Grade Center and on Student Preview; Open edX, reports of
instructor_task, the reference of the student profile report and the files of bulk grade management.
"""

from dataclasses import dataclass

import pytest

PEOPLE = (
    ("0031818", "jmueller", "Jürgen", "Müller", "jm@example.edu"),
    ("0031819", "dsmith", "Dana", "Smith", "dana@example.edu"),
    ("0031820", "ali", "Ali", "Öz", "ali@example.edu"),
    ("1000001", "mei", "Mei", "Wang", "mei@example.edu"),
    ("1000002", "eva", "Eva", "Ng", "eva@example.edu"),
)


@dataclass(frozen=True)
class Export:
    """A file, and what a roster made of it must hold."""

    name: str
    content: bytes
    platform: str
    ids: tuple[str, ...]
    names: tuple[str, ...]
    column: str = ""
    """The column that marks go to, empty where it has none."""
    filled: bytes = b""
    """What a mark of 80 for the first student looks like in their row, with what stands before it."""
    left_out: tuple[str, ...] = ()
    email: bool = True
    section: str = ""
    ignored: tuple[str, ...] = ()


NUMBERS = tuple(person[0] for person in PEOPLE)
LOGINS = tuple(person[1] for person in PEOPLE)
ADDRESSES = tuple(person[4] for person in PEOPLE)
FULL = tuple(f"{first} {last}" for _, _, first, last, _ in PEOPLE)
LAST_FIRST = tuple(f"{last}, {first}" for _, _, first, last, _ in PEOPLE)


def _lines(*lines: str, end: str = "\n") -> str:
    return "".join(line + end for line in lines)


def _rows(pattern: str) -> list[str]:
    names = ("number", "login", "first", "last", "email")
    return [pattern.format(at=7001 + at, **dict(zip(names, person, strict=True))) for at, person in enumerate(PEOPLE)]


CANVAS = Export(
    "canvas.csv",
    _lines(
        "Student,ID,SIS User ID,SIS Login ID,Section,Notes,Essay (1001),Peer grading (1002),Essays Current Score,"
        "Final Score",
        ",,,,,,,Manual Posting,,",
        "    Points Possible,,,,,,10.00,20.00,(read only),(read only)",
        *_rows('"{last}, {first}",{at},{number},{login},PHIL 101 A,,7.50,,75.00,75.00'),
        '"Student, Test",7999,,5f1c0bd2ab2b1f6f2c66b2c9d6e0bba1f2f4c0aa,PHIL 101 A,,,,,',
        end="\r\n",
    ).encode("utf-8-sig"),
    "Canvas",
    NUMBERS,
    LAST_FIRST,
    "Peer grading (1002)",
    b"PHIL 101 A,,7.50,16,75.00",
    ("Points Possible", "Student, Test"),
    email=False,
    section="PHIL 101 A",
    ignored=(
        "ID",
        "SIS Login ID",
        "Notes",
        "Essay (1001)",
        "Peer grading (1002)",
        "Essays Current Score",
        "Final Score",
    ),
)
CANVAS_IN_PARTS = Export(
    "canvas-names.csv",
    _lines(
        "LastName;FirstName;ID;SIS Login ID;Section;Peer grading (1002)",
        "    Points Possible;;;;;20,00",
        *_rows("{last};{first};{at};{login};PHIL 101 A;"),
        "Student;Test;7999;5f1c0bd2ab2b1f6f;PHIL 101 A;",
    ).encode(),
    "Canvas",
    LOGINS,
    FULL,
    "Peer grading (1002)",
    b"jmueller;PHIL 101 A;16\n",
    ("Points Possible", "Student, Test"),
    email=False,
    section="PHIL 101 A",
    ignored=("ID", "Peer grading (1002)"),
)
MOODLE = Export(
    "moodle.csv",
    _lines(
        '"First name","Last name","ID number",Institution,Department,"Email address","Assignment: Essay (Real)",'
        '"Assignment: Essay (Feedback)","Course total (Real)","Last downloaded from this course"',
        *_rows("{first},{last},{number},,,{email},-,,-,1763370000"),
    ).encode(),
    "Moodle",
    NUMBERS,
    FULL,
    "Assignment: Essay (Real)",
    b"jm@example.edu,80,,-",
    ignored=(
        *(
            "Institution",
            "Department",
            "Assignment: Essay (Real)",
            "Assignment: Essay (Feedback)",
            "Course total (Real)",
        ),
        "Last downloaded from this course",
    ),
)
MOODLE_GERMAN = Export(
    "moodle-de.csv",
    _lines(
        "Vorname,Nachname,ID-Nummer,Institution,Abteilung,E-Mail-Adresse,Aufgabe: Essay (Punkte),"
        "Aufgabe: Essay (Feedback),Kurs gesamt (Punkte),Zuletzt aus diesem Kurs geladen",
        *_rows('{first},{last},,,,{email},-,,"61,50",1763370000'),
    ).encode(),
    "Moodle",
    ADDRESSES,
    FULL,
    "Aufgabe: Essay (Punkte)",
    b"jm@example.edu,80,,",
    ignored=(
        *("ID-Nummer", "Institution", "Abteilung", "Aufgabe: Essay (Punkte)", "Aufgabe: Essay (Feedback)"),
        *("Kurs gesamt (Punkte)", "Zuletzt aus diesem Kurs geladen"),
    ),
)
MOODLE_PARTICIPANTS = Export(
    "courseid_7_participants.csv",
    _lines('"First name",Surname,"Email address",Groups', *_rows("{first},{last},{email},Tue 10")).encode(),
    "Moodle",
    ADDRESSES,
    FULL,
    section="Tue 10",
)
BLACKBOARD = Export(
    "gc_PHIL101_fullgc_2026-11-17.xls",
    _lines(
        '"Last Name"\t"First Name"\t"Username"\t"Student ID"\t"Last Access"\t"Availability"\t'
        '"Weighted Total [Total Pts: up to 100 Percentage] |38"\t"Essay [Total Pts: 50 Score] |39"',
        *_rows('"{last}"\t"{first}"\t"{login}"\t"{number}"\t"2026-11-02 10:00:00"\t"Yes"\t""\t""'),
        '"Prof_PreviewUser"\t"Pat"\t"pprof_previewuser"\t""\t"2026-11-02 10:00:00"\t"Yes"\t""\t""',
        end="\r\n",
    ).encode("utf-16"),
    "Blackboard",
    NUMBERS,
    FULL,
    "Essay [Total Pts: 50 Score] |39",
    '"Yes"\t""\t"40"\r'.encode("utf-16-le"),
    ("pprof_previewuser",),
    email=False,
    ignored=(
        *("Username", "Last Access", "Availability", "Weighted Total [Total Pts: up to 100 Percentage] |38"),
        "Essay [Total Pts: 50 Score] |39",
    ),
)
OPEN_EDX = Export(
    "edX_Demo_2026_grade_report.csv",
    _lines(
        "Student ID,Email,Username,Grade,Homework 1: Essay,Homework (Avg),Cohort Name,Enrollment Track,"
        "Verification Status,Certificate Eligible,Certificate Delivered,Certificate Type,Enrollment Status",
        *_rows("{at},{email},{login},0.0,Not Attempted,0.0,Blue,audit,N/A,N,N,N/A,enrolled"),
        "7999,gone@example.edu,gone,0.0,Not Attempted,0.0,Blue,audit,N/A,N,N,N/A,unenrolled",
    ).encode(),
    "Open edX",
    LOGINS,
    ("",) * len(PEOPLE),
    "Homework 1: Essay",
    b"jmueller,0.0,0.8,0.0",
    ("gone (unenrolled)",),
    section="Blue",
    ignored=(
        *("Student ID", "Grade", "Homework 1: Essay", "Homework (Avg)", "Enrollment Track", "Verification Status"),
        *("Certificate Eligible", "Certificate Delivered", "Certificate Type", "Enrollment Status"),
    ),
)
OPEN_EDX_PROFILES = Export(
    "edX_Demo_2026_student_profile_info.csv",
    _lines(
        "id,username,name,email,language,location,year_of_birth,gender,level_of_education,mailing_address,goals,"
        "enrollment_mode,cohort,team,city,country",
        *_rows("{at},{login},{first} {last},{email},,,,,,,,audit,[unassigned],[unavailable],,"),
    ).encode(),
    "Open edX",
    LOGINS,
    FULL,
    ignored=(
        *("id", "language", "location", "year_of_birth", "gender", "level_of_education", "mailing_address", "goals"),
        *("enrollment_mode", "city", "country"),
    ),
)
OPEN_EDX_BULK = Export(
    "edX_Demo_2026_graded_results.csv",
    _lines(
        "user_id,username,student_key,course_id,track,cohort,name-ab12cd34,grade-ab12cd34,original_grade-ab12cd34,"
        "previous_override-ab12cd34,new_override-ab12cd34",
        *_rows("{at},{login},,course-v1:edX+Demo+2026,audit,Blue,Essay,0.0,0.0,,"),
    ).encode(),
    "Open edX",
    LOGINS,
    ("",) * len(PEOPLE),
    "new_override-ab12cd34",
    b"Essay,0.0,0.0,,80\n",
    email=False,
    section="Blue",
    ignored=(
        *("user_id", "student_key", "course_id", "track", "name-ab12cd34", "grade-ab12cd34", "original_grade-ab12cd34"),
        *("previous_override-ab12cd34", "new_override-ab12cd34"),
    ),
)
EXPORTS = (
    *(CANVAS, CANVAS_IN_PARTS, MOODLE, MOODLE_GERMAN, MOODLE_PARTICIPANTS, BLACKBOARD, OPEN_EDX, OPEN_EDX_PROFILES),
    OPEN_EDX_BULK,
)

every_export = pytest.mark.parametrize("export", EXPORTS, ids=lambda export: export.name)
every_gradebook = pytest.mark.parametrize(
    "export", [export for export in EXPORTS if export.column], ids=lambda export: export.name
)
