import json

import pytest

from peerorder.noise import NOISES
from peerorder.rules import RULES
from peerorder.schemes import SCHEMES

REGISTRIES = {"rules": RULES, "schemes": SCHEMES, "noises": NOISES}


@pytest.mark.parametrize("command", REGISTRIES)
def test_every_entry_is_listed_with_its_citation_and_options(peerorder, command):
    text = " ".join(peerorder(command).out.split())
    for entry in REGISTRIES[command].values():
        assert f"{entry.name} {entry.summary}" in text
        assert f"from {entry.citation}" in text
        for option in entry.options:
            assert option.help in text


@pytest.mark.parametrize("command", REGISTRIES)
def test_json_says_the_same(peerorder, command):
    listed = json.loads(peerorder(command, "--json").out)
    assert [item["name"] for item in listed] == REGISTRIES[command].names
    for item, entry in zip(listed, REGISTRIES[command].values(), strict=True):
        assert item["citation"] == entry.citation
        assert set(item["options"]) == {option.name for option in entry.options}


def test_schemes_report_on_graphs_they_build(peerorder):
    reports = json.loads(peerorder("schemes", "-n", 57, "-k", 8, "--json").out)
    assert reports["planes"]["girth"] == 6
    assert reports["order-revealing"]["components"] == 1
    assert reports["random"]["paper_degrees"] == [8, 8]
    assert "at least 69 papers" in reports["girth6"]["error"]
    assert "57 bundles of 8 papers" in peerorder("schemes", "-n", 57, "-k", 8).out


def test_schemes_with_half_a_question(refused):
    assert "give -n and -k together" in refused("schemes", "-n", 57)


@pytest.mark.parametrize(("n", "k", "words"), [(5, 5, "only 4 by others"), (5, 0, "at least 1 paper")])
def test_schemes_that_none_can_build(refused, n, k, words):
    assert words in refused("schemes", "-n", n, "-k", k)
