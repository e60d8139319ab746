"""Addresses of courses."""

from django.urls import path

from peerorder.web.courses.views import audit_log, courses, invitations, links, mails, people, rosters

app_name = "courses"
urlpatterns = [
    path("courses/new/", courses.new, name="new"),
    path("courses/<int:course_id>/settings/", courses.settings, name="settings"),
    path("courses/<int:course_id>/archive/", courses.archive, name="archive"),
    path("courses/<int:course_id>/bring-back/", courses.bring_back, name="bring_back"),
    path("courses/<int:course_id>/log/", audit_log.audit_log, name="audit-log"),
    path("courses/<int:course_id>/log/audit-log.<str:suffix>", audit_log.export, name="audit-log-export"),
    path("courses/<int:course_id>/mails/", mails.mails, name="mails"),
    path("courses/<int:course_id>/mails/again/", mails.again, name="try-mails-again"),
    path("courses/<int:course_id>/people/", people.people, name="people"),
    path("courses/<int:course_id>/people/new/", people.new, name="new_member"),
    path("courses/<int:course_id>/people/staff/", invitations.staff, name="staff"),
    path("courses/<int:course_id>/people/staff/invite/", invitations.invite, name="invite"),
    path(
        "courses/<int:course_id>/people/staff/invitations/<int:invitation_id>/again/",
        invitations.invite_again,
        name="invite-again",
    ),
    path(
        "courses/<int:course_id>/people/staff/invitations/<int:invitation_id>/revoke/",
        invitations.revoke_invitation,
        name="revoke-invitation",
    ),
    # Like personal links: no part of this path stands in any log.
    path("invitations/<str:token>/", invitations.invitation, name="invitation"),
    path("courses/<int:course_id>/people/links/", links.links, name="links"),
    path("courses/<int:course_id>/people/links/export/", links.export, name="export_links"),
    path("courses/<int:course_id>/people/links/send/", links.send, name="send_links"),
    path("courses/<int:course_id>/people/links/revoke/", links.revoke_all, name="revoke_all"),
    path("courses/<int:course_id>/people/roster/", rosters.upload, name="upload"),
    path("courses/<int:course_id>/people/roster/<int:upload_id>/", rosters.roster, name="roster"),
    path("courses/<int:course_id>/people/roster/<int:upload_id>/columns/", rosters.columns, name="columns"),
    path("courses/<int:course_id>/people/roster/<int:upload_id>/apply/", rosters.apply, name="apply"),
    path("courses/<int:course_id>/people/roster/<int:upload_id>/changes.csv", rosters.changes, name="changes"),
]
