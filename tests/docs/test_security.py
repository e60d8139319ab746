"""The page on security: every finding of the audit is there, and every test that it names."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "explanation" / "security.md").read_text("utf-8")
NAMED = sorted(set(re.findall(r"`(tests/[\w/.]+\.py(?:::\w+)?)`", PAGE)))
FINDINGS = [f"{kind}{number}" for kind, count in (("H", 6), ("M", 13), ("L", 12)) for number in range(1, count + 1)]


@pytest.mark.parametrize("finding", FINDINGS)
def test_every_finding_has_its_row_with_a_test(finding):
    rows = [line for line in PAGE.splitlines() if line.startswith(f"| {finding} |")]
    assert len(rows) == 1
    assert "`tests/" in rows[0]


@pytest.mark.parametrize("named", NAMED)
def test_every_test_that_it_names_is_there(named):
    path, _, function = named.partition("::")
    tree = ast.parse((ROOT / path).read_text("utf-8"))
    names = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    assert not function or function in names
