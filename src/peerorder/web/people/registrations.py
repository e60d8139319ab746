"""What this app tells the apps below it."""

from peerorder.web.mail import registry as mail
from peerorder.web.people import services
from peerorder.web.people.models import Person


@mail.make_link
def make_link(person: Person, printed: bool) -> str:
    """Make a new personal link."""
    return services.make_link(person, printed=printed)


mail.forget_link(services.forget_link)
