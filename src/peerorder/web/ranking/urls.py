"""Addresses of ranking."""

from django.urls import path

from peerorder.web.ranking.views import papers, problems, ranking, reading

app_name = "ranking"
urlpatterns = [
    path("assignments/<int:assignment_id>/ranking/", ranking.rank, name="rank"),
    path("assignments/<int:assignment_id>/ranking/save/", ranking.save, name="save"),
    path("assignments/<int:assignment_id>/ranking/hand-in/", ranking.hand_in, name="hand-in"),
    path("assignments/<int:assignment_id>/ranking/undo/", ranking.undo, name="undo"),
    path("assignments/<int:assignment_id>/ranking/receipt/", ranking.receipt, name="receipt"),
    path("assignments/<int:assignment_id>/ranking/example/", ranking.example, name="example"),
    path("assignments/<int:assignment_id>/ranking/preview/", ranking.preview, name="preview"),
    path("assignments/<int:assignment_id>/ranking/problems/<str:token>/", problems.report, name="report"),
    path("assignments/<int:assignment_id>/problems/", problems.inbox, name="problems"),
    path("assignments/<int:assignment_id>/problems/<int:problem_id>/", problems.answer, name="answer"),
    path("papers/<str:token>/", reading.read, name="read"),
    path("papers/<str:token>/pages/<int:number>/", reading.page, name="read-page"),
    path("assignments/<int:assignment_id>/papers/<int:paper_id>/", papers.paper, name="paper"),
    path(
        "assignments/<int:assignment_id>/papers/<int:paper_id>/versions/<int:version_id>/",
        papers.paper,
        name="version",
    ),
]
