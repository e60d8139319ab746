"""Addresses of assignments."""

from django.urls import path

from peerorder.web.rounds.views import assignments, extensions, moves, plan, sending

app_name = "rounds"
urlpatterns = [
    path("courses/<int:course_id>/assignments/new/", assignments.new, name="new"),
    path("courses/<int:course_id>/plan/", plan.plan, name="plan"),
    path("assignments/<int:assignment_id>/", assignments.assignment, name="assignment"),
    path("assignments/<int:assignment_id>/edit/", assignments.edit, name="edit"),
    path("assignments/<int:assignment_id>/delete/", assignments.delete, name="delete"),
    path("assignments/<int:assignment_id>/move/<slug:to>/", moves.move, name="move"),
    path("assignments/<int:assignment_id>/hand-out-again/", moves.hand_out_again, name="hand-out-again"),
    path("assignments/<int:assignment_id>/extensions/", extensions.extensions, name="extensions"),
    path("assignments/<int:assignment_id>/extensions/students/", extensions.students, name="extension-students"),
    path("assignments/<int:assignment_id>/extensions/<int:extension_id>/", extensions.extension, name="extension"),
    path(
        "assignments/<int:assignment_id>/extensions/<int:extension_id>/withdraw/",
        extensions.withdraw,
        name="withdraw-extension",
    ),
    path("assignments/<int:assignment_id>/export/", sending.export, name="export"),
]
