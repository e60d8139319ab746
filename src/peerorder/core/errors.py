"""All exceptions, as one tree.

    PeerorderError
    |-- InputError            the input is wrong; exit code 2
    |   |-- UnknownNameError  no rule, scheme or noise of that name
    |   |-- OptionError       an option that does not exist, or a value that it does not accept
    |   |-- SchemeError       this scheme does not exist for this n and k
    |   |-- BundlesError      arrays that are not a bundle graph
    |   |-- ProfileError      arrays that are not a profile; names the ballot
    |   `-- HandoutError      the bundles cannot be handed out; names the graders
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
    """A rule, scheme or noise does not have this option, or does not accept this value."""


class SchemeError(InputError):
    """The scheme does not exist for this number of papers and this bundle size."""


class BundlesError(InputError):
    """The arrays are not a bundle graph."""


class ProfileError(InputError):
    """The arrays are not a profile."""


class HandoutError(InputError):
    """The bundles cannot be handed out without breaking a rule about who may see what."""


class PartlyDone(PeerorderError):
    """Work stopped before its end; what was done is kept, and the message says what is missing."""
