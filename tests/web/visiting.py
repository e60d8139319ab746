"""A page of the app in a browser as the app answers, without a server."""

import mimetypes
from pathlib import Path
from urllib.parse import urlsplit

from django.contrib.staticfiles import finders
from django.test import Client
from playwright.sync_api import Browser, Route

from tests.chromium import Visit

SITE = "http://localhost"


def visited(browser: Browser, client: Client, address: str, width: int, scheme: str) -> Visit:
    """Open an address with the cookies of a client, in a window of this width and a light or dark scheme."""

    def answer(route: Route) -> None:
        path = urlsplit(route.request.url).path
        if path.startswith("/static/"):
            file = Path(finders.find(path.removeprefix("/static/")))
            route.fulfill(body=file.read_bytes(), content_type=mimetypes.guess_type(file)[0])
        else:
            response = client.get(path)
            route.fulfill(status=response.status_code, body=response.content, headers=dict(response.headers))

    context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme)
    context.route("**/*", answer)
    seen = Visit(context.new_page())
    seen.page.on("console", lambda said: seen.complaints.append(said.text))
    seen.page.on("pageerror", lambda error: seen.complaints.append(str(error)))
    seen.page.goto(f"{SITE}{address}")
    return seen
