"""An option that takes one value is given once, or refused."""

import click
import pytest

from peerorder.cli import cli


@pytest.mark.parametrize(
    ("words", "option"),
    [
        (["grade", "r.csv", "--roster", "a.csv", "--roster", "b.csv"], "--roster"),
        (["grade", "r.csv", "--out=a.csv", "--out", "a.csv"], "--out"),
        (["assign", "r.csv", "--conflicts", "a.csv", "--conflicts", "b.csv", "--out", "h.csv"], "--conflicts"),
        (["anchors", "r.csv", "-n", "3", "--count", "4"], "--count"),
        (["plan", "-n", "30", "-n", "40"], "-n"),
        (["staff", "add", "Ida", "--email", "a@x.org", "--email", "b@x.org"], "--email"),
    ],
)
def test_an_option_given_twice_is_refused(refused, words, option):
    assert f"{option} was given more than once; give it once" in refused(*words)


def test_what_may_be_repeated_is(peerorder):
    seen = peerorder("grade", "r.csv", "--handout", "a.csv", "--handout", "b.csv", "--json", "--json")
    assert "a.csv: file not found" in seen.err
    assert "b.csv: file not found" in seen.err


def test_every_command_is_looked_at():
    groups = [cli, *(command for command in cli.commands.values() if isinstance(command, click.Group))]
    for group in groups:
        for name, command in group.commands.items():
            for option in command.params:
                one = isinstance(option, click.Option) and not (option.multiple or option.is_flag or option.count)
                if not one or isinstance(command, click.Group):
                    continue
                context = click.Context(group, info_name="peerorder")
                with pytest.raises(click.UsageError, match="more than once"):
                    group.resolve_command(context, [name, option.opts[0], "1", option.opts[0], "1"])


@pytest.mark.parametrize(
    ("words", "command"),
    [
        (["grade", "r.csv", "--roster"], "peerorder grade"),
        (["plan", "--nope"], "peerorder plan"),
        (["staff", "add", "--nope"], "peerorder staff add"),
    ],
)
def test_whoever_types_a_wrong_option_is_sent_to_the_help_of_that_command(refused, words, command):
    assert f"(see {command} --help)" in refused(*words)
