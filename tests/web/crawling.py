"""Go everywhere that somebody can reach, as a browser would and as a curious student might."""

import copy
import io
import zipfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from html.parser import HTMLParser
from urllib.parse import urldefrag, urlencode, urljoin, urlsplit

from django.test import Client
from django.urls import Resolver404, resolve

from tests.web.world import undone

FOLLOWED = ("href", "src", "hx-get", "srcset", "poster", "data", "cite")


@dataclass
class Answer:
    """What came back."""

    method: str
    address: str
    status: int
    headers: dict[str, str]
    body: bytes
    part: bool = False
    """Asked for by htmx, as a part of a page."""

    @property
    def is_page(self) -> bool:
        return self.headers.get("Content-Type", "").startswith("text/html")

    @property
    def everything(self) -> bytes:
        """The body and all headers, cookies too; of an archive, all files in it with their names."""
        headers = b"\n".join(f"{name}: {value}".encode() for name, value in self.headers.items())
        if self.headers.get("Content-Type") != "application/zip":
            return headers + b"\n\n" + self.body
        with zipfile.ZipFile(io.BytesIO(self.body)) as archive:
            inside = (name.encode() + b"\n" + archive.read(name) for name in archive.namelist())
            return headers + b"\n\n" + b"\n".join(inside)


class Links(HTMLParser):
    """All addresses of a page, and its forms with what stands in them."""

    def __init__(self) -> None:
        super().__init__()
        self.addresses: list[str] = []
        self.forms: list[tuple[str, str, dict[str, str]]] = []
        self.by_id: dict[str, dict[str, str]] = {}
        self._open: dict[str, str] | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        self.addresses += [found[name] for name in FOLLOWED if name in found]
        if tag == "form":
            self._open = {}
            self.forms.append((found.get("method", "get").upper(), found.get("action", ""), self._open))
            self.by_id[found.get("id", "")] = self._open
        elif tag in ("input", "textarea", "select", "button") and "name" in found:
            fields = self.by_id.get(found["form"], {}) if "form" in found else self._open
            if fields is not None and (found.get("type") not in ("radio", "checkbox") or "checked" in found):
                fields.setdefault(found["name"], found.get("value", ""))

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self._open = None


def ask(client: Client, method: str, address: str, data=None, htmx: bool = False) -> Answer:
    """One request; what a POST does is taken back, and who is logged in stays."""
    headers, cookies = {"HX-Request": "true"} if htmx else {}, copy.deepcopy(client.cookies)
    with undone():
        response = client.post(address, data or {}) if method == "POST" else client.get(address, headers=headers)
        body = b"".join(response.streaming_content) if response.streaming else response.content
        response.close()
    client.cookies = cookies
    seen = dict(response.headers) | {"Set-Cookie": response.cookies.output()}
    return Answer(method, address, response.status_code, seen, body, htmx)


def _view(path: str) -> str:
    try:
        return resolve(urlsplit(path).path).view_name
    except Resolver404:
        return ""


def crawl(client: Client, *starts: str, most: int | None = None) -> Iterator[Answer]:
    """All answers from here on: links, pictures, parts of pages, redirects, forms as they stand.

    ``most`` is how often a view is asked: the pages of a hundred people are all alike. A refusal as a part of a page
    says what the page itself says, so it is asked for once of every kind.
    """
    waiting, seen, often, refusals = list(starts or ("/",)), set(), Counter(), set()
    while waiting:
        method, address, fields = waiting.pop() if isinstance(waiting[-1], tuple) else ("GET", waiting.pop(), {})
        path = urldefrag(address)[0]
        if (method, path) in seen or urlsplit(path).netloc or path.startswith("/static/"):
            continue
        seen.add((method, path))
        often[view := (method, _view(path))] += 1
        if most is not None and often[view] > most:
            continue
        answer = ask(client, method, path, fields)
        yield answer
        if "Location" in answer.headers:
            waiting.append(urljoin(path, answer.headers["Location"]))
        if not answer.is_page:
            continue
        if method == "GET" and answer.status not in refusals:
            yield ask(client, "GET", path, htmx=True)
            refusals |= {answer.status} - {200}
        links = Links()
        links.feed(answer.body.decode())
        waiting += [urljoin(path, each) for each in links.addresses]
        for how, action, inside in links.forms:
            to = urljoin(path, action) if action else path
            if how == "POST":
                waiting.append(("POST", to, inside))
            elif how == "GET":
                waiting.append(f"{to.partition('?')[0]}?{urlencode(inside)}")
