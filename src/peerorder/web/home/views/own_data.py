"""One's own data, to take away."""

from django.http import FileResponse, HttpResponseBase
from django.shortcuts import render
from django.utils import timezone
from django.utils.cache import patch_cache_control
from django.views.decorators.http import require_http_methods

from peerorder.web.errors import TooManyRequests, too_many
from peerorder.web.home.own_data import own_data, reserve_download
from peerorder.web.people.access import PersonRequest, logged_in


@logged_in
@require_http_methods(["GET", "HEAD", "POST"])
def download(request: PersonRequest) -> HttpResponseBase:
    """Say what is in it, and send it."""
    if request.method != "POST":
        return render(request, "home/own_data.html")
    try:
        reserve_download(request.user)
    except TooManyRequests as error:
        return too_many(request, error)
    name = f"my-data-{timezone.localtime():%Y-%m-%d}.zip"
    response = FileResponse(own_data(request.user), as_attachment=True, filename=name, content_type="application/zip")
    patch_cache_control(response, private=True, no_store=True)
    return response
