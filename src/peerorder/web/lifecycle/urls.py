"""Addresses of an assignment and its stages."""

from django.urls import path

from peerorder.web.lifecycle.views import assignment, export, transitions

app_name = "lifecycle"
urlpatterns = [
    path("assignments/<int:assignment_id>/", assignment.assignment, name="assignment"),
    path("assignments/<int:assignment_id>/delete/", assignment.delete, name="delete"),
    path("assignments/<int:assignment_id>/move/<slug:to>/", transitions.move, name="move"),
    path("assignments/<int:assignment_id>/hand-out-again/", transitions.hand_out_again, name="hand-out-again"),
    path("assignments/<int:assignment_id>/export/", export.export, name="export"),
    path("assignments/<int:assignment_id>/export/everything.zip", export.export_file, name="export-file"),
]
