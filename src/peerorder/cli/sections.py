"""A group of commands whose help lists them in sections, in the order of a round."""

from typing import Any

import click

from peerorder.cli.single_use_options import Group
from peerorder.core.translation import translate

__all__ = ["SectionedGroup"]


class SectionedGroup(Group):
    """Commands in sections, each with a heading of its own in ``--help``."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.sections: dict[str, list[str]] = {}

    def add_command(self, cmd: click.Command, name: str | None = None, section: str = "Commands") -> None:
        """Add a command to a section."""
        super().add_command(cmd, name)
        self.sections.setdefault(section, []).append(name or cmd.name or "")

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 -- click passes it
        """Return the names of all commands, section by section."""
        return [name for names in self.sections.values() for name in names]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the names and the short descriptions, section by section."""
        width = max(map(len, self.commands))
        limit = formatter.width - 6 - width
        for section, names in self.sections.items():
            commands = [(name, command) for name in names if (command := self.get_command(ctx, name)) is not None]
            with formatter.section(translate(section)):
                formatter.write_dl([(name.ljust(width), each.get_short_help_str(limit)) for name, each in commands])
