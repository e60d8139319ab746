"""Options that several commands share, spelt and explained the same everywhere."""

from pathlib import Path

import click

__all__ = ["RULE", "as_json", "out_directory", "seed", "workers"]

RULE = "posterior"
"""The default rule: the first of the registry, which must not be loaded for --help."""

seed = click.option("--seed", type=int, default=0, show_default=True, help="The same seed gives the same numbers.")
workers = click.option("--workers", type=int, default=None, help="Processes to use.  [default: all cores]")
as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON for machines.")
out_directory = click.option(
    "--out", type=click.Path(path_type=Path), default=Path("out"), show_default=True, help="Directory for the results."
)
