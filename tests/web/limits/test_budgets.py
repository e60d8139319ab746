"""What one person may ask for in a short time (M2, M3): hostile ones wait, honest ones never notice."""

import threading

import pytest
from django.test import Client

from peerorder.web import budgets
from peerorder.web.budgets import BUCKETS, MOST_AT_ONCE, one_request
from peerorder.web.errors import TooManyRequests
from peerorder.web.papers.models import Version
from peerorder.web.papers.queries import MOST_LARGEST, MOST_VERSIONS_A_DAY


@pytest.fixture
def clock(monkeypatch):
    """A clock that is set by hand: ``clock(5)`` lets five seconds pass."""
    now = [1000.0]
    monkeypatch.setattr(budgets, "clock", lambda: now[0])

    def passes(seconds):
        now[0] += seconds

    return passes


def page(client):
    return client.get("/account/")


# Page views.


def test_views_have_an_end(enter, students, settings, clock, django_assert_num_queries):
    client = enter(students[0])
    burst, refill = settings.BUDGETS["requests"]
    codes = [page(client).status_code for _ in range(3)]
    assert codes == [200] * 3
    BUCKETS.take("requests", f"person {students[0].person_id}", burst, owe=True)
    with django_assert_num_queries(0):
        answer = page(client)
    assert answer.status_code == 429
    wait = int(answer["Retry-After"])
    assert 0 < wait <= 31
    # Nobody else waits, and neither does this person after a while.
    assert page(client_of(students[1])).status_code == 200
    clock(wait + 1 / refill)
    assert page(client).status_code == 200


def client_of(member):
    client = Client()
    client.force_login(member.person)
    return client


def test_a_costly_page_costs_more(students, clock):
    """A paper of 100,000 brackets took 1.5 CPU s a view."""
    who, left = "person 1", 0
    while not BUCKETS.take("requests", who):
        BUCKETS.take("requests", who, 1.5 * budgets.CPU_SECOND, owe=True)
        left += 1
    assert left < 40


def test_processor_time_is_counted(clock):
    with one_request("person 1", 0):
        since = budgets.time.thread_time()
        while budgets.time.thread_time() - since < 0.2:
            pass
    level = BUCKETS._levels["requests", "person 1"][0]
    assert level < 1000 - 1 - 0.2 * budgets.CPU_SECOND


def test_all_sessions_of_a_person_share_one_budget(students, settings):
    clients = [client_of(students[0]) for _ in range(3)]
    assert [page(client).status_code for client in clients] == [200] * 3
    BUCKETS.take("requests", f"person {students[0].person_id}", settings.BUDGETS["requests"][0], owe=True)
    assert [page(client).status_code for client in clients] == [429] * 3


# Many connections of one person.


def test_one_person_cannot_hold_all_threads(students, settings, clock):
    """Of 16 connections of somebody who used half of their budget, two run at a time."""
    who = f"person {students[0].person_id}"
    begun, ends = threading.Semaphore(0), threading.Event()
    BUCKETS.take("requests", who, settings.BUDGETS["requests"][0] * 0.6, owe=True)

    def hold():
        try:
            with one_request(who, 0):
                begun.release()
                assert ends.wait(30)
        except TooManyRequests:
            refused.append(1)

    refused: list[int] = []
    threads = [threading.Thread(target=hold) for _ in range(MOST_AT_ONCE)]
    for thread in threads:
        thread.start()
        assert begun.acquire(timeout=30)
    for _ in range(14):
        hold()
    assert len(refused) == 14
    # Somebody else gets through.
    with one_request("person 999999", 0):
        pass
    ends.set()
    for thread in threads:
        thread.join(30)
    with one_request(who, 0):
        pass


# Saves and uploads.


def test_saves_have_an_end(client, assignment, students, settings, clock):
    from peerorder.web.assignments.models import Stage

    assignment.stage = Stage.RANKING
    assignment.save()
    client.force_login(students[0].person)
    address = f"/assignments/{assignment.pk}/ranking/save/"
    answers = [client.post(address, "{}", content_type="application/json") for _ in range(settings.BUDGETS["saves"][0])]
    assert {answer.status_code for answer in answers} == {400}
    answer = client.post(address, "{}", content_type="application/json")
    assert answer.status_code == 429
    assert int(answer["Retry-After"]) >= 1
    assert answer.json()["error"]
    assert client.post(f"/assignments/{assignment.pk}/ranking/hand-in/").status_code == 429
    clock(2)
    assert client.post(address, "{}", content_type="application/json").status_code == 400


def test_uploads_have_an_end(enter, assignment, students, settings, clock):
    client = enter(students[0])
    address = f"/assignments/{assignment.pk}/hand-in/"
    codes = [client.post(address, {"how": "text", "text": ""}).status_code for _ in range(15)]
    assert codes == [422] * settings.BUDGETS["uploads"][0] + [429] * 5
    assert not Version.objects.exists()


def test_megabytes_have_an_end(enter, assignment, students, settings, clock):
    client = enter(students[0])
    address = f"/assignments/{assignment.pk}/hand-in/"
    megabytes = f"person {students[0].person_id}"
    page(client)
    BUCKETS.take("megabytes", megabytes, settings.BUDGETS["megabytes"][0], owe=True)
    answer = client.post(address, {"how": "text", "text": "x" * 100_000})
    assert answer.status_code == 429


def test_a_paper_is_replaced_so_often_a_day(enter, assignment, students, clock):
    client = enter(students[0])
    address = f"/assignments/{assignment.pk}/hand-in/"
    for number in range(MOST_VERSIONS_A_DAY):
        clock(60)
        assert client.post(address, {"how": "text", "text": f"Version {number}."}).status_code == 302
    answer = client.post(address, {"how": "text", "text": "Once more, with my last words."})
    assert answer.status_code == 429
    assert 0 < int(answer["Retry-After"]) <= 24 * 3600
    assert "Once more, with my last words." in answer.content.decode(), "nothing is lost"
    assert Version.objects.count() == MOST_VERSIONS_A_DAY
    Version.objects.update(handed_in_at="2020-01-01T00:00Z")
    assert client.post(address, {"how": "text", "text": "Once more."}).status_code == 302


def test_all_versions_of_a_paper_have_so_much_space(enter, assignment, students, settings, clock):
    client = enter(students[0])
    address = f"/assignments/{assignment.pk}/hand-in/"
    assert client.post(address, {"how": "text", "text": "Words."}).status_code == 302
    Version.objects.update(size=MOST_LARGEST * settings.LARGEST_UPLOAD, handed_in_at="2020-01-01T00:00Z")
    answer = client.post(address, {"how": "text", "text": "Other words."})
    assert answer.status_code == 429
    assert "Retry-After" not in answer, "waiting does not help"


def test_no_more_versions_are_taken_when_they_come_at_once(enter, assignment, students, monkeypatch):
    """Each looked at the quota before any of them was taken: the last word is said under the lock."""
    text = iter("abcdef")
    client = enter(students[0])

    def send():
        return client.post(f"/assignments/{assignment.pk}/hand-in/", {"how": "text", "text": f"Version {next(text)}."})

    monkeypatch.setattr("peerorder.web.papers.queries.MOST_VERSIONS_A_DAY", 2)
    assert [send().status_code for _ in range(2)] == [302, 302]
    monkeypatch.setattr("peerorder.web.papers.views.handing_in.exhausted_quota", lambda _paper: None)
    answer = send()
    assert answer.status_code == 429
    assert int(answer["Retry-After"]) > 0
    assert Version.objects.count() == 2


# Honest people.


def test_a_student_who_opens_ten_papers_at_once(clock):
    """Ten papers of 40 pages, all pictures at once."""
    for _ in range(10 * 41):
        with one_request("person 1", 0):
            BUCKETS.take("requests", "person 1", 0.03 * budgets.CPU_SECOND, owe=True)


def test_a_fast_typist(clock):
    """The page saves 0.8 s after a change at the earliest: for two hours."""
    for _ in range(9000):
        clock(0.8)
        with one_request("person 1", 100_000):
            pass
        assert not BUCKETS.take("saves", "person 1")


def test_a_whole_class_behind_one_address(db, course, clock):
    """2,000 students in a lecture open three pages each within ten seconds."""
    for _ in range(3):
        for person in range(2000):
            with one_request(f"person {person}", 0):
                pass
        clock(3)


def test_somebody_who_watches_a_round_all_day(clock):
    """The page of an instructor asks again every few seconds, in five tabs."""
    for _ in range(5000):
        clock(2)
        for _tab in range(5):
            with one_request("person 1", 0):
                BUCKETS.take("requests", "person 1", 0.05 * budgets.CPU_SECOND, owe=True)


def test_memory_is_bounded(monkeypatch):
    monkeypatch.setattr(budgets, "MOST_BUCKETS", 100)
    for number in range(1000):
        BUCKETS.take("requests", f"person {number}")
        BUCKETS.remember(f"session {number}", number)
    assert len(BUCKETS._levels) <= 100
    assert len(BUCKETS._people) <= 100
    assert not BUCKETS._running
