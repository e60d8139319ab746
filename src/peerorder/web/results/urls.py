"""Addresses of results, marks, comments and releases."""

from django.urls import path

from peerorder.web.results.views import (
    comments,
    comparison,
    decisions,
    exclusions,
    mark_files,
    marks,
    releases,
    result,
    results,
    student,
    view_as,
)

app_name = "results"
MARKS = "assignments/<int:assignment_id>/marks/"
RESULTS = "assignments/<int:assignment_id>/results/"
RESULT = f"{RESULTS}<int:number>/"
urlpatterns = [
    # Results, for staff.
    path(RESULTS, results.results, name="results"),
    path(f"{RESULTS}compute/", results.compute, name="compute"),
    path(f"{RESULTS}exclusions/<int:exclusion_id>/undo/", exclusions.undo_exclusion, name="undo-exclusion"),
    path(RESULT, result.order, name="result"),
    path(f"{RESULT}graders/", result.graders, name="graders"),
    path(f"{RESULT}graders/<int:member_id>/exclude/", exclusions.exclude, name="exclude"),
    path(f"{RESULT}coverage/", result.coverage, name="coverage"),
    path(f"{RESULT}contrast/", result.contrast, name="contrast"),
    path(f"{RESULT}provenance/", result.provenance, name="provenance"),
    path(f"{RESULT}papers/<int:paper_id>/", result.paper, name="paper"),
    path(f"{RESULT}compared-with/<int:other>/", comparison.comparison, name="comparison"),
    path(f"{RESULT}choose/", comparison.choose, name="choose"),
    # What students see.
    path("assignments/<int:assignment_id>/my-result/", student.my_result, name="my-result"),
    path("assignments/<int:assignment_id>/my-result/feedback/", student.feedback, name="feedback"),
    # Comments, for staff.
    path("assignments/<int:assignment_id>/comments/", comments.comments, name="comments"),
    path("assignments/<int:assignment_id>/comments/words/", comments.words, name="watched-words"),
    path("assignments/<int:assignment_id>/comments/<int:slot_id>/", comments.comment, name="comment"),
    path("assignments/<int:assignment_id>/comments/<int:slot_id>/show/", comments.show, name="show-comment"),
    # Marks, for staff.
    path(MARKS, marks.marks, name="marks"),
    path(f"{MARKS}preview/", marks.preview, name="preview"),
    path(f"{MARKS}scale/", marks.scale, name="scale"),
    path(f"{MARKS}papers/<int:paper_id>/", decisions.decide, name="decide"),
    path(f"{MARKS}decisions/", decisions.decisions, name="decisions"),
    path(f"{MARKS}decisions/<int:decision_id>/undo/", decisions.undo, name="undo"),
    path(f"{MARKS}decisions/upload/", mark_files.upload, name="upload-decisions"),
    path(f"{MARKS}decisions/apply/", mark_files.apply, name="apply-decisions"),
    path(f"{MARKS}files/", mark_files.files, name="files"),
    path(f"{MARKS}files/<str:file>", mark_files.download, name="file"),
    path(f"{MARKS}gradebook/", mark_files.gradebook, name="gradebook"),
    # Releases, for staff.
    path("assignments/<int:assignment_id>/release/", releases.release, name="release"),
    path("assignments/<int:assignment_id>/release/sign-off/", releases.sign_off, name="sign-off"),
    path("assignments/<int:assignment_id>/release/<int:number>/", releases.one_release, name="one-release"),
    path("assignments/<int:assignment_id>/release/<int:number>/withdraw/", releases.withdraw, name="withdraw"),
    path("assignments/<int:assignment_id>/release/as/", view_as.choose_student, name="choose-student"),
    path("assignments/<int:assignment_id>/release/as/<int:member_id>/", view_as.view_as, name="view-as"),
]
