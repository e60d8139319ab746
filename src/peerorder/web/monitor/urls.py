"""Addresses of monitor."""

from django.urls import path

from peerorder.web.monitor import views

app_name = "monitor"
urlpatterns = [
    path("assignments/<int:assignment_id>/monitor/", views.monitor, name="monitor"),
    path("assignments/<int:assignment_id>/monitor/remind/", views.remind_all, name="remind-all"),
    path("assignments/<int:assignment_id>/monitor/remind/<int:member_id>/", views.remind_one, name="remind-one"),
    path("assignments/<int:assignment_id>/monitor/more/", views.offer_more, name="offer-more"),
    path("assignments/<int:assignment_id>/monitor/late/", views.hand_out_late, name="hand-out-late"),
    path("assignments/<int:assignment_id>/offer/", views.answer, name="answer"),
]
