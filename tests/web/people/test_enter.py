"""Personal links."""

from django.utils import timezone

from peerorder.web.people import services, throttling
from peerorder.web.people.models import Attempt, Link


def path_of(link):
    return link.removeprefix("http://127.0.0.1:8000")


def test_a_link_logs_in(client, students):
    link = services.make_link(students[0].person)
    answer = client.get(path_of(link), follow=True)
    assert answer.status_code == 200
    assert answer.wsgi_request.user == students[0].person
    assert Link.objects.get().last_used_at is not None


def test_no_token_is_kept(students):
    token = services.make_link(students[0].person).rstrip("/").rpartition("/")[2]
    assert token not in str(Link.objects.values_list())


def test_a_revoked_link_does_not_work(client, students):
    link = services.make_link(students[0].person)
    assert services.revoke_access([students[0].person]) == 1
    answer = client.get(path_of(link))
    assert answer.status_code == 404
    assert "Ask your instructor for a new one" in answer.content.decode()
    assert "_auth_user_id" not in client.session


def test_a_good_link_works_where_many_bad_ones_came_from(client, students):
    for _ in range(3):
        assert client.get("/in/nonsense/").status_code == 404
    assert Attempt.objects.count() == 3
    one = Attempt.objects.first()
    Attempt.objects.bulk_create([Attempt(key=one.key, at=timezone.now()) for _ in range(throttling.MOST_BY_ADDRESS)])
    assert client.get("/in/nonsense/").status_code == 429
    assert client.get(path_of(services.make_link(students[0].person))).status_code == 302
