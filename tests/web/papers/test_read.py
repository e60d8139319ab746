"""What graders get to see, and what not."""

import re

import pytest

from peerorder.web.assignments.models import Stage
from peerorder.web.papers import services
from peerorder.web.papers.models import Page, Paper, State, Version
from peerorder.web.papers.submissions import check_file
from peerorder.web.ranking.content import label
from peerorder.web.ranking.models import Handout, Slot
from tests.web.papers.conftest import make_image, make_pdf, take, upload, work


def slot_of(grader, author):
    return Slot.objects.get(grader=grader, paper__authorships__member=author)


@pytest.fixture
def seen(round_of_three, students):
    """A slot of the first student, with a PDF of the second."""
    version = take_pdf(round_of_three, students[1])
    return slot_of(students[0], students[1]), version


def take_pdf(assignment, student):
    Slot.written.filter(paper__authorships__member=student)
    sent = check_file(upload(make_pdf(pages=2), "Cy.pdf"), assignment)
    paper = Paper.objects.get(assignment=assignment, authorships__member=student)
    Version.objects.filter(paper=paper).update(state=State.BROKEN)
    version = services.hand_in(assignment, student, sent, by=student)
    work()
    return version


def test_a_paper_is_read_page_by_page(enter, seen, students):
    slot, _version = seen
    client = enter(students[0])
    whole = client.get(f"/papers/{slot.token}/").content.decode()
    part = client.get(f"/papers/{slot.token}/", headers={"HX-Request": "true"}).content.decode()
    assert "<h1>Paper A</h1>" in whole
    assert "<html" not in part
    for page in (whole, part):
        assert f'src="/papers/{slot.token}/pages/2/"' in page
        assert re.search(r'width="1600" height="\d+" loading="lazy"', page)
        assert "Text of page 2" in page
        assert page.count('class="help on-phones"') == 1, "on phones it says that a page opens larger (m14)"


def test_the_picture_says_nothing_but_itself(enter, seen, students):
    slot, _version = seen
    client = enter(students[0])
    answer = client.get(f"/papers/{slot.token}/pages/1/")
    assert answer.status_code == 200
    assert answer["Content-Type"] == "image/webp"
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert answer["Content-Disposition"] == "inline"
    assert answer["Cache-Control"] == "private, no-cache"
    assert "Last-Modified" not in answer
    again = client.get(f"/papers/{slot.token}/pages/1/", headers={"If-None-Match": answer["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert again["Cache-Control"] == "private, no-cache"
    other = client.get(f"/papers/{slot.token}/pages/2/", headers={"If-None-Match": answer["ETag"]})
    assert other.status_code == 200


def test_nothing_tells_whose_it_is(enter, seen, students):
    slot, version = seen
    paper = slot.paper
    Paper.objects.filter(pk=paper.pk).update(code="secretcode22")
    client = enter(students[0])
    author = students[1]
    places = [f"/papers/{slot.token}/", f"/papers/{slot.token}/pages/1/"]
    for headers in ({}, {"HX-Request": "true"}):
        for place in places:
            answer = client.get(place, headers=headers)
            told = str(answer.headers) + answer.content.decode("latin-1")
            for secret in (
                author.person.name,
                author.person.email,
                "Cy.pdf",
                "secretcode22",
                version.digest,
                version.file.name,
                *Page.objects.values_list("image", flat=True),
                "datetime=",
            ):
                assert not re.search(rf"(?<!\w){re.escape(secret)}", told), secret


def test_another_graders_token_does_not_exist(client, enter, seen, students, outsider, instructor, assistant):
    slot, _version = seen
    for place in (f"/papers/{slot.token}/", f"/papers/{slot.token}/pages/1/"):
        assert client.get(place).status_code == 302
        for other in (students[1], students[2], students[6], outsider, instructor, assistant):
            assert enter(other).get(place).status_code == 404
        client.logout()
    assert enter(students[0]).get("/papers/nonsense/").status_code == 404
    assert enter(students[0]).get(f"/papers/{slot.token}/pages/3/").status_code == 404


@pytest.mark.parametrize(
    ("stage", "status"),
    [(Stage.DRAFT, 404), (Stage.HANDING_IN, 404), (Stage.RANKING, 200), (Stage.REVIEW, 200), (Stage.RELEASED, 404)],
)
def test_only_while_papers_are_ranked(enter, round_of_three, students, stage, status):
    round_of_three.stage = stage
    round_of_three.save()
    token = slot_of(students[0], students[1]).token
    assert enter(students[0]).get(f"/papers/{token}/").status_code == status


def test_not_before_the_hand_out_is_ready(enter, round_of_three, students):
    token = slot_of(students[0], students[1]).token
    Handout.objects.update(ready_at=None)
    assert enter(students[0]).get(f"/papers/{token}/").status_code == 404


def test_not_for_somebody_who_left(enter, round_of_three, students):
    students[0].removed_at = round_of_three.created_at
    students[0].save()
    assert enter(students[0]).get(f"/papers/{slot_of(students[0], students[1]).token}/").status_code == 404


def test_a_paper_that_was_taken_out_is_not_shown(enter, seen, students, instructor):
    slot, _version = seen
    services.withdraw(slot.paper, instructor.person, "shows a name")
    client = enter(students[0])
    page = client.get(f"/papers/{slot.token}/").content.decode()
    assert "was withdrawn" in page
    assert "shows a name" not in page
    assert "/pages/1/" not in page
    assert client.get(f"/papers/{slot.token}/pages/1/").status_code == 404


@pytest.mark.parametrize(("state", "words"), [(State.BROKEN, "cannot be shown"), (State.PREPARING, "being prepared")])
def test_a_paper_that_cannot_be_shown(enter, round_of_three, students, state, words):
    Version.objects.update(state=state, problem="the author's own problem")
    page = enter(students[0]).get(f"/papers/{slot_of(students[0], students[1]).token}/").content.decode()
    assert words in page
    assert "own problem" not in page


LINKS = {
    "[see](https://other.example/)": True,
    "<https://other.example/>": True,
    "[see](//other.example/)": True,
    "[see](ht&#116;ps://other.example/)": True,
    "[see][1]\n\n[1]: HTTPS://other.example/": True,
    "![a picture](http://other.example/a.png)": True,
    "No links here, // and none of other.example either.": False,
    "[one place](#below)": False,
}


@pytest.mark.parametrize("text", LINKS)
def test_readers_are_warned_of_links_to_other_sites(enter, round_of_three, students, text):
    """Other sites learn who reads, from a text as from a link that was handed in (L11)."""
    slot = slot_of(students[0], students[1])
    Version.objects.filter(paper=slot.paper).update(kind="text", text=text, rules=0, state=State.READY)
    answer = enter(students[0]).get(f"/papers/{slot.token}/")
    assert ("message warning" in answer.content.decode()) == LINKS[text]


ATTACKS = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<svg/onload=alert(1)>",
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt&colon;alert(1))",
    "[x](data:text/html;base64,PHNjcmlwdD4=)",
    "[x](vbscript:msgbox)",
    "![x](https://evil.example/spy.png)",
    "![x](javascript:alert(1))",
    "<javascript:alert(1)>",
    '[x](https://a.example "onmouseover=alert(1)")',
    '[x](https://a.example/" onclick="alert(1))',
    "<a href='x' style='position:fixed'>x</a>",
    "<iframe src=//evil.example></iframe>",
    "<form action=//evil.example><button>log in</button></form>",
    "```html\n<script>alert(1)</script>\n```",
    "[a]: javascript:alert(1)\n\n[a]",
    "<style>*{display:none}</style>",
    "<meta http-equiv=refresh content='0;url=//evil.example'>",
    "<div hx-get='/logout/' hx-trigger='load'>x</div>",
    "</div></main><h1>Log in here</h1>",
]


@pytest.mark.parametrize("attack", ATTACKS)
def test_nothing_in_a_text_can_run(enter, assignment, students, attack):
    version = take(assignment, students[0], f"Words before.\n\n{attack}\n\nWords after.")
    page = enter(students[0]).get(f"/assignments/{assignment.pk}/my-paper/").content.decode()
    assert version.text
    shown = page[page.index('<div class="paper-text">') : page.index("Words after.")]
    tags = set(re.findall(r"<\s*([a-zA-Z]+)", shown))
    assert tags <= {"div", "p", "a", "code", "pre"}
    attributes = {
        name
        for tag in re.findall(r"<\w+([^>]*)>", shown)
        for name in re.findall(r"([\w-]+)=", re.sub(r'"[^"]*"', "", tag))
    }
    assert attributes <= {"class", "href", "title", "rel"}
    for link in re.findall(r'href="([^"]*)"', shown):
        assert link.startswith("https://")


def test_an_image_has_one_page(enter, assignment, students):
    services.hand_in(assignment, students[0], check_file(upload(make_image()), assignment))
    page = enter(students[0]).get(f"/assignments/{assignment.pk}/my-paper/").content.decode()
    assert 'alt="Page 1 of 1"' in page


def test_letters():
    assert [label(position) for position in (0, 1, 25, 26, 51, 52)] == ["A", "B", "Z", "AA", "AZ", "BA"]
