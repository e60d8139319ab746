"""Handing in: texts, files and links, by the form."""

import hashlib
from datetime import timedelta

import pytest
from django.utils import timezone

from peerorder.web.assignments.models import Assignment, Extension, Stage
from peerorder.web.audit.models import Event
from peerorder.web.papers import services
from peerorder.web.papers.models import Authorship, Paper, PendingSubmission, State, Version
from peerorder.web.papers.submission_window import SubmissionWindow
from peerorder.web.papers.submissions import LONGEST_TEXT, check_text
from tests.web.papers.conftest import address, make_image, make_pdf, send, take, upload, work


def test_a_text_is_taken(enter, assignment, students):
    client = enter(students[0])
    assert client.get(address(assignment)).status_code == 200
    answer = send(client, assignment, "text", "# Trees\r\nThey are **green**.")
    assert (answer.status_code, answer["Location"]) == (302, address(assignment, "receipt/"))
    version = Version.objects.get()
    assert version.text == "# Trees\nThey are **green**."
    assert (version.kind, version.late, version.state) == ("text", False, "ready")
    assert version.paper.current == version
    assert Authorship.objects.get().member == students[0]
    assert Event.objects.get(verb="paper handed in").person_id == students[0].person_id
    assert "<strong>green</strong>" in client.get(address(assignment, "my-paper/")).content.decode()


def test_a_replacement_that_is_refused_leaves_the_earlier_version_and_says_so(enter, assignment, students):
    client = enter(students[0])
    said = "still counts"
    assert said not in send(client, assignment, "file", upload(b"no PDF", "a.pdf")).content.decode()
    send(client, assignment, "text", "Trees.")
    answer = send(client, assignment, "file", upload(b"no PDF", "a.pdf"))
    assert (answer.status_code, Version.objects.count()) == (422, 1)
    assert said in answer.content.decode()


def test_a_pdf_is_taken_and_drawn(enter, assignment, students, files):
    client = enter(students[0])
    content = make_pdf(pages=2)
    assert send(client, assignment, "file", upload(content, "Bo's essay.pdf")).status_code == 302
    version = Version.objects.get()
    assert (version.kind, version.state) == ("pdf", State.PREPARING)
    assert version.digest == hashlib.sha256(content).hexdigest()
    assert version.size == len(content)
    page = client.get(address(assignment, "my-paper/")).content.decode()
    assert "being prepared" in page
    assert "every 2s" in page
    work()
    page = client.get(address(assignment, "my-paper/"), headers={"HX-Request": "true"}).content.decode()
    assert "every 2s" not in page
    assert "<html" not in page
    assert 'alt="Page 2 of 2"' in page
    assert "A paper about trees 2" in page
    picture = client.get(address(assignment, "my-paper/pages/2/"))
    assert picture["Content-Type"] == "image/webp"
    assert picture.content[8:12] == b"WEBP"
    assert client.get(address(assignment, "my-paper/pages/3/")).status_code == 404
    assert not any("essay" in str(path) for path in files())
    assert len(files()) == 4


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP"])
def test_an_image_is_taken(enter, assignment, students, kind):
    client = enter(students[0])
    assert send(client, assignment, "file", upload(make_image(kind), "x.pdf", "text/html")).status_code == 302
    version = Version.objects.get()
    assert (version.kind, version.state, version.pages.count()) == ("image", "ready", 1)
    assert client.get(address(assignment, "my-paper/pages/1/")).status_code == 200


def test_a_link_is_taken_where_links_are(enter, assignment, students):
    client = enter(students[0])
    assert send(client, assignment, "link", "https://example.edu/x").status_code == 422
    assignment.takes_links = True
    assignment.save()
    assert send(client, assignment, "link", " https://example.edu/x?a=1&b=2 ").status_code == 302
    page = client.get(address(assignment, "my-paper/")).content.decode()
    assert "<code>https://example.edu/x?a=1&amp;b=2</code>" in page
    assert 'rel="noopener noreferrer nofollow"' in page
    assert '<p class="message warning">' in page.partition('<div class="reader">')[2].partition("<code>")[0]


@pytest.mark.parametrize(
    ("link", "warned"), [("https://docs.google.com/document/d/1", True), ("https://example.edu/docs.google.com", False)]
)
def test_who_links_to_a_site_that_shows_owners_is_warned(enter, assignment, students, link, warned):
    assignment.takes_links = True
    assignment.save()
    client = enter(students[0])
    assert send(client, assignment, "link", link).status_code == 302
    said = [message.level_tag for message in client.get(address(assignment, "receipt/")).context["messages"]]
    assert said == ["success", "warning"][: 1 + warned]


@pytest.mark.parametrize(
    "link",
    [
        *(
            "javascript:alert(1)",
            "JaVaScRiPt:alert(1)",
            "data:text/html,<script>",
            "ftp://example.edu/",
            "//example.edu",
        ),
        *("https://", "https:///x", "http://[", "https://a b", "https://me:secret@example.edu/", "vbscript:x", "x", ""),
        *("https://example.edu/\u202egpj.exe", "java\tscript:alert(1)", "https://example.edu:0/", "https://x:y/"),
        "https://example.edu/" + 2000 * "a",
        # Not safe on its way, or nobody else can reach it (m13).
        *(
            "http://example.edu/x",
            "https://localhost/secret",
            "https://127.0.0.1/",
            "https://10.1.2.3/x",
            "https://[::1]/",
        ),
        *(
            "https://printer/",
            "https://wiki.local/x",
            "https://192.168.0.1./",
            "https://169.254.169.254/",
            "https://0x7f.1/",
        ),
    ],
)
def test_other_addresses_are_not(enter, assignment, students, link):
    assignment.takes_links = True
    assignment.save()
    assert send(enter(students[0]), assignment, "link", link).status_code == 422
    assert not Paper.objects.exists()


def test_only_what_the_assignment_takes(enter, assignment, students):
    assignment.takes_text = assignment.takes_images = False
    assignment.save()
    client = enter(students[0])
    page = client.get(address(assignment)).content.decode()
    assert "<textarea" not in page
    assert "image/png" not in page
    assert send(client, assignment, "text", "words").status_code == 422
    answer = send(client, assignment, "file", upload(make_image(), "a.pdf"))
    assert answer.status_code == 422
    assert answer.context["form"].errors.keys() == {"file"}
    assert "Only PDF" in answer.content.decode()
    assert send(client, assignment, "file", upload(make_pdf())).status_code == 302


@pytest.mark.parametrize(
    ("how", "what", "where"),
    [("text", "", "id_text"), ("file", upload(b""), "id_file"), ("link", "nowhere", "id_link"), ("", "", "id_how_0")],
)
def test_what_is_wrong_stands_at_the_top_with_the_focus_and_leads_there(enter, assignment, students, how, what, where):
    """It stood below the fold, and looked as if the paper had been handed in (M5)."""
    assignment.takes_links = True
    assignment.save()
    page = send(enter(students[0]), assignment, how, what).content.decode()
    summary = page.index('<div class="message error summary" id="problems" role="alert" tabindex="-1" autofocus>')
    assert page.index("<h1>") < summary < page.index('<form method="post" enctype')
    assert f'href="#{where}"' in page
    assert f'id="{where}"' in page
    assert page.partition("<template")[0].count("autofocus") == 1


def test_a_preview_is_no_refusal(enter, assignment, students):
    page = enter(students[0]).post(address(assignment), {"how": "text", "text": "", "preview": "yes"})
    assert page.status_code == 200
    assert page.content.decode().count('id="problems"') == 1


@pytest.mark.parametrize("text", ["", "   \n\t", "\u200b\u200b"])
def test_an_empty_text_is_none(enter, assignment, students, text):
    answer = send(enter(students[0]), assignment, "text", text)
    assert answer.status_code == 422
    assert answer.context["form"].errors.keys() == {"text"}
    assert "no text" in answer.context["form"].errors["text"][0]


def test_a_text_that_is_too_long_comes_back(enter, assignment, students):
    answer = send(enter(students[0]), assignment, "text", "x" * (LONGEST_TEXT + 1))
    assert answer.status_code == 422
    assert "x" * LONGEST_TEXT in answer.content.decode()


def test_a_text_of_two_megabytes_has_a_clear_page(enter, assignment, students):
    answer = send(enter(students[0]), assignment, "text", "x" * (2 * 2**20 + 1))
    assert answer.status_code == 413


@pytest.mark.usefixtures("real_sandbox")
@pytest.mark.parametrize("text", ["[" * 100_000, "|a|b|\n|-|-|\n" + "|\n" * 40_000])
def test_a_text_that_would_take_minutes_to_show_is_not_taken(enter, assignment, students, text, monkeypatch):
    monkeypatch.setattr("peerorder.web.papers.submissions.TEXT_SECONDS", 1)
    answer = send(enter(students[0]), assignment, "text", text)
    assert answer.status_code == 422
    assert "too complex" in answer.content.decode()


def test_a_long_text_is_fine(enter, assignment, students):
    assert send(enter(students[0]), assignment, "text", "A sentence of *some* words.\n\n" * 3000).status_code == 302


def test_a_file_and_a_text_at_once_are_a_question(enter, assignment, students):
    answer = enter(students[0]).post(address(assignment), {"how": "text", "text": "words", "file": upload(make_pdf())})
    assert answer.status_code == 422
    assert answer.context["form"].errors.keys() == {"how"}
    assert ">\nwords</textarea>" in answer.content.decode()


def test_a_preview_hands_nothing_in(enter, assignment, students):
    client = enter(students[0])
    for place in ("hand-in/", "hand-in/preview/"):
        answer = client.post(address(assignment, place), {"how": "text", "text": "**b** <script>", "preview": "yes"})
        assert answer.status_code == 200
        assert "<strong>b</strong> &lt;script&gt;" in answer.content.decode()
    assert not Version.objects.exists()


def test_every_version_is_kept(enter, assignment, students):
    client = enter(students[0])
    send(client, assignment, "text", "one")
    send(client, assignment, "text", "two")
    assert "two</textarea>" in client.get(address(assignment)).content.decode()
    paper = Paper.objects.get()
    assert [version.text for version in paper.versions.order_by("pk")] == ["one", "two"]
    assert paper.current.text == "two"


def test_a_double_click_hands_in_once(enter, assignment, students, files):
    client = enter(students[0])
    for _ in range(2):
        assert send(client, assignment, "file", upload(make_image())).status_code == 302
    assert Version.objects.count() == 1
    assert len(files()) == 3
    Version.objects.update(handed_in_at=timezone.now() - timedelta(minutes=2))
    send(client, assignment, "file", upload(make_image()))
    assert Version.objects.count() == 2


# Deadlines.


def test_a_late_one_is_marked(enter, assignment, students):
    assignment.hand_in_by, assignment.late_hours = timezone.now() - timedelta(hours=1), 2
    assignment.save()
    client = enter(students[0])
    assert "marked as late" in client.get(address(assignment)).content.decode()
    assert send(client, assignment, "text", "words").status_code == 302
    assert Version.objects.get().late
    assert "late" in client.get(address(assignment, "receipt/")).content.decode()


def test_too_late_and_nothing_typed_is_lost(enter, assignment, students):
    take(assignment, students[0], "first")
    assignment.hand_in_by = timezone.now() - timedelta(seconds=1)
    assignment.save()
    client = enter(students[0])
    answer = send(client, assignment, "text", "all my <words>")
    assert answer.status_code == 409
    page = answer.content.decode()
    assert "all my &lt;words&gt;</textarea>" in page
    assert answer.context["window"].why in page
    assert "deadline" in answer.context["window"].why
    assert answer.context["window"].end == assignment.hand_in_by
    assert Version.objects.get().text == "first"
    assert client.get(address(assignment)).status_code == 200


def test_the_round_goes_on_while_the_file_is_looked_at(enter, assignment, students, monkeypatch, files):
    def closed(*args, **kwargs):
        raise services.Closed(SubmissionWindow(False, why="over"))

    monkeypatch.setattr("peerorder.web.papers.services._take", closed)
    answer = send(enter(students[0]), assignment, "file", upload(make_pdf()))
    assert answer.status_code == 409
    assert not files()


def test_looking_at_a_file_makes_nothing_late(enter, assignment, students, monkeypatch):
    real = services.hand_in

    def slowly(*args, **kwargs):
        assignment.hand_in_by = timezone.now()
        assignment.save()
        return real(*args, **kwargs)

    monkeypatch.setattr(services, "hand_in", slowly)
    assert send(enter(students[0]), assignment, "text", "words").status_code == 302
    assert not Version.objects.get().late


def test_an_extension_counts_for_one_alone(enter, assignment, students):
    assignment.hand_in_by = timezone.now() - timedelta(hours=1)
    assignment.stage = Stage.RANKING
    assignment.save()
    more = timezone.now() + timedelta(hours=1)
    Extension.objects.create(assignment=assignment, member=students[0], hand_in_by=more)
    assert send(enter(students[0]), assignment, "text", "words").status_code == 302
    assert not Version.objects.get().late
    assert send(enter(students[1]), assignment, "text", "words").status_code == 409


@pytest.mark.parametrize("stage", [Stage.RANKING, Stage.REVIEW, Stage.RELEASED])
def test_not_at_other_stages(enter, assignment, students, stage):
    assignment.stage = stage
    assignment.save()
    assert send(enter(students[0]), assignment, "text", "words").status_code == 409


def test_a_paper_that_graders_have_stays_as_it_is(enter, round_of_three, students):
    round_of_three.stage = Stage.HANDING_IN
    round_of_three.save()
    answer = send(enter(students[0]), round_of_three, "text", "better words")
    assert answer.status_code == 409
    assert "no longer be replaced" in answer.content.decode()
    Version.objects.filter(handed_in_by=students[0]).update(state=State.BROKEN)
    assert send(enter(students[0]), round_of_three, "text", "better words").status_code == 302


# Names.


def test_a_warning_before_a_name_is_handed_in(enter, assignment, students):
    client = enter(students[0])
    answer = send(client, assignment, "text", "Written by bo@EXAMPLE.edu")
    assert answer["Location"] == address(assignment, "hand-in/anyway/")
    held = client.get(answer["Location"])
    assert held.context["shows"] == ["bo@example.edu"]
    assert "<strong>bo@example.edu</strong>" in held.content.decode()
    assert not Version.objects.exists()
    assert "Written by bo@EXAMPLE.edu</textarea>" in client.get(address(assignment)).content.decode()
    assert client.post(answer["Location"])["Location"] == address(assignment, "receipt/")
    assert client.post(answer["Location"])["Location"] == address(assignment, "receipt/")
    assert Version.objects.get().text == "Written by bo@EXAMPLE.edu"
    assert not PendingSubmission.objects.exists()


def test_a_name_in_a_pdf_is_found_too(enter, assignment, students, files):
    client = enter(students[0])
    answer = send(client, assignment, "file", upload(make_pdf("bo@example.edu wrote this")))
    assert answer["Location"] == address(assignment, "hand-in/anyway/")
    assert len(files()) == 2
    client.post(answer["Location"])
    work()
    assert Version.objects.get().state == State.READY


def test_what_was_held_counts_as_of_when_it_was_sent(enter, assignment, students):
    client = enter(students[0])
    send(client, assignment, "text", "Written by bo@example.edu")
    sent = timezone.now() - timedelta(minutes=10)
    PendingSubmission.objects.update(at=sent)
    assignment.hand_in_by = timezone.now() - timedelta(minutes=5)
    assignment.save()
    client.post(address(assignment, "hand-in/anyway/"))
    version = Version.objects.get()
    assert (version.handed_in_at, version.late) == (sent, False)


def test_what_was_held_for_too_long_is_shown_back(enter, assignment, students):
    client = enter(students[0])
    send(client, assignment, "text", "Written by bo@example.edu")
    PendingSubmission.objects.update(at=timezone.now() - timedelta(hours=2))
    assignment.hand_in_by = timezone.now() - timedelta(minutes=5)
    assignment.save()
    answer = client.post(address(assignment, "hand-in/anyway/"))
    assert answer.status_code == 409
    assert "Written by bo@example.edu</textarea>" in answer.content.decode()
    assert not Version.objects.exists()


@pytest.mark.parametrize("second", ["nobody wrote this", "still bo@example.edu"])
def test_a_second_try_takes_the_place_of_what_was_held(
    enter, assignment, students, media, files, second, django_capture_on_commit_callbacks
):
    client = enter(students[0])
    send(client, assignment, "file", upload(make_pdf("bo@example.edu wrote this")))
    with django_capture_on_commit_callbacks(execute=True):
        send(client, assignment, "file", upload(make_pdf(second)))
        client.post(address(assignment, "hand-in/anyway/"))
    assert not PendingSubmission.objects.exists()
    version = Version.objects.get()
    assert {str(path.relative_to(media)) for path in files()} == {version.file.name, version.original.name}


# Receipts and outsiders.


def test_a_receipt(enter, assignment, students):
    client = enter(students[0])
    assert client.get(address(assignment, "receipt/"))["Location"] == address(assignment)
    content = make_pdf()
    send(client, assignment, "file", upload(content, "my essay.pdf"))
    page = client.get(address(assignment, "receipt/")).content.decode()
    assert hashlib.sha256(content).hexdigest() in page
    assert f"{len(content)}\xa0bytes" in page
    assert "my essay.pdf" in page
    assert "EET" in page or "EEST" in page
    assert "Replace paper" in page
    Assignment.objects.update(stage=Stage.RANKING)
    assert "Replace paper" not in client.get(address(assignment, "receipt/")).content.decode()


@pytest.mark.parametrize("place", ["hand-in/", "hand-in/anyway/", "receipt/", "my-paper/", "my-paper/pages/1/"])
def test_outsiders(client, enter, assignment, students, outsider, instructor, assistant, place):
    take(assignment, students[0])
    assert client.get(address(assignment, place)).status_code == 302
    assert enter(outsider).get(address(assignment, place)).status_code == 404
    assert enter(instructor).get(address(assignment, place)).status_code == 403
    assert enter(assistant).get(address(assignment, place)).status_code == 403
    assert "My answer" not in enter(students[1]).get(address(assignment, place), follow=True).content.decode()


def test_outsiders_hand_nothing_in(enter, client, assignment, students, outsider, instructor):
    assert send(client, assignment, "text", "words").status_code == 403
    assert send(enter(outsider), assignment, "text", "words").status_code == 404
    assert send(enter(instructor), assignment, "text", "words").status_code == 403
    assert enter(outsider).post(address(assignment, "hand-in/preview/"), {"text": "x"}).status_code == 404
    assert not Version.objects.exists()


def test_what_was_pending_and_is_gone_is_not_handed_in(assignment, students):
    """Another tab handed in something else meanwhile, and the files of what was pending are gone."""
    pending = services.hold_for_confirmation(assignment, students[0], check_text("By Bo."), ["Bo"])
    other = services.hand_in(assignment, students[0], check_text("By nobody in particular."))
    assert services.hand_in_pending(pending) == other
    assert Version.objects.count() == 1
