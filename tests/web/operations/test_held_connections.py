"""Requests that are begun and never finished: behind nginx, as documented, nobody notices; directly, they end soon."""

import http.client
import socket
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest

from peerorder.web.operations.gunicorn_worker import Worker
from tests.web.nginx import nginx, program, trusting
from tests.web.processes import App, free_port, until

pytestmark = pytest.mark.processes

HEADER = b"GET /login/ HTTP/1.1\r\nHost: localhost\r\nX-Slow: "
BODY = (
    b"POST /login/ HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\n"
    b"Content-Length: 1000\r\n\r\nlogin="
)
KEY = "Zq8vL2xW5nR7tY1uJ4kM9pB3cF6hD0gSaE-a2b3c4d5e6f7g8h9"


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """In production, behind nginx with the configuration of the documentation."""
    if program() is None:
        pytest.skip("nginx is not on this machine; on Debian and Ubuntu: apt-get install nginx-light")
    folder, port = tmp_path_factory.mktemp("held"), free_port()
    with nginx(folder / "nginx", port) as proxy:
        production = {"PEERORDER_PRODUCTION": "yes", "PEERORDER_SECRET_KEY": KEY, "PEERORDER_MAIL": "none"}
        app = App(folder / "home", more={**production, "PEERORDER_URL": proxy.url})
        with app.process("-m", "peerorder", "serve", "--port", str(port)):
            until(lambda: works(proxy.tls, trusting()))
            yield proxy, port


def works(port, tls=None, timeout=60.0, page="/login/"):
    """Whether a page comes."""
    kind = http.client.HTTPSConnection if tls else http.client.HTTPConnection
    more = {"context": tls} if tls else {}
    connection = kind("127.0.0.1", port, timeout=timeout, **more)
    try:
        connection.request("GET", page, headers={"Host": "localhost", "X-Forwarded-Proto": "https"})
        return connection.getresponse().status == 200
    except OSError:
        return False
    finally:
        connection.close()


@contextmanager
def held(port, count, sent, tls=None):
    """Connections that have sent so much, and send no more."""
    with ExitStack() as stack:
        for _ in range(count):
            connection = stack.enter_context(socket.create_connection(("127.0.0.1", port), timeout=60))
            if tls:
                connection = stack.enter_context(tls.wrap_socket(connection, server_hostname="localhost"))
            connection.sendall(sent)
        yield


def connections_to(port):
    """How many connections a port has, also those that wait for a thread."""
    rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    return sum(there.endswith(f":{port:04X}") and status == "01" for _number, _here, there, status, *_rest in rows)


@pytest.mark.parametrize("sent", [HEADER, BODY], ids=["header", "body"])
@pytest.mark.parametrize("count", [10, 100])
def test_behind_nginx_nobody_notices(site, count, sent):
    """None of them reaches the app, whose eight threads would be busy with fewer."""
    proxy, port = site
    with held(proxy.tls, count, sent, trusting()):
        for page in ("/login/", "/health/") * 5:
            # The app would end them too, after a while.
            assert connections_to(port) < 5
            assert works(proxy.tls, trusting(), page=page)


def test_nginx_ends_them(site):
    """Of a connection that holds nothing but half a header, nothing is left after a while."""
    proxy, _ = site
    with socket.create_connection(("127.0.0.1", proxy.plain), timeout=60) as connection:
        connection.sendall(HEADER)
        assert b"200" not in connection.recv(1000)


@pytest.mark.parametrize("sent", [HEADER, BODY], ids=["header", "body"])
def test_directly_they_end_soon(site, sent):
    """On this machine alone, where nobody else can hold any: they are ended while they are still held."""
    _, port = site
    with held(port, 20, sent):
        assert until(lambda: works(port))


def test_no_other_request_waits_until_a_connection_is_closed():
    """A client that goes on sending, or never closes its end, would hold up the main loop for 2 s each time."""
    worker, done = Worker.__new__(Worker), Future()
    worker.alive, worker.nr_conns, worker._closing = False, 1, ThreadPoolExecutor(1)
    here, there = socket.socketpair()
    held = SimpleNamespace(sock=here, close=lambda **_how: pytest.fail("the main loop closes it"))
    done.set_result(False)
    worker.finish_request(held, done)
    there.close()
    worker._closing.shutdown()
    assert (here.fileno(), worker.nr_conns) == (-1, 0)


def test_a_body_that_is_refused_unread_has_our_answer(site):
    """nginx is still sending it when the answer is there; it shows an error of its own if the connection is cut."""
    proxy, _ = site

    def answer(_number: int) -> int:
        connection = http.client.HTTPSConnection("127.0.0.1", proxy.tls, timeout=60, context=trusting())
        with closing(connection):
            connection.request("POST", "/login/", b"x" * 20_000_000, {"Host": "localhost"})
            return connection.getresponse().status

    # Several at a time, or nginx reads the answer before it notices.
    with ThreadPoolExecutor(8) as threads:
        assert set(threads.map(answer, range(32))) == {413}


def test_nginx_hides_what_serves_and_redirects_without_a_log(site):
    proxy, port = site
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("GET", "/health/", headers={"Host": "localhost", "X-Forwarded-Proto": "https"})
    assert "gunicorn" not in connection.getresponse().headers["Server"]
    connection.close()
    plain = http.client.HTTPConnection("127.0.0.1", proxy.plain, timeout=60)
    plain.request("GET", "/in/a-token-that-is-secret/", headers={"Host": "localhost"})
    assert plain.getresponse().status == 301
    plain.close()
    assert "a-token-that-is-secret" not in proxy.logs()


def test_no_token_is_logged_while_the_app_is_away(tmp_path):
    if program() is None:
        pytest.skip("nginx is not on this machine; on Debian and Ubuntu: apt-get install nginx-light")
    with nginx(tmp_path / "nginx", free_port()) as proxy:
        connection = http.client.HTTPSConnection("127.0.0.1", proxy.tls, timeout=60, context=trusting())
        answers = set()
        # More than anybody may send at once.
        for number in range(300):
            connection.request("GET", f"/in/a-token-{number}/", headers={"Host": "localhost", "Cookie": "peerorder=x"})
            answer = connection.getresponse()
            answer.read()
            answers.add(answer.status)
        connection.close()
        assert answers == {429, 502}
        assert "a-token-" not in proxy.logs()
