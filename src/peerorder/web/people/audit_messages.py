"""What the audit log says of this app."""

from django.utils.translation import gettext_lazy as _

from peerorder.web.audit.registry import ACCOUNT_VERBS, MESSAGES, NAMES, STRANGERS, WORDS
from peerorder.web.people.models import Link, Person

ABOUT_ACCOUNTS = {
    "logged in": (_("logged in with a password"), _("log-ins with a password")),
    "logged in by link": (_("logged in with %(way)s (link %(link)s)"), _("log-ins with a personal link")),
    "logged out": (_("logged out"), _("log-outs")),
    "log-in failed": (_("failed to log in as %(person)s"), _("failed log-ins")),
    "log-ins failed": (_("failed to log in %(attempts)s more times"), _("more failed log-ins")),
    "unknown log-in failed": (
        _("failed to log in with an unknown username"),
        _("failed log-ins with an unknown username"),
    ),
    "access ended": (_("ended all their own sessions and links"), _("sessions and links ended")),
    "account changed": (_("changed their own %(fields)s"), _("own names and addresses changed")),
    "address asked for": (_("was asked to confirm an e-mail address"), _("e-mail addresses to confirm")),
    "address verified": (_("confirmed their e-mail address"), _("e-mail addresses confirmed")),
    "link revoked": (_("revoked a link of %(person)s (link %(link)s)"), _("links revoked one by one")),
    "password set": (_("set a password"), _("passwords set")),
    "password removed": (_("removed their password"), _("passwords removed")),
    "password reset": (_("reset their password by e-mail"), _("passwords reset")),
    "password made": (_("a password was created"), _("passwords created")),
    "sessions ended": (_("ended %(sessions)s of their own sessions"), _("own sessions ended")),
    "staff account made": (_("an account for %(person)s was created"), _("staff accounts created")),
    "staff removed": (_("the account of %(person)s was removed from staff"), _("staff accounts removed")),
    "staff revoked": (_("all access of %(person)s was revoked"), _("access of staff revoked")),
}

MESSAGES |= ABOUT_ACCOUNTS
ACCOUNT_VERBS.update(ABOUT_ACCOUNTS)
STRANGERS |= {"log-in failed", "log-ins failed", "unknown log-in failed"}

NAMES["person"] = Person.objects.in_bulk

WAYS = {
    Link.Kind.MAILED: _("a link from an e-mail"),
    Link.Kind.SHOWN: _("a link created by staff"),
    Link.Kind.ONCE: _("a link from the command line"),
}
WORDS["way"] = lambda value: str(WAYS.get(value, value))
