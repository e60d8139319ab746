"""Everything that the web app stores about people is in docs/reference/privacy.md."""

import re
from pathlib import Path

from django.apps import apps

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "privacy.md").read_text("utf-8")
# What tells nothing about a person: numbers of rows, states, settings, and times of the machine's own doings.
ALWAYS = {"id", "course", "assignment", "paper", "version", "ballot", "token", "number"}
IMPERSONAL = {
    "people.Person": {"is_active", "makes_courses", "erased_at"},
    "people.Link": {"kind", "printed", "ends_at", "revoked_at"},
    "people.Session": {"expire_date"},
    "people.Confirmation": {"purpose", "made_at", "ends_at"},
    "people.MailRequest": {"purpose", "at"},
    "people.Attempt": {"at"},
    "courses.Invitation": {"role", "emailed", "invited_at", "expires_at", "accepted_at", "revoked_at"},
    "courses.RosterUpload": {"at", "applied_at"},
    "rounds.Extension": {"granted_at"},
    "papers.Paper": {"code", "current", "withdrawn_at", "created_at"},
    "papers.Version": {"kind", "state", "rules"},
    "papers.Page": {"width", "height"},
    "papers.PendingSubmission": {"at"},
    "ranking.Slot": {"handout", "position", "part"},
    "ranking.Ballot": {"revision", "kept_bytes", "client", "client_number", "client_since", "submission"},
    "ranking.Comment": {"digest"},
    "ranking.Save": {"revision", "client_number", "hands_in", "conflict", "late"},
    "ranking.UncountedSave": {"why", "revision", "client_number"},
    "ranking.Problem": {"slot", "kind", "at", "answered_at"},
    "monitor.Offer": {"papers", "rankings_each", "offered_at", "job"},
    "results.Result": {"key", "settings", "requested_at", "finished_at", "problem", "digest", "provenance"},
    "results.ResultData": {"result", "part"},
    "results.Basis": {"result", "settings", "revision", "changed_at"},
    "results.Decision": {"kind", "made_at", "undone_at"},
    "results.Release": {
        *("result", "settings", "decisions", "marks", "comments", "tells", "signed_off_at", "due_at"),
        *("published_at", "withdrawn_at"),
    },
    "results.Look": {"release"},
    "results.HiddenComment": {"slot", "hidden_at"},
    "results.CommentFeedback": {"slot", "at"},
    "results.Thanks": {"shown_at"},
    "mail.Mail": {
        *("link", "link_id", "course_id", "assignment_id", "key", "queued_at", "tries", "next_try_at", "sent_at"),
        "printed",
    },
    "log.Event": {"at", "course_id", "assignment_id", "verb"},
    "jobs.Job": {
        *("kind", "lane", "assignment_id", "key", "state", "worker", "done", "total", "message", "tries", "crashes"),
        *("enqueued_at", "run_after", "finished_at"),
    },
}
# Models without anything about a person: courses and assignments, hand-outs, seals, workers.
WITHOUT = {
    "courses.Course",
    "courses.Section",
    "rounds.Assignment",
    "ranking.Handout",
    "monitor.Reminded",
    "results.WatchedWords",
    "jobs.Heartbeat",
    "log.Seal",
}


def rows() -> dict[str, str]:
    """The rows of the table, by model."""
    return {found[1]: found[0] for found in re.finditer(r"^\| `(\w+\.[A-Z]\w+)` \|.*$", PAGE, re.MULTILINE)}


def ours():
    return [model for model in apps.get_models() if model.__module__.startswith("peerorder.web")]


def test_every_model_is_on_the_page_or_holds_nothing_about_people():
    labels = {model._meta.label for model in ours()}
    assert labels == set(rows()) | WITHOUT
    assert not set(rows()) & WITHOUT


def test_every_field_with_personal_data_is_named():
    missing = []
    for model in ours():
        label = model._meta.label
        if label in WITHOUT:
            continue
        impersonal = IMPERSONAL.get(label, set())
        names = {field.name for field in model._meta.concrete_fields}
        assert impersonal <= names, f"{label} has lost {impersonal - names}"
        missing += [
            f"{label}.{name}" for name in sorted(names - ALWAYS - impersonal) if f"`{name}`" not in rows()[label]
        ]
    assert missing == []


def test_every_field_that_is_named_is_there():
    for model in ours():
        if model._meta.label in WITHOUT:
            continue
        names = {field.name for field in model._meta.concrete_fields}
        cell = rows()[model._meta.label].split("|")[2]
        assert set(re.findall(r"`(\w+)`", cell)) <= names, model._meta.label


def test_the_default_of_retention_is_what_the_page_says():
    from peerorder.web.courses.models import RETENTION_MONTHS

    assert f"{RETENTION_MONTHS} by default" in PAGE
