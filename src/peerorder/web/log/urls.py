"""Addresses of the record."""

from django.urls import path

from peerorder.web.log import views

app_name = "log"
urlpatterns = [path("courses/<int:course_id>/log/", views.log, name="log")]
