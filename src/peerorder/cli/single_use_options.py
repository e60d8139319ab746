"""Options that take one value may be given only once: of two values, one would be ignored silently."""

import click

__all__ = ["Group"]


class Group(click.Group):
    """Commands whose single-valued options may be given only once."""

    called: click.Command | None = None
    """The command that was called last, for messages about its options."""

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
        _, _, order = context.command.make_parser(context).parse_args([*args])
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
            raise click.UsageError(f"{name} was given more than once; give it once", context)
        seen.add(option.name)
