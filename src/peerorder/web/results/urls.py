"""Addresses of results, marks, comments and releases."""

from django.urls import path

from peerorder.web.results.views import comments, decisions, mark_files, marks, student

app_name = "results"
MARKS = "assignments/<int:assignment_id>/marks/"
urlpatterns = [
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
]
