"""Problems with papers: graders report them, staff answer."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from peerorder.web.assignments.access import in_assignment
from peerorder.web.assignments.models import Assignment
from peerorder.web.courses.access import STAFF, STUDENTS, MemberRequest
from peerorder.web.papers.queries import authors_of
from peerorder.web.ranking import services
from peerorder.web.ranking.content import label
from peerorder.web.ranking.forms import AnswerForm, ProblemForm
from peerorder.web.ranking.models import Problem, Slot


@in_assignment(STUDENTS)
@require_http_methods(["GET", "HEAD", "POST"])
def report(request: MemberRequest, assignment: Assignment, token: str) -> HttpResponse:
    """Report a problem with a paper, and see what staff said to earlier ones."""
    slot = get_object_or_404(Slot.objects, assignment=assignment, grader=request.member, token=token)
    form = ProblemForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        made = services.report(slot, form.cleaned_data["kind"], form.cleaned_data["text"], request.user)
        if made is None:
            messages.warning(request, _("You already reported this paper several times. Please wait for an answer."))
        else:
            messages.success(
                request,
                _(
                    "Thank you. Your instructors can see your report, and you will find the answer next to the paper. "
                    "You can continue ranking."
                ),
            )
        return redirect(reverse("ranking:rank", args=[assignment.pk]) + f"#paper-{token}")
    name = _("Paper %(label)s") % {"label": label(slot.position)}
    context = {"assignment": assignment, "form": form, "name": name, "token": token}
    return render(request, "ranking/report.html", {**context, "problems": slot.problems.order_by("pk")})


@in_assignment(STAFF)
@require_safe
def inbox(request: MemberRequest, assignment: Assignment) -> HttpResponse:
    """Everything that was reported; what waits for an answer first."""
    problems = list(
        Problem.objects.filter(slot__assignment=assignment).select_related("slot__grader__person").order_by("-pk")
    )
    authors = authors_of({problem.slot.paper_id for problem in problems})
    context = {
        "assignment": assignment,
        "waiting": [
            (problem, authors[problem.slot.paper_id], AnswerForm(prefix=f"p{problem.pk}", instance=problem))
            for problem in problems
            if problem.answered_at is None
        ],
        "answered": [
            (problem, authors[problem.slot.paper_id]) for problem in problems if problem.answered_at is not None
        ],
    }
    return render(request, "ranking/problems.html", context)


@in_assignment(STAFF)
@require_POST
def answer(request: MemberRequest, assignment: Assignment, problem_id: int) -> HttpResponse:
    """Answer a report."""
    problem = get_object_or_404(Problem.objects.select_related("slot"), pk=problem_id, slot__assignment=assignment)
    form = AnswerForm(request.POST, prefix=f"p{problem.pk}", instance=problem)
    if form.is_valid():
        services.answer(problem, form.cleaned_data["answer"], request.user, tell=form.cleaned_data["tell"])
        messages.success(request, _("Your answer is sent. The student sees it next to the paper."))
    else:
        messages.error(request, _("Your answer is empty or longer than 2,000 characters. Write a shorter one."))
    return redirect("ranking:problems", assignment.pk)
