"""An option that takes one value is given once: of two, one would be forgotten without a word."""

import click

__all__ = ["Group"]


class Group(click.Group):
    """Commands that refuse to take one of two values."""

    called: click.Command | None = None
    """The command that was called last, for what is said about its options."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that is called, once it is clear that no option of it is there twice."""
        name, command, rest = super().resolve_command(ctx, args)
        Group.called = command
        if command is not None:
            _refuse_doubles(click.Context(command, ctx, name), rest)
        return name, command, rest


def _refuse_doubles(context: click.Context, args: list[str]) -> None:
    """Complain about an option that is there twice, if it takes a value and may not be repeated."""
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
            said = max(option.opts, key=len)
            raise click.UsageError(f"{said} is there more than once, and one alone would count; keep one", context)
        seen.add(option.name)
