"""Names of the columns of a roster: ours, those of other systems, and in other languages.

Names are compared without case, accents, blanks and signs. Our own names take precedence.
"""

import re
import unicodedata
from collections.abc import Mapping, Sequence

__all__ = ["ALIASES", "FIELDS", "FIRST_OR_FULL", "GROUPS", "LAST_OR_FULL", "bare", "field_of", "positions"]

FIELDS = ("student", "name", "first name", "surname", "email", "section", "team", "paper", "link", "role")
"""The possible fields of a column. Members of a team share a paper; students in no team have their own."""

ALIASES: Mapping[str, tuple[tuple[str, ...], ...]] = {
    # Groups: one counts where no name of those before it is there. An id of students goes before a name to log in with.
    "student": (
        (
            *("student id", "student number", "student no", "id number", "sis user id", "matriculation number"),
            *("registration number", "roll number"),
            *("Matrikelnummer", "Matrikelnr", "Matr.-Nr.", "Matrikel", "ID-Nummer", "Studierendennummer"),
            *("numéro étudiant", "numéro d'étudiant", "n° étudiant", "numéro d'identification", "matricule"),
            *("matrícula", "número de matrícula", "número de estudiante", "número de alumno", "número de ID"),
            *("número de identificación", "ID del alumno", "ID de estudiante", "código de estudiante"),
            *("matricola", "numero di matricola", "codice identificativo", "numero ID", "ID studente"),
            *("número de aluno", "n.º de aluno", "número de estudante", "número mecanográfico"),
            *("número de identificação", "número de identificação (ID)", "ID do aluno"),
            *("studentnummer", "studienummer", "leerlingnummer", "nummer (ID)"),
            *("αριθμός μητρώου", "α.μ.", "αεμ", "αριθμός φοιτητή", "αναγνωριστικός αριθμός"),  # noqa: RUF001
            *("学号", "學號", "学生编号", "學生編號", "ID号码", "識別號碼"),
        ),
        (
            *("login", "login name", "login id", "sis login id", "username", "user id", "user"),
            *("Benutzername", "Anmeldename", "Benutzerkennung", "Nutzername"),
            *("nom d'utilisateur", "identifiant", "nombre de usuario", "usuario", "nome utente"),
            *("nome de utilizador", "nome de usuário", "utilizador", "gebruikersnaam", "όνομα χρήστη"),
            *("用户名", "账号", "帳號", "使用者名稱"),
        ),
        ("id",),
    ),
    "name": (
        (
            *("full name", "student name", "display name"),
            *("vollständiger Name", "Vor- und Nachname", "Nachname, Vorname", "Name, Vorname"),
            *("nom complet", "nom et prénom", "prénom et nom", "nom, prénom"),
            *("nombre completo", "nombre y apellidos", "apellidos, nombre"),
            *("nome completo", "nome e cognome", "cognome e nome", "cognome, nome", "nome do aluno"),
            *("volledige naam", "naam, voornaam"),
            *("ονοματεπώνυμο", "πλήρες όνομα", "姓名", "全名", "学生姓名", "學生姓名"),
        ),
    ),
    "first name": (
        (
            *("first name", "given name", "forename", "Vorname", "prénom", "nombres", "nome próprio", "primeiro nome"),
            *("voornaam", "μικρό όνομα", "Μικρό/Βαπτιστικό όνομα", "名"),
        ),
    ),
    "surname": (
        (
            *("surname", "last name", "family name", "Nachname"),
            *("Familienname", "nom de famille", "apellido", "apellidos"),
            *("cognome", "apelido", "sobrenome", "último nome", "achternaam", "familienaam", "επώνυμο", "επίθετο"),
            *("姓", "姓氏"),
        ),
    ),
    "email": (
        (
            *("e-mail", "e-mail address", "mail", "mail address", "E-Mail-Adresse", "Mailadresse"),
            *("adresse de courriel", "courriel", "adresse e-mail", "adresse électronique", "adresse mail"),
            *("correo electrónico", "correo", "dirección de correo", "dirección de correo electrónico"),
            *("indirizzo e-mail", "posta elettronica"),
            *("endereço de e-mail", "correio eletrónico"),
            *("endereço de correio eletrónico", "e-mailadres", "διεύθυνση ηλεκτρονικού ταχυδρομείου"),
            *("διεύθυνση ηλε.ταχυδρομείου", "ηλεκτρονικό ταχυδρομείο"),
            *("电子邮件", "电子邮件地址", "电子邮箱", "邮箱", "電子郵件", "電子信箱"),
        ),
    ),
    "section": (
        (
            *("group", "groups", "class", "course section", "tutorial", "cohort"),
            *("Gruppe", "Gruppen", "Übungsgruppe", "Tutorium", "Klasse", "groupe", "groupes", "classe", "groupe de TD"),
            *("grupo", "grupos", "sección", "clase", "gruppo", "gruppi", "sezione", "turma", "secção", "seção"),
            *("groep", "groepen", "klas", "sectie", "werkgroep", "ομάδα", "ομάδες", "τμήμα"),
            *("班级", "班級", "小组", "小組", "群組", "组别", "組別"),
        ),
    ),
    "team": (
        (
            *("team name", "project team", "project group", "Projektgruppe", "Arbeitsgruppe", "équipe", "binôme"),
            *("equipo", "squadra", "gruppo di lavoro", "equipa", "grupo de trabalho", "projectgroep"),
            *("ομάδα εργασίας", "团队", "團隊"),
        ),
    ),
}

# Sections that may be teams.
GROUPS = (
    *("group", "groups", "Gruppe", "Gruppen", "groupe", "groupes", "grupo", "grupos", "gruppo", "gruppi", "groep"),
    *("groepen", "ομάδα", "ομάδες", "小组", "小組", "群組"),
)
# Beside a column of first names these hold surnames, and alone whole names: "Name, Vorname", "Nom, Prénom".
LAST_OR_FULL = ("name", "nom", "naam")
# Beside a column of surnames these hold first names, and alone whole names: "Nombre, Apellidos", "Nome, Cognome".
FIRST_OR_FULL = ("nombre", "nome", "όνομα", "名字")


def bare(name: str) -> str:
    """Return a name without case, accents, spaces and signs."""
    plain = unicodedata.normalize("NFKD", name.casefold())
    return re.sub(r"[\W_]+", "", "".join(letter for letter in plain if not unicodedata.combining(letter)))


def positions(titles: Sequence[str], names: Sequence[str]) -> tuple[int, ...]:
    """Return the positions of these names in a header."""
    wanted = {bare(name) for name in names}
    return tuple(index for index, title in enumerate(titles) if bare(title) in wanted)


_FIELD_OF = {bare(name): field for field, groups in ALIASES.items() for group in groups for name in group}
_FIELD_OF |= {bare(field): field for field in FIELDS}


def field_of(title: str) -> str:
    """Return the field of a column with this name; empty for unknown names."""
    return _FIELD_OF.get(bare(title), "")
