"""Three tiny made-up papers, to try ranking with."""

from django.utils.translation import gettext as _

from peerorder.web.ranking.excerpts import first_words
from peerorder.web.ranking.queries import Item


def example_items() -> list[Item]:
    """Answers to "Why is the sky blue?", of which one is good, one is fair and one is off the point."""
    papers = (
        _("The sky is blue because the sea is blue, and the sky mirrors the sea."),
        _(
            "Sunlight holds all colours. Air scatters blue light much more than red light, so blue comes to us from "
            "all over the sky. At sunset the light comes a longer way, the blue is gone, and red is left."
        ),
        _("Air scatters light, and blue light more than other light. That is why it is blue."),
    )
    return [
        Item(f"example{label}", _("Paper %(label)s") % {"label": label}, 0, text=text, excerpt=first_words(text))
        for label, text in zip("ABC", papers, strict=True)
    ]
