"""Errors and notes of the library name parameters, as in `staff_weight`; the command line shows --staff-weight."""

import re

import click

__all__ = ["in_options"]

PARAMETER = re.compile(r"`(\w+)`")


def in_options(text: str, command: click.Command | None) -> str:
    """Return a text with the options of a command in place of the parameters of the same names."""
    options = {
        option.name: max(option.opts, key=len)
        for option in (command.params if command is not None else ())
        if isinstance(option, click.Option)
    }
    return PARAMETER.sub(lambda result: options.get(result[1], result[0]), text)
