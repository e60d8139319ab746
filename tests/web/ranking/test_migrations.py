"""What counted before an upgrade counts afterwards, and a row says so."""

import pytest

# Before: content and time of what counts stood in the ballot itself. Rows of ``saves`` are content, when, hands in.
FILL = """
from datetime import timedelta
from django.db import connection
from django.utils import timezone
from peerorder.web.assignments.models import Assignment
from peerorder.web.courses.models import Course, Member, Role
from peerorder.web.people.models import Person
now = timezone.now()
course = Course.objects.create(name="Algorithms")
assignment = Assignment.objects.create(course=course, title="Essay").pk
json_of = lambda token: json.dumps({"orders": {"0": [[token]]}, "unjudged": [], "comments": {token: 'ä "b"'}})
at = lambda hour: now + timedelta(hours=hour)
stories = [
    ("nothing handed in", "a", None, None, [("a", 1, False)]),
    ("handed in", "a", "a", 2, [("a", 1, False), ("a", 2, True)]),
    ("changed since", "b", "a", 1, [("a", 1, True), ("b", 2, False)]),
    ("handed in twice", "b", "b", 3, [("a", 1, True), ("b", 3, True)]),
    ("the same again", "a", "a", 1, [("a", 1, True), ("a", 2, True)]),
    ("without a row", "a", "a", 5, [("a", 1, False)]),
    ("an older one without a row", "a", "a", 5, [("a", 1, True), ("b", 2, True), ("a", 3, False)]),
    ("without a time", "a", "a", None, [("a", 1, False)]),
]
with connection.cursor() as cursor:
    for number, (name, content, counts, when, saves) in enumerate(stories * TIMES):
        person = Person.objects.create(name=name, password="!")
        member = Member.objects.create(course=course, person=person, role=Role.STUDENT).pk
        row = [member, assignment, member, len(saves), json_of(content), at(0), at(6)]
        columns = "id, assignment_id, grader_id, revision, content, started_at, updated_at, client, client_number"
        cursor.execute(
            f"INSERT INTO ranking_ballot ({columns}, client_since, handed_in, handed_in_at) "
            "VALUES (%s, %s, %s, %s, %s, %s, %s, 'page', 1, 0, %s, %s)",
            [*row, json_of(counts) if counts else None, at(when) if when else None],
        )
        columns = "ballot_id, content, at, hands_in, revision, client, client_number, conflict, late"
        cursor.executemany(
            f"INSERT INTO ranking_save ({columns}) VALUES (%s, %s, %s, %s, 1, 'page', 1, FALSE, FALSE)",
            [[member, json_of(token), at(hour), hands_in] for token, hour, hands_in in saves],
        )
tell(None)
"""
LOOK = """
from django.db import connection
from django.db.models import F
from peerorder.web.ranking.models import Ballot, Comment, Save
first = Ballot.objects.earliest("pk").started_at
hour = lambda moment: round((moment - first).total_seconds() / 3600)
found = {}
for ballot in Ballot.objects.select_related("grader__person", "submission").order_by("pk"):
    saves = [
        ["".join(save.content["comments"]), hour(save.at), save.hands_in] for save in ballot.saves.order_by("pk")
    ]
    for content in Comment.objects.put_back([save.content for save in ballot.saves.all()]):
        assert list(content["comments"].values()) == ['ä "b"'], content
    assert "ä" not in json.dumps([save.content for save in ballot.saves.all()], ensure_ascii=False)
    counts = None
    if ballot.submission is not None:
        counts = ["".join(ballot.submitted["comments"]), hour(ballot.submission.at), ballot.submission.hands_in]
    found.setdefault(ballot.grader.person.name, []).append([counts, len(saves), counts in [None, *saves]])
refused = []
for statement in ("UPDATE ranking_save SET late = TRUE", "DELETE FROM ranking_save"):
    try:
        with connection.cursor() as cursor:
            cursor.execute(statement)
    except Exception as error:
        refused.append("only added to" in str(error))
tell([found, refused])
"""
BACK = """
from django.db import connection
with connection.cursor() as cursor:
    cursor.execute("SELECT id, handed_in, handed_in_at, content, updated_at FROM ranking_ballot ORDER BY id")
    tell([list(map(str, row)) for row in cursor.fetchall()])
"""
CONTENTS = """
from django.db import connection
with connection.cursor() as cursor:
    cursor.execute("SELECT content FROM ranking_save ORDER BY id")
    tell([json.loads(content) for content, in cursor.fetchall()])
"""


@pytest.fixture
def app(app):
    return app.migrate()


def migrate(app, *target):
    done = app.command("-m", "peerorder.web", "migrate", *target, "--verbosity", "0", check=False)
    assert done.returncode == 0, done.stderr


def test_what_counted_counts(app):
    migrate(app, "ranking", "0003_slot_opened_at")
    app.ask(f"TIMES = 2\n{FILL}")
    migrate(app)
    found, refused = app.ask(LOOK)
    # What counts, when it was handed in and that its row says so; how many rows there are, with those that were added.
    wanted = {
        "nothing handed in": [None, 1, True],
        "handed in": [["a", 2, True], 2, True],
        "changed since": [["a", 1, True], 2, True],
        "handed in twice": [["b", 3, True], 2, True],
        "the same again": [["a", 1, True], 2, True],
        "without a row": [["a", 5, True], 2, True],
        "an older one without a row": [["a", 5, True], 4, True],
        "without a time": [["a", 6, True], 2, True],
    }
    assert found == {name: [row, row] for name, row in wanted.items()}
    assert refused == [True, True]


def test_the_way_back(app):
    migrate(app, "ranking", "0003_slot_opened_at")
    app.ask(f"TIMES = 1\n{FILL}")
    before, saves = app.ask(BACK), app.ask(CONTENTS)
    migrate(app)
    assert app.ask(CONTENTS)[0] != saves[0]
    migrate(app, "ranking", "0003_slot_opened_at")
    after = app.ask(BACK)
    # Rows that the upgrade added stay.
    assert app.ask(CONTENTS)[: len(saves)] == saves
    # Where there was no time, the last change is one.
    before[-1][2] = before[-1][4]
    assert after == before


def test_what_was_pending_is_still_pending(app):
    migrate(app, "papers", "0001_initial")
    app.ask(
        """
from django.db import connection
from peerorder.web.assignments.models import Assignment
from peerorder.web.courses.models import Course, Member, Role
from peerorder.web.people.models import Person
course = Course.objects.create(name="Algorithms")
assignment = Assignment.objects.create(course=course, title="Essay").pk
member = Member.objects.create(course=course, person=Person.objects.create(name="Bo"), role=Role.STUDENT).pk
with connection.cursor() as cursor:
    cursor.execute(
        "INSERT INTO papers_held (assignment_id, member_id, at, sent, shows) "
        "VALUES (%s, %s, CURRENT_TIMESTAMP, %s, %s)", [assignment, member, '{"kind": "text"}', '["Bo"]']
    )
"""
    )
    migrate(app)
    told = app.ask(
        "from peerorder.web.papers.models import PendingSubmission as P\n"
        "tell([[each.member.person.name, each.sent, each.shows] for each in P.objects.all()])"
    )
    assert told == [["Bo", {"kind": "text"}, ["Bo"]]]
