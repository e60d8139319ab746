"""Whether everything that the app needs is there."""

from datetime import timedelta

from django.db import DatabaseError, connection
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils import timezone

from peerorder import __version__
from peerorder.web.access import anybody
from peerorder.web.jobs.models import Beat

__all__ = ["health"]

QUIET = timedelta(minutes=1)


@anybody
def health(request: HttpRequest) -> HttpResponse:
    """200 where the database answers and a worker is alive, else 503; says nothing about anybody."""
    found = {"version": __version__, "database": False, "worker": False}
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
        found["database"] = True
        found["worker"] = Beat.objects.filter(at__gt=timezone.now() - QUIET).exists()
    except DatabaseError:
        pass
    return JsonResponse(found, status=200 if found["database"] and found["worker"] else 503)
