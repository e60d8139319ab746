"""Papers for staff, who know whose they are."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.formats import number_format
from django.utils.translation import gettext as _, ngettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from peerorder.web.assignments.access import in_assignment, takes_part
from peerorder.web.assignments.models import Assignment
from peerorder.web.courses.access import STAFF, MemberRequest
from peerorder.web.courses.search import section_filters
from peerorder.web.errors import Refused, refused
from peerorder.web.papers import services
from peerorder.web.papers.authors import team_of
from peerorder.web.papers.forms import OnBehalfForm, WithdrawForm
from peerorder.web.papers.identity import find_identities
from peerorder.web.papers.queries import page_of, paper_in, search_papers, state_choices, version_of
from peerorder.web.papers.submissions import too_large
from peerorder.web.papers.uploads import was_too_large
from peerorder.web.papers.views.pictures import picture
from peerorder.web.people.access import accepts_files
from peerorder.web.tables import Column, Filter, Listing


@in_assignment(STAFF)
@require_safe
def papers(request: MemberRequest, assignment: Assignment) -> HttpResponse:
    """Show all papers with their authors, by the first author's surname unless the address says otherwise."""
    states = Filter("only", _("Show"), state_choices(), _("All papers"))
    listing = Listing.read(request.GET, _columns(), "author", [*section_filters(assignment.course), states])
    rows = search_papers(assignment, listing.words, listing.value("section"), listing.value("only"))
    listing.show(listing.sort_rows(rows), request.GET.get("page"), _count_papers)
    return render(request, "papers/papers.html", {"assignment": assignment, "listing": listing})


def _columns() -> list[Column]:
    return [
        Column("author", _("Authors"), ("surname", "pk")),
        Column("code", _("Paper"), ("code",)),
        Column("kind", _("Format"), ("current__kind", "surname", "pk")),
        Column("at", _("Handed in"), ("current__handed_in_at", "pk"), newest_first=True),
        Column("versions", _("Versions"), ("count", "surname", "pk"), is_number=True, newest_first=True),
        Column("state", _("State")),
    ]


def _count_papers(count: int) -> str:
    return ngettext("%(count)s paper", "%(count)s papers", count) % {"count": number_format(count, force_grouping=True)}


@in_assignment(STAFF)
@require_safe
def page(
    request: MemberRequest, assignment: Assignment, paper_id: int, number: int, version_id: int | None = None
) -> HttpResponse:
    """Send a page of a paper."""
    paper = paper_in(assignment, paper_id)
    return picture(request, page_of(paper.current if version_id is None else version_of(paper, version_id), number))


@in_assignment(STAFF)
@require_POST
def withdraw(request: MemberRequest, assignment: Assignment, paper_id: int) -> HttpResponse:
    """Take a paper out."""
    paper = paper_in(assignment, paper_id)
    form = WithdrawForm(request.POST)
    back = reverse("ranking:paper", args=[assignment.pk, paper.pk])
    if not form.is_valid():
        return refused(
            request, _("The paper was not withdrawn"), _("Give a reason for withdrawing it."), status=422, back=back
        )
    services.withdraw(paper, request.user, form.cleaned_data["withdrawn_because"])
    messages.success(request, _("The paper is withdrawn. Nobody will be asked to rank it."))
    return redirect(back)


@in_assignment(STAFF)
@require_POST
def put_back(request: MemberRequest, assignment: Assignment, paper_id: int) -> HttpResponse:
    """Put it back."""
    paper = paper_in(assignment, paper_id)
    back = reverse("ranking:paper", args=[assignment.pk, paper.pk])
    try:
        services.put_back(paper, request.user)
    except Refused as error:
        return refused(request, _("The paper was not put back"), str(error), back=back)
    messages.success(request, _("The paper is back in the assignment."))
    return redirect(back)


@in_assignment(STAFF)
@require_http_methods(["GET", "HEAD", "POST"])
@accepts_files
def on_behalf(request: MemberRequest, assignment: Assignment) -> HttpResponse:
    """Hand in for a student who cannot."""
    form = OnBehalfForm(
        assignment,
        request.POST if request.method == "POST" else None,
        request.FILES if request.method == "POST" else None,
        initial={"student": request.GET.get("student", "")},
        too_large=too_large() if was_too_large(request) else "",
    )
    if request.method == "POST" and form.is_valid() and (student := form.member) is not None:
        if not takes_part(student, assignment):
            form.add_error("student", _("This student does not take part in this assignment, or it is still a draft."))
        elif (sent := form.check(request.user)) is not None:
            try:
                version = services.hand_in(assignment, student, sent, by=request.member)
            except services.Closed as error:
                form.add_error(None, str(error))
            else:
                messages.success(request, _("The paper is handed in."))
                if shows := find_identities(sent.words, team_of(assignment, student)):
                    text = _("It shows who wrote it: %(what)s. Graders will see that.") % {"what": ", ".join(shows)}
                    messages.warning(request, text)
                return redirect("ranking:paper", assignment.pk, version.paper_id)
    context = {"assignment": assignment, "form": form}
    return render(request, "papers/on_behalf.html", context, status=422 if form.errors else 200)
