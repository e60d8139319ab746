"""Help, output and errors of the commands in the pseudo-locale: what is not in brackets cannot be translated."""

import re

import pytest

from peerorder.cli import cli, run
from tests import pseudo_locale

# Commands, options, files, rules, codes and placeholders of arguments are the same in all languages.
SAME = re.compile(
    r"\bpeerorder\b|(?<!\w)--?[\w-]+|[\w./-]+\.(?:csv|html|json|svg|png|xlsx|npz)\b|\b(?:[A-Z0-9_]{2,}|[nk])\b"
    r"|\b(?:borda|posterior|condorcet|girth6|random|level|reversed|Canvas|percentile|Borda|done|reliable)\b|\be[+-]\d+\b"
)


@pytest.fixture
def foreign(pseudo_catalogues, capsys, monkeypatch, tmp_path):
    """Run a command in the pseudo-locale: ``foreign("plan", "-n", "40")`` returns the words outside of brackets."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LANGUAGE", pseudo_locale.LOCALE)
    monkeypatch.setenv("COLUMNS", "1000")

    def words(*arguments: str, code: int = 0) -> list[str]:
        with pseudo_locale.speaking(pseudo_catalogues, lambda: None):
            assert run([*arguments]) == code
        shown = capsys.readouterr()
        assert pseudo_locale.OPEN in shown.out + shown.err
        outside = SAME.sub(" ", pseudo_locale.outside(shown.out + shown.err))
        return re.findall(r"[^\W\d_]{2,}", outside)

    return words


COMMANDS = [[name] for name in cli.commands] + [["staff", name] for name in cli.commands["staff"].commands]


@pytest.mark.parametrize("command", [[], *COMMANDS], ids=" ".join)
def test_help(foreign, command):
    rest = set(foreign(*command, "--help"))
    # Names of commands, and what stands for a value: a kind, a choice, a default.
    assert rest <= {*cli.commands, *cli.commands["staff"].commands, *VALUES}, rest


VALUES = {
    *("audit", "log", "verify", "receipt", "out", "xlsx", "csv", "web", "worker", "average", "perfect", "rsd"),
    *("table", "figure", "SHA", "all", "robustness", "calibration", "plan", "real", "held", "tuning"),
}


@pytest.mark.parametrize(
    "command",
    [
        ["plan", "-n", "40", "--dropout", "20"],
        ["demo", "-n", "30", "-k", "4", "--rule", "borda"],
        ["demo", "--files", ".", "-n", "24"],
        ["rules"],
        ["schemes"],
        ["schemes", "-n", "31", "-k", "6"],
        ["noises"],
    ],
    ids=" ".join,
)
def test_output(foreign, command):
    from peerorder.noise import NOISES
    from peerorder.rules import RULES
    from peerorder.schemes import SCHEMES

    entries = (*RULES.values(), *SCHEMES.values(), *NOISES.values())
    cited = " ".join(f"{each.name} {each.citation} {' '.join(o.name for o in each.options)}" for each in entries)
    known = {*re.findall(r"[^\W\d_]{2,}", cited), "yes", "no"}
    assert [word for word in foreign(*command) if word not in known] == []


def untranslated(page: str) -> list[str]:
    """Return the lines of a page with words that cannot be translated; ids and digests are none."""
    lines = (SAME.sub(" ", line) for line in pseudo_locale.untranslated_lines(page))
    return [line for line in lines if re.search(r"\b(?![0-9a-f]{16,}\b)[^\W\d_]{2,}", line)]


ROSTER = "student,name,email\n" + "".join(f"s{i:02},,\n" for i in range(12))


def test_a_round(foreign, tmp_path):
    (tmp_path / "roster.csv").write_text(ROSTER)
    round_ = ("--roster", "roster.csv", "--codes", "codes.csv")
    assert foreign("assign", "roster.csv", "-k", "3", "--out", "handout.csv") == []
    assert foreign("demo", "--answer", "handout.csv", *round_, "--out", "rankings.csv", "--noise", "perfect") == []
    graded = ("grade", "rankings.csv", *round_, "--handout", "handout.csv", "--rule", "borda", "--marks", "percentile")
    assert foreign(*graded, "--explain", "s01") == []
    assert foreign(*graded, "--report", "report.html") == []
    # The files are listed under the names that the provenance has for them.
    inputs = {"rankings", "roster", "handout", "codes"}
    assert {line.strip() for line in untranslated((tmp_path / "report.html").read_text())} <= inputs
    assert foreign("anchors", "rankings.csv", *round_, "--rule", "borda", "-n", "3") == []


@pytest.mark.parametrize(
    "command",
    [
        ["plan"],
        ["plan", "-n", "x"],
        ["plan", "-n", "40", "--graders", "27b"],
        ["plan", "-n", "1"],
        ["grade"],
        ["grade", "nothing.csv"],
        ["grade", "bad.csv"],
        ["grade", "bad.csv", "--rule", "bordo"],
        ["grade", "bad.csv", "--seed", "1", "--seed", "2"],
        ["assign", "bad.csv", "--out", "handout.csv"],
        ["schemes", "-n", "31"],
        ["demo", "-n", "3"],
        ["simulate", "--noise", "condorcet:level=900"],
        # Before it looks at any database.
        ["backup", "missing/peers.tar.gz"],
    ],
    ids=" ".join,
)
def test_errors(foreign, tmp_path, command):
    (tmp_path / "bad.csv").write_text("grader,paper,rank\n1,2,first\n1,2,3\n4\n")
    assert foreign(*command, code=2) == []
