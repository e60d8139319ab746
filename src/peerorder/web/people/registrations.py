"""What this app tells the apps below it, and Django of what it listens to."""

from peerorder.web.audit.registry import REPLAYS
from peerorder.web.mail.models import Mail
from peerorder.web.mail.registry import LINKS, LinkKind
from peerorder.web.people import confirmations, links, login_events as login_events, replays
from peerorder.web.people.models import Person


def make_personal(mail: Mail, person: Person, printed: bool) -> str:
    """Make a new personal link."""
    return links.make_mailed_link(person, mail.to or person.email, printed=printed)


def make_confirmation(mail: Mail, _person: Person, _printed: bool) -> str:
    """Make a link that is to be answered once."""
    return confirmations.make_address(mail.link_id or 0)


REPLAYS |= {
    "link revoked": replays.revoke_links_again,
    "access ended": replays.revoke_links_again,
    "password set": replays.revoke_access_again,
    "password reset": replays.revoke_access_again,
    "password made": replays.revoke_access_again,
    "staff revoked": replays.revoke_access_again,
    "staff removed": replays.remove_again,
}
LINKS["personal"] = LinkKind(make_personal, links.forget_link, links.replace_mailed)
LINKS["confirmation"] = LinkKind(make_confirmation, confirmations.forget_address)
