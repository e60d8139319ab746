"""Addresses of jobs."""

from django.urls import path

from peerorder.web.jobs import views

app_name = "jobs"
urlpatterns = [
    path("assignments/<int:assignment_id>/jobs/<uuid:job_id>/", views.job, name="job"),
]
