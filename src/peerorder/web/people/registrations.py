"""What this app tells the apps below it."""

from collections.abc import Iterable, Mapping

from peerorder.web.mail.registry import register_directory
from peerorder.web.people.models import Person
from peerorder.web.people.services import forget_link, make_link


class People:
    """The people whom messages go to."""

    def find(self, ids: Iterable[int]) -> Mapping[int, Person]:
        """Return people by their ids."""
        return Person.objects.in_bulk(ids)

    def make_link(self, person: Person, *, printed: bool) -> str:
        """Make a new personal link."""
        return make_link(person, printed=printed)

    def forget_link(self, link: str) -> None:
        """Forget a link that never reached anybody."""
        forget_link(link)


register_directory(People())
