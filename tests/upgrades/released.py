"""Look at marks that an older version released, by the pages of the app alone, and publish what waited.

It runs inside the app of today, on upgraded data. What it saw is printed at the end, as a line of JSON.
"""

import json
import sys
from datetime import datetime
from pathlib import Path

from django.apps import apps
from django.conf import settings
from django.test import Client
from django.test.utils import override_settings, setup_test_environment

from peerorder.web.results.releases import publish_due

EXPECTED = json.loads(Path(sys.argv[1]).read_text("utf-8"))
RELEASED = EXPECTED["released"]
PAGES = f"/assignments/{RELEASED['assignment']}"
FOR_STAFF = ("results/", "results/2/", "results/2/compared-with/1/", "marks/", "marks/decisions/", "comments/")
FOR_STAFF += ("release/", "release/1/", "release/2/")
# Pages are shown without `collectstatic`, which other tests look at.
STATIC = {"staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}}


def entered(person: int) -> Client:
    client = Client()
    client.force_login(apps.get_model("people.Person").objects.get(pk=person))
    return client


def marks_on_pages() -> dict[str, str]:
    """Return the mark that the page of every student shows."""
    pages = {student: entered(person).get(f"{PAGES}/my-result/") for student, person in RELEASED["people"].items()}
    return {student: page.context["result"].mark for student, page in pages.items()}


def look() -> dict:
    staff = entered(EXPECTED["instructor"]["person"])
    files = {address: staff.get(f"{PAGES}/marks/files/{address}").content for address in RELEASED["files"]}
    return {
        "files": {address: content.decode("utf-8-sig") for address, content in files.items()},
        "pages": {page: staff.get(f"{PAGES}/{page}").status_code for page in FOR_STAFF},
        "before": marks_on_pages(),
        "published": publish_due(datetime.fromisoformat(RELEASED["due"])),
        "after": marks_on_pages(),
    }


if __name__ == "__main__":
    setup_test_environment()
    with override_settings(STORAGES=settings.STORAGES | STATIC):
        print("TOLD", json.dumps(look()))
