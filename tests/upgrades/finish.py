"""Finish the round of an older version after an upgrade, by the pages of the app alone.

It runs inside the app of today, on upgraded data. Only addresses, form fields and labels of models are used, so that
moved modules do not matter; change it where people have to do something else than before. What it saw is printed at
the end, as a line of JSON.
"""

import csv
import io
import json
import re
import sys
import zipfile
from pathlib import Path

from django.apps import apps
from django.conf import settings
from django.core import mail
from django.test import Client
from django.test.utils import override_settings, setup_test_environment

from peerorder.web.jobs.services import claim, run
from peerorder.web.results.releases import publish_due

EXPECTED = json.loads(Path(sys.argv[1]).read_text("utf-8"))
ROUND, SECOND = (EXPECTED["assignments"][name]["id"] for name in ("ranking", "handing_in"))
# Pages are shown without `collectstatic`, which other tests look at.
STATIC = {"staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}}


def rows(label: str):
    return apps.get_model(label)._base_manager.order_by("pk")


def as_student(student: str) -> Client:
    person = next(each["person"] for each in EXPECTED["students"] if each["student"] == student)
    client = Client()
    client.force_login(rows("people.Person").get(pk=person))
    return client


def with_session(who: dict) -> Client:
    client = Client()
    client.cookies[settings.SESSION_COOKIE_NAME] = who["session"]
    return client


# The ways in.


def ways_in() -> dict:
    """Return the answers to whoever comes in as before: 200 where the course is shown."""
    instructor, student = EXPECTED["instructor"], EXPECTED["student"]
    by_password, by_link, revoked = Client(), Client(), Client()
    by_password.post("/login/", {"login": instructor["login"], "password": instructor["password"]})
    by_link.post(f"/in/{student['link']}/")
    return {
        "password": sees_course(by_password),
        "link": sees_course(by_link),
        "session of the instructor": sees_course(with_session(instructor)),
        "session of a student": sees_course(with_session(student)),
        "link again": sees_course(with_new_link(EXPECTED["students"][1]["email"])),
        "revoked link": revoked.get(f"/in/{EXPECTED['revoked_link']['link']}/").status_code,
    }


def with_new_link(email: str) -> Client:
    """Ask for the link again, as somebody does who has lost it, and enter by the one that comes."""
    client = Client()
    assert client.post("/login/link/", {"email": email}).status_code == 200
    while (job := claim("upgrade", "mail")) is not None:
        run(job)
    (message,) = [
        message for message in mail.outbox if message.to == [email] and "personal link for" in message.subject
    ]
    address = re.search(r"/in/\S+/", message.body)[0]
    assert client.get(address).status_code == 200
    assert sees_course(client) == 302, "opening it is not entering"
    assert client.post(address).status_code == 302
    return client


def sees_course(client: Client) -> int:
    return client.get(f"/courses/{EXPECTED['course']['id']}/").status_code


# The second assignment.


def submit_held() -> int:
    """Submit what was held before the upgrade; return how many papers there are then."""
    client = as_student(EXPECTED["held"]["student"])
    assert client.post(f"/assignments/{SECOND}/hand-in/anyway/").status_code == 302
    return rows("papers.Paper").filter(assignment=SECOND).count()


# The round that was at ranking.


def rank(student: str) -> int:
    """Submit a ranking by the form: the papers in the order of their labels, with a comment on each."""
    ballot = next((each for each in EXPECTED["ballots"] if each["student"] == student), None)
    form: dict[str, object] = {"revision": ballot["revision"] if ballot else 0, "client": "afterwards", "number": 0}
    for place, token in enumerate(EXPECTED["bundles"][student], 1):
        form |= {f"place-{token}": place, f"comment-{token}": f"Ranked after the upgrade: {place}."}
    return as_student(student).post(f"/assignments/{ROUND}/ranking/hand-in/", form).status_code


def advance(to: str) -> str:
    """Take the step by the page of the instructor; return the stage."""
    client = Client()
    client.force_login(rows("people.Person").get(pk=EXPECTED["instructor"]["person"]))
    assert client.post(f"/assignments/{ROUND}/move/{to}/").status_code == 302
    return rows("rounds.Assignment").get(pk=ROUND).stage


def release() -> str:
    """Finish the assignment on the page of releases, with marks given elsewhere; return the stage."""
    client = Client()
    client.force_login(rows("people.Person").get(pk=EXPECTED["instructor"]["person"]))
    page = client.get(f"/assignments/{ROUND}/release/?what=nothing").content.decode()
    seen = re.search(r'name="seen" value="(\w+)"', page)[1]
    signed = {"what": "nothing", "seen": seen, "signs": "on"}
    assert client.post(f"/assignments/{ROUND}/release/sign-off/", signed).status_code == 302
    assert publish_due(rows("results.Release").get(assignment=ROUND).due_at) == 1
    return rows("rounds.Assignment").get(pk=ROUND).stage


def export() -> dict:
    """Return the tables that the instructor downloads, by name."""
    client = Client()
    client.force_login(rows("people.Person").get(pk=EXPECTED["instructor"]["person"]))
    answer = client.get(f"/assignments/{ROUND}/export/everything.zip")
    assert answer.status_code == 200
    with zipfile.ZipFile(io.BytesIO(b"".join(answer.streaming_content))) as archive:
        return {name: archive.read(name).decode() for name in archive.namelist() if name.endswith(".csv")}


def authors() -> dict[str, str]:
    """Return the author of the paper behind every token."""
    by_paper = dict(rows("papers.Authorship").values_list("paper", "member__student"))
    slots = rows("ranking.Slot").filter(assignment=ROUND)
    return {token: by_paper[paper] for token, paper in slots.values_list("token", "paper")}


def finish() -> dict:
    seen = {"ways_in": ways_in(), "papers_of_second": submit_held()}
    done = [each["student"] for each in EXPECTED["ballots"] if each["submitted"] is not None]
    rest = [each["student"] for each in EXPECTED["students"] if each["student"] not in done]
    seen["ranked"] = {student: rank(student) for student in rest}
    seen["stages"] = [advance("review"), release()]
    tables = export()
    seen["tables"], seen["authors"] = tables, authors()
    seen["rankings"] = list(csv.DictReader(io.StringIO(tables["rankings.csv"])))
    return seen


if __name__ == "__main__":
    setup_test_environment()
    with override_settings(STORAGES=settings.STORAGES | STATIC):
        print("TOLD", json.dumps(finish()))
