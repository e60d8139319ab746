"""Addresses of papers."""

from django.urls import path

from peerorder.web.papers.views import handing_in, originals, staff

app_name = "papers"
urlpatterns = [
    path("assignments/<int:assignment_id>/hand-in/", handing_in.hand_in, name="hand-in"),
    path("assignments/<int:assignment_id>/hand-in/preview/", handing_in.preview, name="preview"),
    path("assignments/<int:assignment_id>/hand-in/anyway/", handing_in.pending, name="pending"),
    path("assignments/<int:assignment_id>/receipt/", handing_in.receipt, name="receipt"),
    path("assignments/<int:assignment_id>/my-paper/", handing_in.mine, name="mine"),
    path("assignments/<int:assignment_id>/my-paper/pages/<int:number>/", handing_in.my_page, name="my-page"),
    path("assignments/<int:assignment_id>/papers/", staff.papers, name="papers"),
    path("assignments/<int:assignment_id>/papers/hand-in/", staff.on_behalf, name="on-behalf"),
    path("assignments/<int:assignment_id>/papers/<int:paper_id>/pages/<int:number>/", staff.page, name="paper-page"),
    path("assignments/<int:assignment_id>/papers/<int:paper_id>/withdraw/", staff.withdraw, name="withdraw"),
    path("assignments/<int:assignment_id>/papers/<int:paper_id>/put-back/", staff.put_back, name="put-back"),
    path(
        "assignments/<int:assignment_id>/papers/<int:paper_id>/versions/<int:version_id>/pages/<int:number>/",
        staff.page,
        name="version-page",
    ),
    path(
        "assignments/<int:assignment_id>/papers/<int:paper_id>/versions/<int:version_id>/original/",
        originals.original,
        name="original",
    ),
]
