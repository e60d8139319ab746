"""Addresses of ranking."""

from django.urls import path

from peerorder.web.ranking import problems, views

app_name = "ranking"
urlpatterns = [
    path("assignments/<int:assignment_id>/ranking/", views.rank, name="rank"),
    path("assignments/<int:assignment_id>/ranking/save/", views.save, name="save"),
    path("assignments/<int:assignment_id>/ranking/hand-in/", views.hand_in, name="hand-in"),
    path("assignments/<int:assignment_id>/ranking/example/", views.example, name="example"),
    path("assignments/<int:assignment_id>/ranking/problems/<str:token>/", problems.report, name="report"),
    path("assignments/<int:assignment_id>/problems/", problems.inbox, name="problems"),
    path("assignments/<int:assignment_id>/problems/<int:problem_id>/", problems.answer, name="answer"),
]
