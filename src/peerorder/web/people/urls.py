"""Addresses of people.

Those with tokens are listed in ``peerorder.web.secret_addresses``, which keeps them out of logs and texts.
"""

from django.urls import path

from peerorder.web.people.views import account, entering, recovery

app_name = "people"
urlpatterns = [
    path("login/", entering.log_in, name="login"),
    path("login/link/", recovery.send_link, name="send-link"),
    path("login/password/", recovery.send_reset, name="send-reset"),
    path("logout/", entering.log_out, name="logout"),
    path("in/<str:token>/", entering.enter, name="enter"),
    path("reset/<str:token>/", recovery.reset, name="reset"),
    path("confirm/<str:token>/", recovery.confirm, name="confirm-address"),
    path("account/", account.account, name="account"),
    path("account/details/", account.details, name="details"),
    path("account/verify/", account.verify, name="verify-address"),
    path("account/sessions/end/", account.end, name="end-session"),
    path("account/links/revoke/", account.revoke, name="revoke-link"),
    path("account/end/", account.end_all, name="end-all"),
]
