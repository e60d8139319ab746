"""The documentation is complete and true: everything is in it, its examples run, its references resolve."""

import doctest
import re
import shlex
import shutil
import subprocess
import sys
import textwrap
from dataclasses import dataclass
from importlib.util import module_from_spec, spec_from_file_location
from itertools import count
from pathlib import Path
from pkgutil import resolve_name
from types import ModuleType

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import peerorder
from peerorder.cli import cli, run
from peerorder.cli.simulate import COLUMNS
from peerorder.files.tables import codes, conflicts, entries, handouts, roster_columns
from peerorder.marks import SCALES
from peerorder.noise import NOISES
from peerorder.rules import RULES
from peerorder.schemes import SCHEMES
from peerorder.studies import STUDIES, calibration, study
from peerorder.studies.scenarios import OF_TABLE_2, SCENARIOS, TIED

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
TEXTS = {
    path.relative_to(ROOT).as_posix(): path.read_text("utf-8")
    for path in sorted([*ROOT.glob("*.md"), *DOCS.glob("*.md"), *DOCS.glob("[!_]*/*.md")])
}
ANY_PAGE = pytest.mark.parametrize("page", TEXTS)
COMMAND_PAGE, OUTPUT_PAGE = "docs/reference/commands.md", "docs/reference/output.md"


def tool(name):
    """A script of the documentation, as a module."""
    spec = spec_from_file_location(name, DOCS / f"{name}.py")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


fill, typed, command_reference = tool("fill"), tool("typed"), tool("command_reference")
# As it is built.
TEXTS[COMMAND_PAGE] = command_reference.expand(TEXTS[COMMAND_PAGE])

FENCE = re.compile(r"^( *)```([^\n`]*)\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)
HEADING = re.compile(r"^(#+) (.+)$", re.MULTILINE)
# Rules, schemes and noises that another installed package brings are not ours to document.
OURS = {
    page: [entry for entry in registry.values() if getattr(entry, function).__module__.startswith("peerorder.")]
    for page, registry, function in (
        ("docs/reference/rules.md", RULES, "compute"),
        ("docs/reference/schemes.md", SCHEMES, "construct"),
        ("docs/reference/noises.md", NOISES, "rank"),
    )
}
ENTRY_POINT_GROUPS = {"peerorder.rules", "peerorder.schemes", "peerorder.noises", "peerorder.engines"}


@dataclass(frozen=True)
class Block:
    page: str
    language: str
    text: str
    line: int


@dataclass(frozen=True)
class Command:
    page: str
    text: str
    output: str

    @property
    def words(self):
        return shlex.split(self.text)


def blocks(page, language):
    text = TEXTS[page]
    return [
        Block(page, language, textwrap.dedent(match[3]), text[: match.start()].count("\n") + 1)
        for match in FENCE.finditer(text)
        if match[2] == language
    ]


def prose(page):
    """A page without its fenced blocks."""
    return FENCE.sub("", TEXTS[page])


def spans(page):
    """What stands between single backticks outside of fenced blocks, on one line or two."""
    return [" ".join(span.split()) for span in re.findall(r"(?<!`)`([^`]+)`(?!`)", prose(page))]


def section(page, heading):
    """What stands under a heading, up to the next of its level."""
    found = re.search(rf"^(##+) {re.escape(heading)}\n(.*?)(?=^\1 |\Z)", TEXTS[page], re.MULTILINE | re.DOTALL)
    assert found, f"{page} has no heading {heading}"
    return found[2]


def option_row(text, name):
    found = re.search(rf"^ *\| `{re.escape(name)}` \|(.*)$", text, re.MULTILINE)
    assert found, f"there is no row for the option {name}"
    return found[1]


def commands():
    found = {}
    for page in TEXTS:
        if typed.MARK in TEXTS[page]:
            continue  # its commands need each other
        for block in blocks(page, "console"):
            joined = re.sub(r" *\\\n *", " ", block.text)
            for part in re.split(r"^\$ ", joined, flags=re.MULTILINE)[1:]:
                text, _, output = part.partition("\n")
                command = Command(page, text, output.rstrip())
                # The same command on several pages is one; what it prints is shown at most once.
                if text not in found or output:
                    found[text] = command
    return list(found.values())


COMMANDS = commands()
OURS_TO_RUN = [command for command in COMMANDS if command.words[0] == "peerorder"]


# Everything is in it.


def walk(command, path):
    """A command and its subcommands, by what is typed."""
    yield path, command
    for name, sub in getattr(command, "commands", {}).items():
        yield from walk(sub, f"{path} {name}")


WALKED = dict(pair for name, command in cli.commands.items() for pair in walk(command, name))


@pytest.mark.parametrize("name", WALKED)
def test_every_command_and_every_option_of_it_is_documented_with_its_default(name):
    text = section(COMMAND_PAGE, f"`{name}`")
    assert WALKED[name].help.split(".")[0].split()[0] in text
    for option in WALKED[name].params:
        if option.param_type_name == "argument":
            continue
        assert option.help, f"{name} {option.opts[0]} has no description"
        row = re.search(rf"^\| `{re.escape(option.opts[0])}`(.*)$", text, re.MULTILINE)[1]
        default = option.default[0] if isinstance(option.default, tuple) else option.default
        if isinstance(default, (int, str, Path)) and not option.is_flag:
            assert str(default) in row, f"{name} {option.opts[0]}"


def test_every_heading_of_a_command_is_a_command():
    headings = re.findall(r"^###+ `(.+)`$", TEXTS[COMMAND_PAGE], re.MULTILINE)
    assert sorted(headings) == sorted(WALKED)
    assert [heading for heading in headings if " " not in heading] == cli.list_commands(None)


def test_every_command_has_an_example():
    for name in WALKED:
        assert re.search(rf"^(\$ )?peerorder {name.split(' ')[0]}\b", section(COMMAND_PAGE, f"`{name}`"), re.MULTILINE)


def test_notes_on_defaults_stand_in_their_column():
    row = command_reference.row(next(o for o in WALKED["plan"].params if o.name == "runs"), None)
    assert row.split(" | ")[1:] == ["400 papers' worth", "Classes simulated for each k. |"]


@pytest.mark.parametrize("page", OURS)
def test_every_entry_of_a_registry_has_its_section_in_order(page):
    assert re.findall(r"^## `(.+)`$", TEXTS[page], re.MULTILINE) == [entry.name for entry in OURS[page]]


@pytest.mark.parametrize(
    ("page", "entry"), [(page, entry) for page in OURS for entry in OURS[page]], ids=lambda x: getattr(x, "name", x)
)
def test_every_entry_is_documented_with_citation_and_options(page, entry):
    text = section(page, f"`{entry.name}`")
    assert f"**From**: {entry.citation}." in " ".join(text.split())
    for option in entry.options:
        row = option_row(text, option.name)
        default = {True: "yes", False: "no"}[option.default] if isinstance(option.default, bool) else option.default
        assert f"| {default if isinstance(default, str) else format(default, 'g')} |" in f"|{row}"
        if option.low is not None and option.high is not None:
            assert f"{option.low} to {option.high}" in row
    if not entry.options:
        assert "**Options**: none" in text


def test_every_scale_of_marks_and_every_option_of_it_is_documented():
    text = section("docs/howto/marks.md", "Scales")
    for scale in SCALES.values():
        assert option_row(text, scale.name)
        for option in scale.options:
            assert f"| {option.default:g} |" in f"|{option_row(text, option.name)}"
    assert f"`{SCALES['bands'].name}:" + ",".join(f"{k}={v:g}" for k, v in SCALES["bands"].values.items()) in text


@pytest.mark.parametrize("name", STUDIES)
def test_every_study_is_documented_with_its_columns_and_runs(name):
    for table in study(name).tables:
        assert f"| `{table.name}.csv` | `{','.join(table.columns)}`" in section(OUTPUT_PAGE, "`reproduce`")
    assert option_row(TEXTS["docs/howto/reproducing.md"], name).split("|")[-2].strip() == str(study(name).runs)


def test_the_columns_of_simulate_are_documented():
    assert f"`{','.join(COLUMNS)}`" in section(OUTPUT_PAGE, "`simulate`")


@pytest.mark.parametrize(
    ("heading", "columns"),
    [
        ("Roster", roster_columns.FIELDS),
        ("Rankings", entries.COLUMNS),
        ("Hand-out", handouts.COLUMNS),
        ("Codes", codes.COLUMNS),
        ("Conflicts", conflicts.COLUMNS),
    ],
)
def test_every_column_that_is_read_is_documented(heading, columns):
    text = section("docs/reference/files.md", heading)
    for column in columns:
        assert f"`{column}`" in text, column


def test_every_public_name_is_in_the_api_page():
    for name in set(peerorder.__all__) - {"__version__"}:
        assert re.search(rf"peerorder\.(core\.)?{name}\b", TEXTS["docs/reference/api.md"]), name


def test_every_exit_code_is_documented():
    codes = re.findall(r"^\| (\d) \|", section(COMMAND_PAGE, "Exit codes"), re.MULTILINE)
    assert codes == ["0", "1", "2", "3"]


def test_the_changelog_has_the_current_version():
    newest = re.search(r"^## \[(.+?)\]", TEXTS["CHANGELOG.md"], re.MULTILINE)[1]
    assert newest in (peerorder.__version__, "Unreleased")
    assert f"\n## [{peerorder.__version__}]" in TEXTS["CHANGELOG.md"]


def test_the_readme_shows_the_two_commands():
    for command in ("make run", "make test"):
        assert re.search(rf"\b{command}\b", TEXTS["README.md"]), command


@pytest.mark.parametrize("page", [page for page in TEXTS if "<!-- from results:" in prose(page)])
def test_tables_of_results_are_those_of_the_results(page):
    """`python docs/fill.py` writes them."""
    assert fill.filled(TEXTS[page]) == TEXTS[page]


def test_tables_of_results_say_what_the_rows_say(tmp_path, monkeypatch):
    lines = ["scenario,k,rule,recovered,stderr,runs"]
    for at, scenario in enumerate(SCENARIOS):
        for k in (5, 8, 12):
            rules = ["posterior", "borda", "kemeny", *([TIED] if scenario in OF_TABLE_2 else [])]
            lines += [f'"{scenario}",{k},{rule},{60 + k + at / 10 + j},0.1,20' for j, rule in enumerate(rules)]
    (tmp_path / "extra" / "results").mkdir(parents=True)
    (tmp_path / "extra" / "results" / "robustness.csv").write_text("\n".join(lines) + "\n")
    monkeypatch.setattr(fill, "DOCS", tmp_path)
    text = "".join(f"<!-- from results: {name} -->\n<!-- end -->\n" for name in fill.TABLES)
    made = fill.filled(text)
    assert "| condorcet 10, tied to place | 68.1 | 70.1 (`kemeny`) | 69.1 |" in made
    assert "| 12 | 50 | 73.5 | 72.5 | 75.5 |" in made
    assert made.count("\n| ") == 2 + len(SCENARIOS) + 2 + 12
    assert fill.filled(made) == made
    head = "exercise,kind,half,train,rule,predicted,brier,log_loss"
    real = [
        f"{name},lists,{half},30,{rule},{predicted + shift},0.2,{loss}"
        for name, half, shift in (("a", "held-out", 0), ("b", "held-out", 2), ("c", "tuning", 9))
        for rule, predicted, loss in (("posterior", 70.25, 0.5), ("borda", 70 + shift / 4, ""))
    ]
    (tmp_path / "extra" / "results" / "real.csv").write_text("\n".join([head, *real]) + "\n")
    made = fill.filled(made)
    assert "| exercises | rule | trained on 30% |" in made
    assert "| lists | `posterior` | 71.25 |" in made
    assert "| lists | `borda` | 71.25 (0.00 ± 0.25) |" in made
    assert "| lists | `posterior` | 0.5000 |" in made
    assert fill.filled(made) == made


def test_decisions_are_numbered_and_have_their_four_parts():
    numbered = [page for page in TEXTS if re.search(r"decisions/\d", page)]
    for number, page in zip(count(1), numbered, strict=False):
        assert Path(page).name.startswith(f"{number:04d}-")
        assert TEXTS[page].startswith(f"# {number}. ")
        parts = re.findall(r"^\*\*(\w+)\*\*:", TEXTS[page], re.MULTILINE)
        assert parts == ["Status", "Context", "Decision", "Consequences"]
    assert len(numbered) >= 9


def test_every_page_can_be_reached_from_the_first():
    reached, left = set(), ["docs/index.md"]
    while left:
        page = left.pop()
        reached.add(page)
        trees = "".join(re.findall(r"\{toctree\}(.*?)```", TEXTS[page], re.DOTALL))
        names = re.findall(r"^([\w./-]+)$", trees, re.MULTILINE)
        left += [(ROOT / page).parent.joinpath(f"{name}.md").resolve().relative_to(ROOT).as_posix() for name in names]
    # The index of the decisions lists them by a pattern.
    assert reached == {page for page in TEXTS if page.startswith("docs/") and not re.search(r"decisions/\d", page)}


@pytest.mark.parametrize("kind", ["tutorials", "howto", "reference", "explanation"])
def test_the_index_of_each_kind_links_all_of_its_pages(kind):
    linked = set(re.findall(r"\]\(([\w-]+\.md)\)", TEXTS[f"docs/{kind}/index.md"]))
    assert linked == {path.name for path in (DOCS / kind).glob("*.md")} - {"index.md"}


# Its examples run.


@pytest.mark.parametrize("page", [page for page in TEXTS if blocks(page, "python")])
def test_python_examples(page, monkeypatch):
    """The blocks of a page in order, in one namespace: prompts are compared, files executed, their tests called."""
    for registry in (RULES, SCHEMES, NOISES):
        # What a page registers is gone with it.
        monkeypatch.setattr(registry, "_entries", dict(registry))
        monkeypatch.setattr(registry, "_registered", set())
    names = {"__name__": "example"}
    parser, runner = doctest.DocTestParser(), doctest.DocTestRunner(verbose=False)
    report, failed = [], 0
    for block in blocks(page, "python"):
        if ">>>" in block.text:
            example = parser.get_doctest(block.text, names, page, page, block.line)
            example.globs = names  # the parser takes a copy
            failed += runner.run(example, out=report.append, clear_globs=False).failed
        else:
            exec(compile(block.text, f"{page}, line {block.line}", "exec"), names)  # the page is what is tested
            if "RULE" in names:
                # The page has the reader save this block as a module; its test imports it from there.
                module = ModuleType("peerorder.rules.clear_majority")
                module.RULE = names["RULE"]
                monkeypatch.setitem(sys.modules, module.__name__, module)
            for name in [name for name in names if name.startswith("test_")]:
                names.pop(name)()
    assert failed == 0, "".join(report)


def entry_files():
    """The blocks of docs/howto/extending.md that the reader is told to save as files in the package."""
    return [
        block.text
        for block in blocks("docs/howto/extending.md", "python")
        if re.search(r"^(RULE|SCHEME|NOISE) = ", block.text, re.M)
    ]


@pytest.mark.processes
@pytest.mark.parametrize("text", entry_files(), ids=lambda text: text.split("``")[1])
def test_entries_can_be_saved_registered_and_pass_the_linters(text, tmp_path):
    """In a copy of the package, as a newcomer would do it: a circular import or a missing name shows here alone."""
    folder, name = {"RULE": ("rules", "RULES"), "SCHEME": ("schemes", "SCHEMES"), "NOISE": ("noise", "NOISES")}[
        re.search(r"^(RULE|SCHEME|NOISE) = ", text, re.M)[1]
    ]
    entry = text.split("``")[1]
    shutil.copytree(ROOT / "src" / "peerorder", tmp_path / "peerorder", ignore=shutil.ignore_patterns("__pycache__"))
    package = tmp_path / "peerorder" / folder
    (package / "added.py").write_text(text)
    registry = (package / "__init__.py").read_text()
    registry = re.sub(rf"(from peerorder\.{folder} import \(?\s*)", r"\1added, ", registry, count=1)
    kind = re.search(r"^(RULE|SCHEME|NOISE) = ", text, re.M)[1]
    registry = re.sub(r"(\n    \[\n)", rf"\1        added.{kind},\n", registry, count=1)
    (package / "__init__.py").write_text(registry)
    code = f"from peerorder.{folder} import {name}; print({name}[{entry!r}].name)"
    seen = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert seen.stdout == f"{entry}\n", seen.stderr
    ruff = [sys.executable, "-m", "ruff", "check", "--config", str(ROOT / "pyproject.toml"), str(package / "added.py")]
    seen = subprocess.run(ruff, capture_output=True, text=True, check=False)
    assert seen.returncode == 0, seen.stdout


@pytest.fixture
def runs_that_cost_nothing(monkeypatch):
    """Everything about a study but the runs themselves, and the figures, which have their own tests."""

    def made_up(engine, function, tasks):
        for task in tasks:
            if function is calibration.measure:
                yield task, {"inside": 90.0 + task.number % 3, "width": 20.0, "known graders": 0}
            else:
                shares = {rule: 80 + 3.0 * at + task.number % 5 for at, rule in enumerate(task.cell.rules)}
                yield task, {**shares, **{f"{rule} off": 10.0 for rule in shares}}

    monkeypatch.setattr("peerorder.studies.runner.map_tasks", made_up)
    monkeypatch.setattr("peerorder.studies.reproduction._draw", lambda name, rows, out: None)


def lines(text):
    return [line.rstrip() for line in text.strip().splitlines()]


@pytest.mark.slow
@pytest.mark.parametrize("command", [c for c in OURS_TO_RUN if c.output], ids=lambda c: c.text)
def test_commands_print_what_is_shown(command, capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.chdir(tmp_path)
    workers = ["--workers", "1"] if command.words[1] == "simulate" else []
    run([*command.words[1:], *workers])
    printed = capsys.readouterr()
    assert lines(printed.out + printed.err) == lines(command.output)


@pytest.mark.slow
@pytest.mark.parametrize("command", [c for c in OURS_TO_RUN if not c.output], ids=lambda c: c.text)
def test_other_commands_succeed(command, capsys, monkeypatch, tmp_path, runs_that_cost_nothing):
    monkeypatch.chdir(tmp_path)
    # What the documentation calls a folder of session files.
    (tmp_path / "exercises").mkdir()
    decisions = "".join(f"ann,{a},{b}\n" for a in "ABCDE" for b in "FGHIJ")
    (tmp_path / "exercises" / "one.csv").write_text("judge,candidate_chosen,candidate_not_chosen\n" + decisions)
    ballots = "".join(f"{g},{p},{r}\n" for g in "abcdef" for r, p in enumerate((p for p in "abcdef" if p != g), 1))
    (tmp_path / "rankings.csv").write_text("grader,paper,rank\n" + ballots)
    # A class of 20, of whom the first six have something to rank.
    (tmp_path / "roster.csv").write_text("student\n" + "".join(f"{student}\n" for student in "abcdefghijklmnopqrst"))
    pq.write_table(pa.table({"student": range(20)}), tmp_path / "roster.parquet")
    given = "".join(f"{g},{p}\n" for g in "abcdef" for p in "abcdef" if p != g)
    (tmp_path / "handout.csv").write_text("grader,paper\n" + given)
    (tmp_path / "conflicts.csv").write_text("student,paper\na,b\n")
    people = "".join(f'"Doe, {student}",{at},{student},A,\n' for at, student in enumerate("abcdefghijklmnopqrst"))
    canvas = "Student,ID,SIS User ID,Section,Essay (77)\n    Points Possible,,,,50\n"
    (tmp_path / "canvas.csv").write_text(canvas + people)
    # What is to be written is not there yet, where it is not read as well.
    names = [word for word in command.words if word == "handout.csv"]
    if command.words[1] == "assign" and len(names) == 1 and command.words[command.words.index("--out") + 1] in names:
        (tmp_path / "handout.csv").unlink()
    assert run(command.words[1:]) == 0, capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.parametrize("page", [page for page in TEXTS if typed.MARK in TEXTS[page]])
def test_commands_typed_one_after_another_give_what_is_shown(page, tmp_path):
    """`python docs/typed.py` renews it."""
    assert typed.commands(TEXTS[page])
    assert typed.played(TEXTS[page], tmp_path) == TEXTS[page]


def make_targets():
    return set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))


@pytest.mark.parametrize("command", [c for c in COMMANDS if c not in OURS_TO_RUN], ids=lambda c: c.text)
def test_commands_of_other_programs_are_few_and_known(command):
    match command.words:
        case ["make", target]:
            assert target in make_targets()
        case _:
            assert command.text == "pip install ."


@ANY_PAGE
def test_commands_in_running_text_exist(page):
    groups = set(re.findall(r'^    "(\w+)": ', (ROOT / "benchmarks/__main__.py").read_text("utf-8"), re.MULTILINE))
    for span in spans(page):
        words = span.split()
        if words[0] == "make" and len(words) == 2:
            assert words[1] in make_targets(), span
        elif words[0] == "peerorder" and len(words) > 1 and words[1].islower() and not words[1].startswith("-"):
            command = cli.commands[words[1]]
            # A command that is only named lacks what it needs to run.
            if words[2:]:
                with command.make_context(words[1], words[2:]):
                    pass
        elif words[:3] == ["python", "-m", "benchmarks"]:
            assert words[3:] == [] or (words[3] == "--only" and words[4] in groups), span


# Its references resolve.


def anchors(page):
    """The anchors of a page's headings, as GitHub and MyST make them."""
    titles = [re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for _, title in HEADING.findall(prose(page))]
    assert len(set(titles)) == len(titles), f"{page} has two headings with one anchor"
    return set(titles)


@ANY_PAGE
def test_links_lead_somewhere(page):
    here = (ROOT / page).parent
    for target in re.findall(r"\]\(([^)\s]+)\)", prose(page)):
        if target.startswith("https://"):
            continue
        path, _, anchor = target.partition("#")
        there = (here / path).resolve() if path else ROOT / page
        assert there.exists(), f"{page}: {target}"
        if anchor:
            assert anchor in anchors(there.relative_to(ROOT).as_posix()), f"{page}: {target}"


@ANY_PAGE
def test_files_and_tests_that_are_named_exist(page):
    for span in spans(page):
        found = re.fullmatch(r"((?:src|tests|docs|benchmarks|\.ci)/[\w./-]+|\w+\.md|LICENSE)(?:::(\w+))?", span)
        # A file that the reader is to write is called NAME or is German, and what is built need not be there.
        if not found or "NAME" in span or "/de/" in span or span.startswith("docs/_build"):
            continue
        path = ROOT / found[1]
        assert path.exists(), f"{page}: {span}"
        if found[2]:
            assert f"def {found[2]}(" in path.read_text("utf-8"), f"{page}: {span}"


@ANY_PAGE
def test_names_of_python_exist(page):
    for span in spans(page):
        if re.fullmatch(r"peerorder(\.\w+)+", span) and span not in ENTRY_POINT_GROUPS:
            resolve_name(span)
