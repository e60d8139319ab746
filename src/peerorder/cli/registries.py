"""``peerorder rules``, ``schemes`` and ``noises``: lists with options and citations."""

from typing import TYPE_CHECKING, Any

import click

from peerorder.cli import display, options
from peerorder.core.translation import gettext as _, pgettext, translate

if TYPE_CHECKING:
    from collections.abc import Iterable

    from peerorder.core.registry import Entry

__all__ = ["noises", "rules", "schemes"]


@click.command(short_help="List the aggregation rules.")
@options.as_json
def rules(as_json: bool) -> None:
    """List the aggregation rules.

    Use one with --rule NAME or --rule NAME:key=value,key=value.

    Example: peerorder rules
    """
    from peerorder.rules import RULES

    _show(RULES.values(), as_json)


@click.command(short_help="List the allocation schemes.")
@click.option("-n", type=int, help="With -k: build each scheme for n papers and report on it.")
@click.option("-k", type=int, help="With -n: the number of papers in a bundle.")
@options.seed
@options.as_json
def schemes(n: int | None, k: int | None, seed: int, as_json: bool) -> None:
    """List the allocation schemes. With -n and -k, build each and report on it.

    Example: peerorder schemes -n 1000 -k 8
    """
    from peerorder.schemes import SCHEMES

    if (n is None) != (k is None):
        raise click.UsageError(_("give -n and -k together"))
    if n is None or k is None:
        _show(SCHEMES.values(), as_json)
    else:
        _report(n, k, seed, as_json)


@click.command(short_help="List the noise models: how simulated graders err.")
@options.as_json
def noises(as_json: bool) -> None:
    """List the noise models: how simulated graders err.

    Example: peerorder noises
    """
    from peerorder.noise import NOISES

    _show(NOISES.values(), as_json)


def _show(registry: "Iterable[Entry]", as_json: bool) -> None:
    if as_json:
        display.show_json([_as_dict(entry) for entry in registry])
        return
    for entry in registry:
        display.show_entry(entry.name, translate(entry.summary), _details(entry))


def _details(entry: "Entry") -> list[tuple[str, str]]:
    details = [(pgettext("a rule from an article", "from"), entry.citation)]
    if hasattr(entry, "needs"):
        details.append((pgettext("a rule needs time", "needs"), translate(entry.needs)))
    for option in entry.options:
        default = ("yes" if option.default else "no") if isinstance(option.default, bool) else f"{option.default:g}"
        details.append((f"{option.name}={default}", translate(option.help)))
    return details


def _as_dict(entry: "Entry") -> dict[str, Any]:
    return {
        "name": entry.name,
        "summary": entry.summary,
        "citation": entry.citation,
        **({"needs": entry.needs} if hasattr(entry, "needs") else {}),
        "options": {option.name: {"default": option.default, "help": option.help} for option in entry.options},
    }


def _report(n: int, k: int, seed: int, as_json: bool) -> None:
    from dataclasses import asdict

    from peerorder.core import SchemeError, child
    from peerorder.schemes import SCHEMES

    reports: dict[str, Any] = {}
    refused: list[SchemeError] = []
    for scheme in SCHEMES.values():
        try:
            reports[scheme.name] = scheme.build(n, k, child(seed, scheme.name)).report
        except SchemeError as error:
            reports[scheme.name] = error
            refused.append(error)
    if len(refused) == len(reports):
        raise refused[0]
    if as_json:
        display.show_json(
            {name: {"error": str(r)} if isinstance(r, SchemeError) else asdict(r) for name, r in reports.items()}
        )
    else:
        display.show_table((_("scheme"), f"n={n}, k={k}"), [(name, str(report)) for name, report in reports.items()])
