"""Guessing is slowed down, and nobody is locked out by somebody else (L3)."""

import threading
from dataclasses import replace
from datetime import timedelta

import pytest
from django.contrib.auth.hashers import check_password, make_password
from django.test import Client
from django.utils import timezone

from peerorder.web.errors import TooManyRequests
from peerorder.web.people import throttling
from peerorder.web.people.background import tidy
from peerorder.web.people.links import make_link
from peerorder.web.people.models import Attempt, Person
from peerorder.web.people.passwords import set_password

GOOD = "correct horse battery"
HOME, ELSEWHERE = "10.0.0.1", "192.0.2.7"


@pytest.fixture
def ida(instructor):
    return with_password(instructor, "ida")


def with_password(member, login):
    Person.objects.filter(pk=member.person_id).update(login=login)
    member.person.refresh_from_db()
    set_password(member.person, GOOD)
    return member.person


def log_in(client, login="ida", password=GOOD, address=HOME):
    return client.post("/login/", {"login": login, "password": password}, REMOTE_ADDR=address)


def guess(login="ida", address=ELSEWHERE, count=throttling.MOST_BY_NETWORK):
    """As a stranger does; gives the last answer."""
    return [log_in(Client(), login, "wrong", address) for _ in range(count)][-1]


def test_guessing_ends(ida):
    assert guess().status_code == 200
    answer = log_in(Client(), address=ELSEWHERE)
    assert answer.status_code == 429
    assert int(answer["Retry-After"]) > 0
    # Whatever is guessed, under whatever spelling of the name.
    assert log_in(Client(), "IDA", "wrong", ELSEWHERE).status_code == 429
    Attempt.objects.update(at=timezone.now() - timedelta(minutes=16))
    assert log_in(Client(), address=ELSEWHERE).url == "/"


def test_names_that_nobody_has_are_treated_the_same(ida):
    assert guess("nobody").status_code == 200
    assert log_in(Client(), "nobody", "wrong", ELSEWHERE).status_code == 429


def test_nobody_is_locked_out_from_elsewhere(ida):
    """Ten wrong tries by anybody used to lock a named account out."""
    for network in range(20):
        guess(address=f"192.0.{network}.7")
    assert Attempt.objects.count() > 5 * throttling.MOST_BY_NETWORK
    assert log_in(Client()).url == "/"


def test_a_device_that_has_logged_in_is_not_locked_out_by_its_neighbours(client, ida):
    """All of a campus have one address."""
    assert log_in(client).url == "/"
    client.post("/logout/")
    guess(address=HOME, count=throttling.MOST_BY_NETWORK + 1)
    assert log_in(Client()).status_code == 429
    assert log_in(client).url == "/"


def test_a_known_device_guesses_no_more_than_others(client, ida):
    log_in(client)
    client.post("/logout/")
    for _ in range(throttling.MOST_BY_NETWORK):
        assert log_in(client, password="wrong").status_code == 200
    assert log_in(client).status_code == 429
    # Its cookie is good for nothing else: neither for another account, nor when it is made up.
    assert client.cookies[throttling.DEVICE_COOKIE]["httponly"]
    guess("asa", HOME)
    assert log_in(client, "asa", "wrong").status_code == 429
    client.cookies[throttling.DEVICE_COOKIE] = "made:up"
    assert log_in(client, address=ELSEWHERE).url == "/"


def test_guessing_from_many_networks_is_slower_in_each(ida):
    for network in range(throttling.ATTACK // throttling.MOST_BY_NETWORK):
        assert guess(address=f"192.0.{network}.7").status_code == 200
    codes = [log_in(Client(), password="wrong", address="203.0.113.5").status_code for _ in range(5)]
    assert codes == [200] * throttling.MOST_UNDER_ATTACK + [429] * (5 - throttling.MOST_UNDER_ATTACK)


def test_neighbouring_addresses_are_one_network(ida):
    guess(address="2001:db8:1:1::1")
    assert log_in(Client(), address="2001:db8:1:ffff::9").status_code == 429
    assert log_in(Client(), address="2001:db8:2::1").url == "/"


def test_one_throttled_account_leaves_others_alone(client, ida, assistant):
    with_password(assistant, "asa")
    guess(address=HOME)
    assert log_in(Client()).status_code == 429
    assert log_in(client, "asa").url == "/"


def test_log_ins_that_succeed_do_not_count(client, ida):
    for _ in range(3 * throttling.MOST_BY_NETWORK):
        assert log_in(Client()).url == "/"
    assert not Attempt.objects.exists()


def test_a_whole_campus_behind_one_address(client, ida, rf):
    """Hundreds mistype their passwords from one address and nobody else is held up; thousands are an attack."""
    request = rf.post("/login/", REMOTE_ADDR=HOME)
    for number in range(throttling.MOST_BY_ADDRESS):
        throttling.reserve_log_in(request, f"student{number}")
    assert log_in(Client()).status_code == 429
    assert log_in(client, address="10.0.0.2").url == "/"
    link = make_link(ida).removeprefix("http://127.0.0.1:8000")
    assert client.get(link, REMOTE_ADDR=HOME).status_code < 400, "links work all the same"


def test_the_address_of_the_last_hop_counts_in_production(rf, settings):
    request = rf.get("/", HTTP_X_FORWARDED_FOR="6.6.6.6, 10.1.1.1", REMOTE_ADDR="127.0.0.1")
    assert throttling.address_of(request) == "127.0.0.1", "without a proxy anybody could write that header"
    settings.ENVIRONMENT = replace(settings.ENVIRONMENT, production=True)
    assert throttling.address_of(request) == "10.1.1.1"


def test_old_attempts_are_forgotten(rf, db):
    throttling.reserve_log_in(rf.get("/"), "ida")
    tidy()
    assert Attempt.objects.count() == 3
    Attempt.objects.update(at=timezone.now() - timedelta(minutes=16))
    tidy()
    assert not Attempt.objects.exists()


def test_what_fails_on_our_side_does_not_count(rf, db):
    with pytest.raises(ZeroDivisionError), throttling.reserve_log_in(rf.get("/"), "ida"):
        raise ZeroDivisionError
    assert not Attempt.objects.exists()


# Many at once.


@pytest.mark.processes
def test_no_more_get_through_when_they_come_at_once(app):
    """40 at once used to let 17 through."""
    got = app.migrate().ask("from tests.web.people.storm import attempts_at_once\ntell(attempts_at_once(40))")
    assert got == {"passed": throttling.MOST_BY_NETWORK, "throttled": 40 - throttling.MOST_BY_NETWORK, "strange": []}


@pytest.fixture
def slow_hasher(monkeypatch, settings):
    """Hashes that end when the test says so; gives the event, and what counts those under way."""
    settings.PASSWORD_HASHERS = ["peerorder.web.people.throttling.LimitedHasher"]
    ends, under_way = threading.Event(), threading.Semaphore(0)

    def encode(self, password, salt, iterations=None):
        under_way.release()
        assert ends.wait(30)
        return f"pbkdf2_sha256$1${salt}$hash"

    monkeypatch.setattr(throttling.PBKDF2PasswordHasher, "encode", encode)
    yield ends, under_way
    ends.set()


def test_a_storm_of_log_ins_is_hashed_a_few_at_a_time(slow_hasher):
    """12 threads that tried passwords stopped the site: 0.46 CPU s each."""
    ends, under_way = slow_hasher
    threads = [threading.Thread(target=make_password, args=("x",)) for _ in range(throttling.MOST_HASHED_AT_ONCE)]
    for thread in threads:
        thread.start()
        assert under_way.acquire(timeout=30)
    for _ in range(20):
        with pytest.raises(TooManyRequests):
            make_password("x")
    # Names that exist, and those that do not.
    with pytest.raises(TooManyRequests):
        check_password("x", "pbkdf2_sha256$1$salt$hash")
    # A device that the account knows has a place of its own.
    known = threading.Thread(target=hash_from_known_device)
    known.start()
    assert under_way.acquire(timeout=30)
    ends.set()
    for thread in (*threads, known):
        thread.join(30)
    make_password("x")


def hash_from_known_device():
    with throttling.Reservation((), known_device=True):
        make_password("x")


def test_in_a_storm_people_are_told_to_come_back(client, slow_hasher, db):
    _ends, under_way = slow_hasher
    for _ in range(throttling.MOST_HASHED_AT_ONCE):
        threading.Thread(target=make_password, args=("x",), daemon=True).start()
        assert under_way.acquire(timeout=30)
    for name in ("nobody", "somebody"):
        answer = log_in(client, name)
        assert (answer.status_code, answer["Retry-After"]) == (429, "3")
    assert not Attempt.objects.exists(), "it was no guess"


def test_passwords_of_before_are_still_right(settings):
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.PBKDF2PasswordHasher"]
    before = make_password(GOOD)
    settings.PASSWORD_HASHERS = ["peerorder.web.people.throttling.LimitedHasher"]
    assert check_password(GOOD, before)
