"""Addresses of the pages that look at everything."""

from django.urls import path

from peerorder.web.home.views import own_data, pages, person, security_log, style_guide

app_name = "home"
urlpatterns = [
    path("account/data/", own_data.download, name="own-data"),
    path("account/log/", security_log.security_log, name="security-log"),
    path("style-guide/", style_guide.style_guide, name="style-guide"),
    path("courses/<int:course_id>/", pages.course, name="course"),
    path("courses/<int:course_id>/delete/", pages.delete, name="delete-course"),
    path("courses/<int:course_id>/people/<int:member_id>/", person.member, name="member"),
    path("courses/<int:course_id>/people/<int:member_id>/change/", person.change, name="change"),
    path("courses/<int:course_id>/people/<int:member_id>/link/", person.link, name="link"),
    path("courses/<int:course_id>/people/<int:member_id>/revoke/", person.revoke, name="revoke"),
    path("courses/<int:course_id>/people/<int:member_id>/revoke-link/", person.revoke_link, name="revoke-link"),
    path("courses/<int:course_id>/people/<int:member_id>/role/", person.role, name="role"),
    path("courses/<int:course_id>/people/<int:member_id>/remove/", person.remove, name="remove"),
    path("courses/<int:course_id>/people/<int:member_id>/put-back/", person.put_back, name="put_back"),
    path("courses/<int:course_id>/people/<int:member_id>/erase/", person.erase, name="erase"),
]
