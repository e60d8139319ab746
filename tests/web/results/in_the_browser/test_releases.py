"""Two results, a release and its withdrawal in the browser: all pages on the way are fit to be seen."""

from playwright.sync_api import expect

from tests.web.factories import run_waiting
from tests.web.results.conftest import release_now
from tests.web.results.in_the_browser.conftest import look


def test_exclude_a_ranking_and_compare(page, ranked, students):
    page.goto(f"/assignments/{ranked.pk}/results/1/graders/{students[0].pk}/exclude/")
    look(page)
    page.get_by_label("Reason").fill("Ranked by length.")
    page.get_by_role("button", name="Exclude ranking and compare").click()
    # The page waits for the result.
    run_waiting()
    expect(page.locator('form[action$="/choose/"]')).to_be_visible()
    expect(page.get_by_role("table").first).to_contain_text("Ranked by length.")
    look(page)
    page.locator('form[action$="/choose/"] button').click()
    expect(page.locator("#chosen")).to_contain_text("2")
    page.get_by_role("link", name="Undo").click()
    look(page)
    assert page.complaints == []


def test_release_view_as_a_student_and_withdraw(page, ranked, instructor, students, enter_browser):
    page.goto(f"/assignments/{ranked.pk}/release/")
    look(page)
    release_now(ranked, instructor.person)
    student = enter_browser(students[0])
    student.goto(f"/assignments/{ranked.pk}/my-result/")
    look(student)
    for where in ("as/", f"as/{students[0].pk}/"):
        page.goto(f"/assignments/{ranked.pk}/release/{where}")
        look(page)
    page.goto(f"/assignments/{ranked.pk}/release/1/")
    expect(page.get_by_role("main")).to_contain_text(students[0].person.name)
    look(page)
    page.get_by_label("Reason").fill("A mistake in the scale.")
    page.get_by_role("button", name="Withdraw this release").click()
    expect(page.locator("#messages")).to_contain_text("withdrawn")
    look(page)
    student.reload()
    expect(student.get_by_role("main")).to_contain_text("A mistake in the scale.")
    look(student)
    assert page.complaints + student.complaints == []
