"""All addresses."""

from django.conf import settings
from django.urls import include, path

from peerorder.web.home.views.pages import home
from peerorder.web.operations.health import health

handler400 = "peerorder.web.errors.bad_request"
handler403 = "peerorder.web.errors.forbidden"
handler404 = "peerorder.web.errors.not_found"
handler500 = "peerorder.web.errors.server_error"

urlpatterns = [
    path("", home, name="home"),
    path("health/", health, name="health"),
    *(path("", include(f"peerorder.web.{app}.urls")) for app in settings.DOMAINS),
]
