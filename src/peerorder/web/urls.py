"""All addresses."""

from django.urls import include, path

from peerorder.web import health
from peerorder.web.courses.views.courses import home

handler400 = "peerorder.web.errors.bad_request"
handler403 = "peerorder.web.errors.forbidden"
handler404 = "peerorder.web.errors.not_found"
handler500 = "peerorder.web.errors.server_error"

urlpatterns = [
    path("", home, name="home"),
    path("health/", health.health, name="health"),
    path("", include("peerorder.web.people.urls")),
    path("", include("peerorder.web.courses.urls")),
    path("", include("peerorder.web.rounds.urls")),
    path("", include("peerorder.web.papers.urls")),
    path("", include("peerorder.web.ranking.urls")),
    path("", include("peerorder.web.monitor.urls")),
    path("", include("peerorder.web.mail.urls")),
    path("", include("peerorder.web.log.urls")),
    path("", include("peerorder.web.jobs.urls")),
]
