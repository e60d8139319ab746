"""What can go wrong, as one tree of exceptions.

    PeerorderError
    |-- InputError            somebody gave us something wrong; exit code 2
    |   |-- UnknownNameError  no rule, scheme or noise of that name
    |   |-- OptionError       an option that does not exist, or a value it does not take
    |   |-- SchemeError       this scheme does not exist for this n and k
    |   |-- BundlesError      arrays that are no bundle graph
    |   |-- ProfileError      arrays that are no profile; names the ballot
    |   `-- HandoutError      no way to hand out the bundles; names the graders
    `-- PartlyDone            stopped before the end, with what was left out; exit code 3

The message of an ``InputError`` is one line for the person who gave the input: what is wrong, and
what to do about it.
"""

__all__ = [
    "BundlesError",
    "HandoutError",
    "InputError",
    "OptionError",
    "PartlyDone",
    "PeerorderError",
    "ProfileError",
    "SchemeError",
    "UnknownNameError",
]


class PeerorderError(Exception):
    """Anything that peerorder raises on purpose."""


class InputError(PeerorderError, ValueError):
    """The input is wrong; the message says where, why and what to do."""


class UnknownNameError(InputError, KeyError):
    """No rule, scheme or noise of that name is registered."""

    __str__ = Exception.__str__  # a KeyError shows its message in quotes


class OptionError(InputError):
    """A rule, scheme or noise does not have this option, or does not take this value."""


class SchemeError(InputError):
    """The scheme does not exist for this number of papers and this bundle size."""


class BundlesError(InputError):
    """The arrays are not a bundle graph."""


class ProfileError(InputError):
    """The arrays are not a profile."""


class HandoutError(InputError):
    """The bundles cannot be handed out so that every rule about who may see what holds."""


class PartlyDone(PeerorderError):
    """Work stopped before its end; what was done is kept, and the message says what is missing."""
