"""Groups of commands: single-valued options may be given only once, and help is in the language of the reader.

Of two values, one would be ignored silently. The texts of commands are data, so they are translated here.
"""

from copy import copy
from typing import TypeVar

import click

from peerorder.core.translation import gettext as _, translate

__all__ = ["Group", "translated"]

Command = TypeVar("Command", bound=click.Command)


def translated(command: Command) -> Command:
    """Return a copy of a command whose help is translated."""
    result = copy(command)
    result.help, result.short_help, result.epilog = (
        text and translate(text) for text in (command.help, command.short_help, command.epilog)
    )
    # Made when it was first shown, in the language of that time.
    result._help_option = None
    result.params = [copy(parameter) for parameter in command.params]
    for parameter in result.params:
        if isinstance(parameter, click.Option) and parameter.help:
            parameter.help = translate(parameter.help)
    return result


class Group(click.Group):
    """Commands in the language of the reader, whose single-valued options may be given only once."""

    called: click.Command | None = None
    """The command that was called last, for messages about its options."""

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command by its name, translated."""
        command = super().get_command(ctx, cmd_name)
        return None if command is None else translated(command)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that is called; raise UsageError if one of its options is given twice."""
        name, command, rest = super().resolve_command(ctx, args)
        Group.called = command
        if command is not None:
            _refuse_doubles(click.Context(command, ctx, name), rest)
        return name, command, rest


def _refuse_doubles(context: click.Context, args: list[str]) -> None:
    """Raise UsageError if an option is given twice that takes a value and may not be repeated."""
    try:
        _values, _rest, order = context.command.make_parser(context).parse_args([*args])
    except click.UsageError as error:
        # The parser does not know whose options they are, and so not whose help to name.
        error.ctx = error.ctx or context
        raise
    seen: set[str | None] = set()
    for option in order:
        if not isinstance(option, click.Option) or option.multiple or option.is_flag or option.count:
            continue
        if option.name in seen:
            name = max(option.opts, key=len)
            raise click.UsageError(_("{option} was given more than once; give it once").format(option=name), context)
        seen.add(option.name)
