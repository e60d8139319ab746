"""Addresses of mail."""

from django.urls import path

from peerorder.web.mail import views

app_name = "mail"
urlpatterns = [
    path("courses/<int:course_id>/mails/", views.mails, name="mails"),
    path("courses/<int:course_id>/mails/again/", views.again, name="again"),
]
