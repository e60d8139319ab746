"""A whole round as people do it, from the first log-in to released marks and a correction, in a browser."""

import csv
import io
import json
import re
import subprocess
import sys
import zipfile

from playwright.sync_api import expect

from tests.chromium import PHONE
from tests.web.papers.conftest import make_image, make_pdf
from tests.web.processes import ROOT, free_port, healthy, until
from tests.web.whole.eyes import Eyes

NAMES = ("Bo Berg", "Cy Cole", "Di Dahl", "Ed Eide", "Fay Falk", "Gus Gram", "Hal Holm", "Ivy Iben")
ROSTER = "student,name,email\n" + "".join(
    f"s{at},{name},{name.split()[0].lower()}@example.edu\n" for at, name in enumerate(NAMES, start=1)
)
EACH = 3


def test_a_round(app, browser, tmp_path):
    port = free_port()
    with app.serve(port) as site:
        until(lambda: healthy(port))
        eyes = Eyes(browser, site.url, looks=not app.database)
        staff = eyes.context(accept_downloads=True).new_page()
        log_in(eyes, staff, site)
        links = make_course(eyes, staff)
        invite_an_assistant(eyes, staff)
        make_assignment(eyes, staff)
        students = [enter(eyes, link, at) for at, link in enumerate(links)]
        for at, page in enumerate(students):
            hand_in(eyes, page, at)
        start_ranking(eyes, staff)
        for at, page in enumerate(students):
            rank(eyes, page, at)
        watch(eyes, staff)
        archive = finish(eyes, staff)
        make_marks(eyes, staff)
        release(eyes, staff, app, 1)
        first = see_result(students[0])
        assert first != "12"
        eyes.look(students[0], "result of a student")
        correct(eyes, staff)
        assert see_result(students[0]) == first
        release(eyes, staff, app, 2)
        assert see_result(students[0]) == "12"
        assert eyes.complaints == []
        assert len(eyes.seen) >= 30
    the_order_is_whole(archive, tmp_path)


def log_in(eyes, page, site):
    page.goto(site.url)
    eyes.look(page, "log in")
    name, password = site.told()
    page.get_by_label("Username").fill(name)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_text("No courses yet")).to_be_visible()
    eyes.look(page, "home without a course")


def make_course(eyes, page):
    """The course with its roster; gives the links of the students."""
    page.get_by_role("link", name="New course").click()
    eyes.look(page, "new course")
    page.get_by_label("Name of the course").fill("Algorithms")
    zone = page.evaluate("Intl.DateTimeFormat().resolvedOptions().timeZone")
    expect(page.get_by_label("Time zone")).to_have_value(zone)
    page.get_by_label("Time zone").select_option("Europe/Athens")
    page.get_by_role("button", name="Create course").click()
    eyes.look(page, "course without students")
    page.get_by_role("link", name="Upload roster").click()
    eyes.look(page, "roster upload")
    file = {"name": "roster.csv", "mimeType": "text/csv", "buffer": ROSTER.encode()}
    page.locator("[name=file]").set_input_files(file)
    page.get_by_role("button", name="Preview changes").click()
    expect(page.get_by_text("Ivy Iben")).to_be_visible()
    eyes.look(page, "roster preview")
    page.get_by_role("button", name="Apply").click()
    expect(page.get_by_text("9 people")).to_be_visible()
    eyes.look(page, "people")
    page.get_by_role("link", name="Personal links").click()
    eyes.look(page, "links")
    with page.expect_download() as loaded:
        page.get_by_role("button", name="Download CSV").click()
    rows = list(csv.DictReader(io.StringIO(loaded.value.path().read_text("utf-8-sig"))))
    assert [row["name"] for row in rows] == list(NAMES)
    return [row["link"] for row in rows]


def invite_an_assistant(eyes, page):
    """There is no mail server, so the link is shown; somebody opens it elsewhere, and accepts."""
    page.get_by_role("link", name="Algorithms").first.click()
    page.get_by_role("link", name="Staff").first.click()
    eyes.look(page, "staff")
    page.get_by_label("Name").fill("Asa Aas")
    page.get_by_label("E-mail").fill("asa@example.edu")
    page.get_by_role("button", name="Create invitation").click()
    link = page.get_by_label("Invitation link").input_value()
    eyes.look(page, "staff with an invitation")
    guest = eyes.context(width=PHONE, has_touch=True, is_mobile=True).new_page()
    guest.goto(link)
    expect(guest.get_by_text("asa@example.edu")).to_be_visible()
    eyes.look(guest, "invitation")
    guest.get_by_role("button", name="Accept and create account").click()
    expect(guest.get_by_role("heading", name="Your account")).to_be_visible()
    guest.get_by_role("link", name="peerorder").click()
    expect(guest.get_by_role("link", name="Algorithms")).to_be_visible()
    guest.goto(link)
    expect(guest.get_by_role("heading", name="Algorithms")).to_be_visible()
    page.get_by_role("link", name="Staff").first.click()
    expect(page.get_by_role("link", name="Asa Aas")).to_be_visible()
    page.get_by_role("link", name="Asa Aas").click()
    eyes.look(page, "somebody of the staff")


def make_assignment(eyes, page):
    page.get_by_role("link", name="Algorithms").first.click()
    page.get_by_role("link", name="New assignment").click()
    page.locator("[name=title]").fill("Essay")
    page.locator("[name=task]").fill("Write about **trees**.")
    page.locator("[name=instructions]").fill("The clearest one first.")
    page.locator("[name=papers_each]").fill(str(EACH))
    expect(page.locator("#plan-table .recommended")).to_be_visible()
    eyes.look(page, "assignment form")
    page.get_by_role("button", name="Create draft").click()
    eyes.look(page, "assignment as a draft")
    page.get_by_role("link", name="Open for handing in").first.click()
    eyes.look(page, "step")
    page.get_by_role("button", name="Open for handing in").click()
    expect(page.get_by_role("link", name="Start ranking")).to_be_visible()


def enter(eyes, link, at):
    """A student by the personal link; every one has another way of working."""
    options = {2: {"width": PHONE, "has_touch": True, "is_mobile": True}, 5: {"java_script_enabled": False}}
    page = eyes.context(**options.get(at, {})).new_page()
    page.goto(link)
    if at == 0:
        eyes.look(page, "personal link")
    page.get_by_role("button", name="Continue as").click()
    expect(page.get_by_role("heading", name="To do")).to_be_visible()
    if at == 0:
        look_at_ways_in(eyes, page, link)
        page.get_by_role("link", name="peerorder").click()
        eyes.look(page, "student's home")
    return page


def look_at_ways_in(eyes, page, link):
    """The page of one's account, and those for people who cannot get in."""
    for path, name in (("/account/", "account"), ("/login/link/", "link again"), ("/login/password/", "reset")):
        page.goto(link.partition("/in/")[0] + path)
        eyes.look(page, name)


def hand_in(eyes, page, at):
    page.get_by_role("link", name="Essay", exact=True).click()
    if at == 0:
        eyes.look(page, "student's assignment")
    page.get_by_role("link", name="Hand in").click()
    if at in (1, 2):
        page.get_by_label("Upload a PDF or image").check()
        file = {"name": "trees.pdf", "mimeType": "application/pdf", "buffer": make_pdf("About trees", pages=2)}
        if at == 2:
            file = {"name": "trees.png", "mimeType": "image/png", "buffer": make_image("PNG", (400, 300))}
        if at == 1:
            refuse_before_sending(page)
        page.locator("[name=file]").set_input_files(file)
    else:
        page.locator("[name=text]").fill(f"# Trees\n\nThere are *{at + 2}* kinds of trees, as this text explains.")
    if at == 0:
        # What was typed is still there, also without having been sent.
        page.reload()
        expect(page.locator("[name=text]")).to_have_value(re.compile("# Trees"))
        page.get_by_role("tab", name="Preview").click()
        expect(page.locator("#id_text-preview .paper-text h3")).to_be_visible()
        eyes.look(page, "handing in")
    page.get_by_role("button", name="Hand in").click()
    expect(page.get_by_text("Your paper is handed in")).to_be_visible()
    assert page.evaluate("Object.keys(localStorage).filter((key) => key.startsWith('peerorder.draft'))") == []
    if at == 1:
        eyes.look(page, "receipt")
        page.get_by_role("link", name="Preview as graders see it").click()
        expect(page.locator(".page img")).to_have_count(2, timeout=60_000)
        eyes.look(page, "my paper")


def refuse_before_sending(page):
    """A file that is too large or of another type is not sent; the top of the page says why, with the focus."""
    field = page.locator("[name=file]")
    for limit, name, why in ((5, "a.pdf", "too large"), (1000, "a.pdf", "not a PDF or an image")):
        field.evaluate("(field, limit) => { field.dataset.most = limit }", limit)
        field.set_input_files({"name": name, "mimeType": "application/pdf", "buffer": b"PK\x03\x04 a document"})
        expect(page.get_by_role("alert").filter(has_text=why)).to_be_visible()
        page.get_by_role("button", name="Hand in").click()
        expect(page.locator("#problems")).to_be_focused()
        expect(page.locator("#problems")).to_contain_text(why)
    field.evaluate("field => { field.dataset.most = 1e9 }")


def start_ranking(eyes, page):
    page.reload()
    expect(page.get_by_text("8 papers").first).to_be_visible()
    eyes.look(page, "assignment at handing in")
    page.get_by_role("link", name="Start ranking").first.click()
    # Pages of a PDF take the worker a moment.
    until(lambda: page.get_by_role("button", name="Start ranking").count() or not page.reload())
    page.get_by_role("button", name="Start ranking").click()
    until(lambda: page.get_by_text("0 of 8 rankings").count() or not page.reload())
    eyes.look(page, "assignment at ranking")


def row(page, name):
    # What is clicked before the scripts of a page have run does nothing.
    page.wait_for_load_state()
    return page.locator(f".row[data-name='Paper {name}']")


def rank(eyes, page, at):
    page.get_by_role("link", name="peerorder").click()
    page.get_by_role("link", name="Rank papers").click()
    if at == 0:
        eyes.look(page, "ranking")
        page.get_by_role("link", name="Try ranking with three made-up papers").click()
        eyes.look(page, "example")
        page.go_back()
        read_all(page)
    by = {1: by_keyboard, 2: by_touch, 3: by_typing, 4: by_keyboard, 5: by_typing}.get(at, by_mouse)
    # The scripts of the page make tabs of its two parts.
    page.wait_for_load_state()
    if page.locator(".live [data-show=order]").is_visible():
        page.locator("[data-show=order]").click()
    by(page)
    if at == 0:
        expect(page.locator("#save-state")).to_have_text(re.compile(r"^Saved \d"))
        eyes.look(page, "ranking with an order")
    if by is not by_keyboard:
        page.get_by_role("button", name="Hand in").click()
        if at != 0:
            # Only the first has read anything.
            page.get_by_role("button", name="Hand in anyway").click()
    expect(page.get_by_text("Your ranking is handed in")).to_be_visible()
    if at == 0:
        eyes.look(page, "receipt of a ranking")
        page.locator("main a[href$='/ranking/']").first.click()
        eyes.look(page, "ranking that is handed in")
        page.get_by_role("link", name="Report a problem with Paper A").click()
        eyes.look(page, "report a problem")


def read_all(page):
    """Every paper opens in its place, whatever it is."""
    for name in "ABC":
        page.get_by_text(f"Read Paper {name}").click()
    readers = page.locator(".paper .reader .paper-text, .paper .reader .page img")
    until(lambda: readers.count() >= EACH)


def by_mouse(page):
    for name in "ABC":
        handle = row(page, name).locator(".handle")
        handle.scroll_into_view_if_needed()
        box = handle.bounding_box()
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(x, y - 6)
        page.wait_for_timeout(50)
        top = page.locator("#order-heading").bounding_box()["y"] + 10
        for step in range(1, 9):
            page.mouse.move(x, y + (top - y) * step / 8)
        page.wait_for_timeout(60)
        page.mouse.up()
    expect(page.locator("[data-list=order] .row")).to_have_count(EACH)
    expect(page.locator("[data-list=order] .row").first).to_have_attribute("data-name", "Paper C")


def by_touch(page):
    for name in "ABC":
        row(page, name).locator(".more").tap()
        row(page, name).locator("[data-move=up]").tap()
    handle = row(page, "C").locator(".handle")
    handle.scroll_into_view_if_needed()
    page.wait_for_timeout(100)
    box, target = handle.bounding_box(), row(page, "A").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    finger = page.context.new_cdp_session(page)

    def touch(kind, *points):
        finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": at} for at in points]})

    touch("touchStart", y)
    for step in range(1, 9):
        touch("touchMove", y + (target["y"] + 8 - y) * step / 8)
        page.wait_for_timeout(20)
    touch("touchEnd")
    expect(page.locator("[data-list=order] .row").first).to_have_attribute("data-name", "Paper C")


def by_keyboard(page):
    """From Tab to Enter, without any other way to point at something."""
    for _ in range(EACH):
        tab_to(page, "document.activeElement?.matches('[data-list=unplaced] .handle')")
        page.keyboard.press("Space")
        page.keyboard.press("ArrowUp")
        page.keyboard.press("Home")
        page.keyboard.press("Space")
        page.keyboard.press("Shift+Tab")
    expect(page.locator("[data-list=order] .row")).to_have_count(EACH)
    tab_to(page, "document.activeElement?.id === 'hand-in'")
    page.keyboard.press("Enter")
    expect(page.locator("#unopened")).to_be_focused()
    # The scripts of the page set the focus once more.
    page.wait_for_load_state()
    tab_to(page, "document.activeElement?.textContent === 'Hand in anyway'")
    page.keyboard.press("Enter")


def tab_to(page, where):
    for _ in range(80):
        if page.evaluate(where):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"Tab does not lead there: {where}")


def by_typing(page):
    for name, place in zip("ABC", "312", strict=True):
        row(page, name).locator("input[type=number]").fill(place)
        row(page, name).locator("input[type=number]").press("Tab")


def watch(eyes, page):
    page.get_by_role("link", name="Progress", exact=True).click()
    expect(page.get_by_text("8 of 8 students have handed in a ranking.")).to_be_visible()
    eyes.look(page, "monitor")


def finish(eyes, page):
    """To the review, and everything as files."""
    page.get_by_role("link", name="Papers", exact=True).click()
    eyes.look(page, "papers")
    page.get_by_role("link", name="Settings", exact=True).click()
    page.get_by_role("link", name="Audit log", exact=True).click()
    eyes.look(page, "log")
    page.go_back()
    page.get_by_role("link", name="Overview", exact=True).click()
    here = page.url
    page.goto(f"{page.evaluate('location.origin')}/account/log/")
    eyes.look(page, "security log")
    page.goto(here)
    page.get_by_role("link", name="End ranking").first.click()
    page.get_by_role("button", name="End ranking").click()
    eyes.look(page, "assignment at review")
    page.get_by_role("link", name="Preview the ranking page").click()
    eyes.look(page, "preview of the ranking page")
    page.go_back()
    page.get_by_role("link", name="Settings", exact=True).click()
    page.get_by_role("link", name="Export", exact=True).click()
    eyes.look(page, "export")
    with page.expect_download() as loaded:
        page.locator("main a[download]").click()
    return zipfile.ZipFile(loaded.value.path())


def make_marks(eyes, page):
    """The result that was computed meanwhile, and a scale."""
    page.get_by_role("link", name="Results", exact=True).first.click()
    until(lambda: page.get_by_role("link", name="See order").count() or not page.reload())
    eyes.look(page, "results")
    page.get_by_role("link", name="See order").click()
    expect(page.locator("table.order tbody tr")).to_have_count(len(NAMES))
    eyes.look(page, "order")
    page.get_by_role("link", name="Graders", exact=True).click()
    eyes.look(page, "graders")
    page.get_by_role("link", name="Marks", exact=True).first.click()
    page.get_by_label("Percentile").check()
    expect(page.locator("#preview svg").first).to_be_visible()
    eyes.look(page, "marks")
    page.get_by_role("button", name="Save scale").click()
    expect(page.locator("#messages")).to_contain_text("saved")


def release(eyes, page, app, number):
    """Sign off, and let ten minutes pass."""
    page.get_by_role("link", name="Release", exact=True).first.click()
    eyes.look(page, f"release {number}")
    page.locator("[name=signs]").check()
    page.get_by_role("button", name=re.compile("Release (corrected )?marks")).click()
    expect(page.get_by_role("button", name="Withdraw this release")).to_be_visible()
    eyes.look(page, f"release {number} that waits")
    app.ask(
        "from django.utils import timezone\n"
        "from peerorder.web.results.models import Release\n"
        "Release.objects.filter(published_at=None).update(due_at=timezone.now())"
    )
    until(lambda: page.get_by_text(f"Release {number} is published").count() or not page.reload())


def see_result(page):
    """The mark that a student reads."""
    page.get_by_role("link", name="peerorder").click()
    page.get_by_role("link", name="See your result").first.click()
    said = page.locator("#mark + p").inner_text()
    return re.search(r"is ([\d.]+)\.$", said)[1]


def correct(eyes, page):
    """Set the mark of the first student by hand."""
    page.get_by_role("link", name="Marks", exact=True).first.click()
    page.get_by_role("link", name=f"Change mark of {NAMES[0]}").click()
    eyes.look(page, "case")
    form = page.locator("section", has=page.get_by_role("heading", name="Set this mark"))
    form.get_by_label("Mark").fill("12")
    form.get_by_label("Reason").fill("It answers another question.")
    form.get_by_role("button", name="Preview changes").click()
    eyes.look(page, "what a decision changes")
    page.get_by_role("button", name="Set this mark").click()
    expect(page.get_by_role("heading", name="Decisions in force")).to_be_visible()


def the_order_is_whole(archive, folder):
    archive.extractall(folder / "export")
    command = ["grade", "rankings.csv", "--roster", "roster.csv", "--handout", "handout.csv", "--out", "order.csv"]
    graded = subprocess.run(
        [sys.executable, "-m", "peerorder", *command, "--json"],
        cwd=folder / "export",
        env={"PYTHONPATH": str(ROOT / "src"), "PATH": "/usr/bin:/bin", "HOME": str(folder)},
        capture_output=True,
        text=True,
    )
    assert graded.returncode == 0, graded.stderr
    json.loads(graded.stdout)
    with (folder / "export" / "order.csv").open() as stream:
        grades = list(csv.DictReader(stream))
    assert sorted(row["paper"] for row in grades) == [f"s{at}" for at in range(1, 9)]
    assert {row["rankings"] for row in grades} == {str(EACH)}
