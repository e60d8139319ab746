"""What this app tells the apps below it, and Django of what it listens to."""

from peerorder.web.mail import registry as mail
from peerorder.web.people import login_events as login_events, services
from peerorder.web.people.models import Person


@mail.make_link
def make_link(person: Person, printed: bool) -> str:
    """Make a new personal link."""
    return services.make_link(person, printed=printed)


mail.forget_link(services.forget_link)
