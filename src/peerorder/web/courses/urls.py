"""Addresses of courses."""

from django.urls import path

from peerorder.web.courses.views import closing, courses, links, people, rosters

app_name = "courses"
urlpatterns = [
    path("courses/new/", courses.new, name="new"),
    path("courses/<int:course_id>/", courses.course, name="course"),
    path("courses/<int:course_id>/settings/", courses.settings, name="settings"),
    path("courses/<int:course_id>/archive/", closing.archive, name="archive"),
    path("courses/<int:course_id>/bring-back/", closing.bring_back, name="bring_back"),
    path("courses/<int:course_id>/delete/", closing.delete, name="delete"),
    path("courses/<int:course_id>/people/", people.people, name="people"),
    path("courses/<int:course_id>/people/new/", people.new, name="new_member"),
    path("courses/<int:course_id>/people/staff/", people.staff, name="staff"),
    path("courses/<int:course_id>/people/staff/add/", people.add_staff, name="add_staff"),
    path("courses/<int:course_id>/people/links/", links.links, name="links"),
    path("courses/<int:course_id>/people/links/export/", links.export, name="export_links"),
    path("courses/<int:course_id>/people/links/send/", links.send, name="send_links"),
    path("courses/<int:course_id>/people/links/revoke/", links.revoke_all, name="revoke_all"),
    path("courses/<int:course_id>/people/roster/", rosters.upload, name="upload"),
    path("courses/<int:course_id>/people/roster/<int:upload_id>/", rosters.roster, name="roster"),
    path("courses/<int:course_id>/people/roster/<int:upload_id>/apply/", rosters.apply, name="apply"),
    path("courses/<int:course_id>/people/roster/<int:upload_id>/changes.csv", rosters.changes, name="changes"),
    path("courses/<int:course_id>/people/<int:member_id>/", people.member, name="member"),
    path("courses/<int:course_id>/people/<int:member_id>/change/", people.change, name="change"),
    path("courses/<int:course_id>/people/<int:member_id>/link/", people.link, name="link"),
    path("courses/<int:course_id>/people/<int:member_id>/revoke/", people.revoke, name="revoke"),
    path("courses/<int:course_id>/people/<int:member_id>/remove/", people.remove, name="remove"),
    path("courses/<int:course_id>/people/<int:member_id>/put-back/", people.put_back, name="put_back"),
    path("courses/<int:course_id>/people/<int:member_id>/erase/", people.erase, name="erase"),
]
