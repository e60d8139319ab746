"""The health check: whether everything that the app needs is there."""

import os

from django.conf import settings
from django.db import Error, connection
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils import timezone
from django.views.decorators.http import require_safe

from peerorder import __version__
from peerorder.web.jobs.models import Heartbeat
from peerorder.web.jobs.services import SILENCE
from peerorder.web.people.access import anybody
from peerorder.web.sandbox.runner import sandbox_mode


@anybody
@require_safe
def health(request: HttpRequest) -> HttpResponse:
    """Answer 200 if the database answers, uploads can be kept and a worker is alive, else 503; about nobody.

    The version, and how safely files from outside are read, is for those who may make courses to know.
    """
    more = {}
    checks = {"database": False, "worker": False, "uploads": os.access(settings.ENVIRONMENT.home, os.W_OK)}
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
        checks["database"] = True
        checks["worker"] = Heartbeat.objects.filter(at__gt=timezone.now() - SILENCE).exists()
        if request.user.is_authenticated and request.user.makes_courses:
            more = {"version": __version__, "sandbox": sandbox_mode()}
    except Error:
        pass
    return JsonResponse({**checks, **more}, status=200 if all(checks.values()) else 503)
