"""Whether everything that the app needs is there."""

import os
from datetime import timedelta

from django.conf import settings
from django.db import Error, connection
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils import timezone
from django.views.decorators.http import require_safe

from peerorder import __version__
from peerorder.web.access import anybody
from peerorder.web.jobs.models import Beat

__all__ = ["health"]

QUIET = timedelta(minutes=1)


@anybody
@require_safe
def health(request: HttpRequest) -> HttpResponse:
    """200 where the database answers, uploads can be kept and a worker is alive, else 503; about nobody."""
    found = {"database": False, "worker": False, "uploads": os.access(settings.ENVIRONMENT.home, os.W_OK)}
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
        found["database"] = True
        found["worker"] = Beat.objects.filter(at__gt=timezone.now() - QUIET).exists()
    except Error:
        pass
    return JsonResponse({"version": __version__, **found}, status=200 if all(found.values()) else 503)
