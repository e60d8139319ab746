"""Addresses of results, marks, comments and releases."""

from django.urls import path

from peerorder.web.results.views import comments, student

app_name = "results"
urlpatterns = [
    # What students see.
    path("assignments/<int:assignment_id>/my-result/", student.my_result, name="my-result"),
    path("assignments/<int:assignment_id>/my-result/feedback/", student.feedback, name="feedback"),
    # Comments, for staff.
    path("assignments/<int:assignment_id>/comments/", comments.comments, name="comments"),
    path("assignments/<int:assignment_id>/comments/words/", comments.words, name="watched-words"),
    path("assignments/<int:assignment_id>/comments/<int:slot_id>/", comments.comment, name="comment"),
    path("assignments/<int:assignment_id>/comments/<int:slot_id>/show/", comments.show, name="show-comment"),
]
