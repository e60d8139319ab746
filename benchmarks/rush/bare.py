"""The floor: a Django view that inserts one row, with no session, no middleware and no checks."""

import os
from urllib.parse import parse_qsl, unquote, urlsplit

from django.conf import settings

URL = urlsplit(os.environ["PEERORDER_DATABASE"])
settings.configure(
    SECRET_KEY="for the benchmark alone",
    ALLOWED_HOSTS=["127.0.0.1"],
    ROOT_URLCONF=__name__,
    DATABASES={
        "default": {
            "ENGINE": "django.db.backends.postgresql",
            "NAME": unquote(URL.path.strip("/")),
            "USER": URL.username,
            "OPTIONS": dict(parse_qsl(URL.query)),
            "CONN_MAX_AGE": 60,
        }
    },
)

import django  # noqa: E402

django.setup()

from django.core.wsgi import get_wsgi_application  # noqa: E402
from django.db import connection  # noqa: E402
from django.http import HttpRequest, HttpResponse  # noqa: E402
from django.urls import path  # noqa: E402


def insert(request: HttpRequest) -> HttpResponse:
    with connection.cursor() as cursor:
        cursor.execute("INSERT INTO bare (content) VALUES (%s)", [request.body.decode()])
    return HttpResponse("ok")


urlpatterns = [path("", insert)]
application = get_wsgi_application()
