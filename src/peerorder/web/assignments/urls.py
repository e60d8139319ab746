"""Addresses of assignments."""

from django.urls import path

from peerorder.web.assignments.views import assignments, attachments, extensions, jobs, plan

app_name = "assignments"
urlpatterns = [
    path("courses/<int:course_id>/assignments/new/", assignments.new, name="new"),
    path("courses/<int:course_id>/plan/", plan.plan, name="plan"),
    path("courses/<int:course_id>/assignments/preview/", assignments.preview, name="preview"),
    path("assignments/<int:assignment_id>/edit/", assignments.edit, name="edit"),
    path("assignments/<int:assignment_id>/attachments/", attachments.attach, name="attach"),
    path("assignments/<int:assignment_id>/attachments/<int:attachment_id>/", attachments.attachment, name="attachment"),
    path("assignments/<int:assignment_id>/attachments/<int:attachment_id>/remove/", attachments.detach, name="detach"),
    path("assignments/<int:assignment_id>/extensions/", extensions.extensions, name="extensions"),
    path("assignments/<int:assignment_id>/extensions/students/", extensions.students, name="extension-students"),
    path("assignments/<int:assignment_id>/extensions/<int:extension_id>/", extensions.extension, name="extension"),
    path(
        "assignments/<int:assignment_id>/extensions/<int:extension_id>/withdraw/",
        extensions.withdraw,
        name="withdraw-extension",
    ),
    path("assignments/<int:assignment_id>/jobs/<uuid:job_id>/", jobs.job, name="job"),
]
