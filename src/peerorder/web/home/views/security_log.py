"""What the audit log says about one's own account."""

from urllib.parse import urlencode

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from peerorder.web.audit.messages import describe
from peerorder.web.audit.queries import Search, read_page
from peerorder.web.audit.registry import ACCOUNT_VERBS
from peerorder.web.people.access import PersonRequest, logged_in


@logged_in
@require_safe
def security_log(request: PersonRequest) -> HttpResponse:
    """Log-ins, failures, links and passwords, and what staff did to the account, the newest first."""
    search = Search(people=[request.user.pk], verbs=ACCOUNT_VERBS)
    page = read_page(search.events(), request.GET.get("after", ""))
    context = {
        "entries": describe(page.events),
        "is_first": not request.GET.get("after"),
        "older": urlencode({"after": page.older}) if page.older else "",
    }
    return render(request, "home/security_log.html", context)
