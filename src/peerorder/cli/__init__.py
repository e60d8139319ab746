"""The command line: thin. Commands parse, call the library and show; nothing heavy loads before one runs."""

import gc
import os
import sys
from collections.abc import Sequence

import click

from peerorder._version import __version__
from peerorder.cli.anchors import anchors
from peerorder.cli.assign import assign
from peerorder.cli.audit_log import audit_log
from peerorder.cli.backup import backup, restore
from peerorder.cli.compare import compare
from peerorder.cli.demo import demo
from peerorder.cli.grade import grade
from peerorder.cli.parameters import in_options
from peerorder.cli.plan import plan
from peerorder.cli.prepare import prepare
from peerorder.cli.registries import noises, rules, schemes
from peerorder.cli.reproduce import reproduce
from peerorder.cli.sections import SectionedGroup
from peerorder.cli.serve import serve
from peerorder.cli.simulate import simulate
from peerorder.cli.single_use_options import Group, translated
from peerorder.cli.staff import staff
from peerorder.cli.verify_log import verify_log
from peerorder.cli.verify_receipt import verify_receipt
from peerorder.core.translation import gettext as _, lend_to_default_domain, ngettext

__all__ = ["cli", "main"]


@click.group(
    cls=SectionedGroup,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, "-V", "--version", prog_name="peerorder", message="%(prog)s %(version)s")
@click.pass_context
def cli(context: click.Context) -> None:
    """Ordinal peer grading: many small rankings by peers become one fair order.

    Every student ranks a few classmates' papers; peerorder decides who ranks what, merges the
    rankings, and says how certain the order is. Start with `peerorder demo`.
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


for section, commands in {
    "Run a round": (plan, assign, grade, anchors, compare, demo, prepare),
    "Web app": (serve, staff, backup, restore, audit_log, verify_log, verify_receipt),
    "Research": (simulate, reproduce, rules, schemes, noises),
}.items():
    for command in commands:
        cli.add_command(command, section=section)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line. Exit code 0: done; 2: bad input; 3: partly done; 1: a bug."""
    # Commands make many objects and hardly any garbage. Collecting it, also at exit, takes a tenth of the time.
    gc.set_threshold(100_000)
    code = run(arguments)
    gc.freeze()
    sys.exit(code)


def run(arguments: Sequence[str] | None = None) -> int:
    """Run a command line and return its exit code; problems are reported on stderr, one line each."""
    try:
        lend_to_default_domain()
        code = translated(cli).main(arguments, prog_name="peerorder", standalone_mode=False)
    except click.UsageError as error:
        where = error.ctx.command_path if error.ctx else "peerorder"
        problem = error.format_message().rstrip(".")
        return _fail(_("{problem} (see {command} --help)").format(problem=problem, command=where), 2)
    except click.ClickException as error:
        return _fail(error.format_message(), 2)
    except (click.Abort, KeyboardInterrupt):
        return _fail(_("stopped; nothing was written"), 3)
    except BrokenPipeError:
        # The reader of our output has closed it. What is still in the buffer must not raise an error at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except MemoryError:
        return _fail(_("not enough memory; choose a smaller n or k, or another rule"), 2)
    except Exception as error:
        # Loaded here, because it brings the whole library along, and --help must not wait for that.
        from peerorder.core.errors import InputError, PartlyDone

        if isinstance(error, InputError):
            return _fail(in_options(_with_heading(error), Group.called), 2)
        if isinstance(error, PartlyDone):
            return _fail(in_options(str(error), Group.called), 3)
        raise
    return code if isinstance(code, int) else 0


def _with_heading(error: Exception) -> str:
    """Return the message; several problems with a file come below a line that counts them."""
    message = str(error)
    if "\n" not in message:
        return message
    lines = getattr(error, "lines", message.splitlines())
    heading = ngettext(
        "{count:,} problem with the input; nothing was written",
        "{count:,} problems with the input; nothing was written",
        len(lines),
    )
    return f"{heading.format(count=len(lines))}\n{message}"


def _fail(message: str, code: int) -> int:
    click.echo(f"peerorder: {message}", err=True)
    return code
