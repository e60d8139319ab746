"""The planner in the form."""

import pytest

from peerorder.studies import plan_cache
from peerorder.studies.plan import make_plan


def test_the_page_recommends_as_the_command_does(course, instructor, enter):
    answer = enter(instructor).get(f"/courses/{course.pk}/plan/?n=300&k=5&dropout=20&graders=average&minutes=15")
    page = answer.content.decode()
    wanted = make_plan(300, missing=20.0)
    assert f"Let everybody rank {wanted.recommended.k} papers" in page
    assert wanted.recommended.reason in page
    for choice in wanted.choices:
        assert f"{100 * choice.expected['posterior'].pairwise_accuracy:.1f}%" in page
    assert "chosen" in page
    assert "1 h 15 min" in page


def test_it_is_quick_after_the_first(course, instructor, enter, monkeypatch):
    client = enter(instructor)
    client.get(f"/courses/{course.pk}/plan/?n=300")
    # What takes seconds is kept: the shipped results, and what goes through them.
    for name in ("read_rows", "RBFInterpolator"):
        monkeypatch.setattr(plan_cache, name, None)
    for n in (26, 59, 1000, 10000):
        assert client.get(f"/courses/{course.pk}/plan/?n={n}&dropout=33").status_code == 200
    # A test of the test.
    plan_cache.shipped.cache_clear()
    with pytest.raises(TypeError):
        plan_cache.shipped()


def test_a_small_class_is_told_of_the_smallest_without_a_simulation(course, students, instructor, enter):
    page = enter(instructor).get(f"/courses/{course.pk}/plan/").content.decode()
    assert 'value="8"' in page
    assert "class of 25" in page
    assert '<th scope="row" class="number">7</th>' in page
    assert '<th scope="row" class="number">8</th>' not in page


def test_htmx_gets_the_table_alone(course, instructor, enter):
    answer = enter(instructor).get(f"/courses/{course.pk}/plan/?n=300&papers_each=6", headers={"HX-Request": "true"})
    page = answer.content.decode()
    assert "<html" not in page
    assert "chosen" in page


def test_in_the_form_the_number_can_be_taken_over(course, instructor, assignment, enter):
    client = enter(instructor)
    page = client.get(f"/assignments/{assignment.pk}/edit/").content.decode()
    # The button to work it out stands outside of what is replaced.
    assert page.index("Show what to expect") < page.index('id="plan-table"')
    assert 'name="fills"' in page
    path = f"/courses/{course.pk}/plan/?n=300&fills=yes"
    k = make_plan(300, missing=20.0).recommended.k
    button = f'data-fill="#id_papers_each" value="{k}">Use {k}</button>'
    assert button in client.get(path, headers={"HX-Request": "true"}).content.decode()
    assert "data-fill" not in client.get(path).content.decode()


@pytest.mark.parametrize("wrong", ["n=2", "n=x", "n=99999999999", "dropout=100", "graders=superb", "minutes=-1", "k=1"])
def test_what_is_wrong_is_said(wrong, course, instructor, enter):
    page = enter(instructor).get(f"/courses/{course.pk}/plan/?n=100&{wrong}").content.decode()
    assert "Let everybody rank" not in page
    assert 'class="errorlist"' in page


def test_it_is_for_staff(course, students, outsider, assistant, enter):
    path = f"/courses/{course.pk}/plan/"
    assert enter(assistant).get(path).status_code == 200
    assert enter(students[0]).get(path).status_code == 403
    assert enter(outsider).get(path).status_code == 404
