"""Addresses of people."""

from django.urls import path

from peerorder.web.people import views

app_name = "people"
urlpatterns = [
    path("login/", views.log_in, name="login"),
    path("logout/", views.log_out, name="logout"),
    path("in/<str:token>/", views.enter, name="enter"),
    path("account/", views.account, name="account"),
    path("account/details/", views.details, name="details"),
]
