"""The reference of all commands, made from the commands when the documentation is built, so that it is what they do.

A page gets it in the place of the line ``<!-- all commands -->``.
"""

import re
import textwrap
from collections.abc import Iterator

import click

from peerorder.cli import cli

MARK = "<!-- all commands -->"
# Examples that need nothing but files; the tests run them.
RUNNABLE = ("Run a round", "Research")
OPTION = re.compile(r"(?<![\w`/-])(--?[a-z][a-z-]*)(?![\w`=])")


def expand(text: str) -> str:
    """Return a page with all commands in the place of the mark."""
    return text.replace(MARK, "\n".join(reference())) if MARK in text else text


def reference() -> Iterator[str]:
    """Return the lines about all commands, section by section, in the order of ``--help``."""
    for section, names in cli.sections.items():
        yield f"## {section}\n"
        for name in names:
            yield from describe(cli.commands[name], name, 3, "console" if section in RUNNABLE else "sh")


def describe(command: click.Command, path: str, level: int, language: str) -> Iterator[str]:
    """Return the lines about one command: what it does, its usage, its options, an example, its subcommands."""
    context = click.Context(command, info_name=f"peerorder {path}")
    yield f"{'#' * level} `{path}`\n"
    examples = []
    for paragraph in re.split(r"\n\s*\n", (command.help or "").strip()):
        text = " ".join(paragraph.split())
        if text.startswith("\b"):
            yield f"```text\n{textwrap.dedent(paragraph.partition(chr(10))[2])}\n```\n"
        elif text.startswith("Example: "):
            examples.append(text.removeprefix("Example: "))
        else:
            yield f"{mark_options(text)}\n"
    usage = " ".join(command.collect_usage_pieces(context))
    yield f"```text\n{context.command_path} {usage}".rstrip() + "\n```\n"
    options = [option for option in command.params if isinstance(option, click.Option)]
    if options:
        yield "| option | default | meaning |\n|---|---|---|"
        yield from (row(option, context) for option in options)
        yield ""
    if examples:
        yield "\n".join([f"```{language}", *(f"{'$ ' * (language == 'console')}{each}" for each in examples), "```\n"])
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            yield from describe(command.commands[name], f"{path} {name}", level + 1, language)


def row(option: click.Option, context: click.Context) -> str:
    """Return a row of the table of options."""
    # Defaults that only people understand stand in the help itself.
    text, _, written = (option.help or "").removesuffix("]").partition("  [default: ")
    default = "required" if option.required else written or option.get_help_extra(context).get("default", "")
    value = "" if option.is_flag else f" {option.make_metavar(context).removesuffix(' RANGE')}"
    names = ", ".join(f"`{name}`" for name in option.opts)
    cells = (names + value, mark_options(default.strip("()")), mark_options(text))
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def mark_options(text: str) -> str:
    """Return a text with its options set as code."""
    return OPTION.sub(r"`\1`", text)


def setup(app):
    """Tell Sphinx to expand pages as they are read."""

    def read(_app, _name, source):
        source[0] = expand(source[0])

    app.connect("source-read", read)
    return {"parallel_read_safe": True}
