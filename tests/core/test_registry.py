import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.metadata import EntryPoint
from types import ModuleType
from typing import ClassVar

import pytest
from hypothesis import given, strategies as st

from peerorder.core import Entry, InputError, Option, OptionError, Registry, UnknownNameError

WALK = Entry(
    name="walk",
    summary="walks about",
    citation="Nobody 2000",
    options=(
        Option("steps", 1000, "how many", low=1),
        Option("restart", 0.15, "how often", low=0, high=1),
        Option("cold", 0.0, "how cold", high=0),
        Option("drift", 0.0, "anything"),
        Option("tied", True, "whether"),
        Option("chain", "mc4", "which one"),
    ),
)
DEFAULTS = {"steps": 1000, "restart": 0.15, "cold": 0.0, "drift": 0.0, "tied": True, "chain": "mc4"}


def entry(name, **fields):
    return Entry(name=name, summary="", citation="", **fields)


@pytest.fixture
def registry(monkeypatch):
    monkeypatch.setattr("peerorder.core.registry.entry_points", lambda **_: [])
    return Registry("rule", "peerorder.rules", [WALK, entry("borda"), entry("mc4"), entry("mc4-restart")])


def test_infinite_values_are_no_values():
    option = Option("sigma", 0.5, "size", 0)
    with pytest.raises(OptionError, match="sigma is inf; it must be at least 0"):
        option.convert("inf", "walk")
    with pytest.raises(OptionError, match="drift is -inf; it must be a finite number"):
        Option("drift", 0.5, "any").convert("-inf", "walk")


def test_a_name_alone_has_its_defaults(registry):
    found = registry.parse("walk")
    assert found.values == DEFAULTS
    assert found.spec == "walk"


@pytest.mark.parametrize(
    ("spec", "changed"),
    [
        ("walk:steps=5", {"steps": 5}),
        (" walk : steps = 5 , restart = 1 ", {"steps": 5, "restart": 1.0}),
        ("walk:", {}),
        ("walk:,steps=7,,", {"steps": 7}),
        ("walk:restart=0", {"restart": 0.0}),
        ("walk:restart=2.5e-1", {"restart": 0.25}),
        ("walk:cold=-3", {"cold": -3.0}),
        ("walk:chain=a=b:c", {"chain": "a=b:c"}),
        ("walk:chain=", {"chain": ""}),
        *((f"walk:tied={word}", {"tied": True}) for word in ("yes", "true", "on", "1", "YES", "True")),
        *((f"walk:tied={word}", {"tied": False}) for word in ("no", "false", "off", "0", "No", "FALSE")),
    ],
)
def test_options_become_what_the_default_is(registry, spec, changed):
    values = registry.parse(spec).values
    assert values == {**DEFAULTS, **changed}
    assert {name: type(value) for name, value in values.items()} == {n: type(v) for n, v in DEFAULTS.items()}


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("walk:steps=five", "walk: option steps takes a whole number, not 'five'"),
        ("walk:steps=1.5", "walk: option steps takes a whole number, not '1.5'"),
        ("walk:steps=", "walk: option steps takes a whole number, not ''"),
        ("walk:steps=0", "walk: option steps is 0; it must be at least 1"),
        ("walk:restart=often", "walk: option restart takes a number, not 'often'"),
        ("walk:restart=1.01", "walk: option restart is 1.01; it must be from 0 to 1"),
        ("walk:restart=-0.1", "walk: option restart is -0.1; it must be from 0 to 1"),
        ("walk:restart=nan", "walk: option restart takes a number, not 'nan'"),
        ("walk:drift=nan", "walk: option drift takes a number, not 'nan'"),
        ("walk:cold=1", "walk: option cold is 1; it must be at most 0"),
        ("walk:tied=maybe", "walk: option tied takes yes or no, not 'maybe'"),
        ("walk:step=5", "walk has no option 'step'; its options are steps, restart, cold, drift, tied, chain"),
        ("walk:self=5", "walk has no option 'self'; its options are steps, restart, cold, drift, tied, chain"),
        ("walk:=5", "walk has no option ''; its options are steps, restart, cold, drift, tied, chain"),
        ("borda:k=5", "borda has no option 'k'; it has no options"),
        ("walk:steps", "'walk:steps': write options as key=value; 'steps' has no value"),
        ("walk:30", "'walk:30': write options as key=value, as in walk:steps=30; '30' has no value"),
        ("walk:steps=1, steps=2", "'walk:steps=1, steps=2': option steps is given twice"),
    ],
)
def test_options_that_are_wrong(registry, spec, message):
    with pytest.raises(OptionError) as caught:
        registry.parse(spec)
    assert str(caught.value) == message


def test_settings_from_python_are_checked_alike():
    assert WALK.with_options(steps=5, tied=False).spec == "walk:steps=5,tied=no"
    for wrong in ({"steps": 2.0}, {"steps": None}, {"tied": 2}, {"restart": 7}, {"chain": "a,b"}, {"other": 1}):
        with pytest.raises(OptionError):
            WALK.with_options(**wrong)


def test_later_settings_keep_the_earlier_ones_and_the_original():
    once = WALK.with_options(steps=5)
    twice = once.with_options(tied="no")
    assert twice.values == {**DEFAULTS, "steps": 5, "tied": False}
    assert once.values == {**DEFAULTS, "steps": 5}
    assert WALK.values == DEFAULTS


def test_a_setting_back_at_its_default_is_not_shown():
    assert WALK.with_options(steps=5).with_options(steps=1000).spec == "walk"


@given(
    st.fixed_dictionaries(
        {},
        optional={
            "steps": st.integers(1, 10**30),
            "restart": st.floats(0, 1),
            "drift": st.floats(allow_nan=False, allow_infinity=False),
            "tied": st.booleans(),
            "chain": st.text(st.characters(exclude_characters=",", exclude_categories=["Cs"]), max_size=5),
        },
    )
)
def test_spec_gives_the_same_entry_again(settings):
    chosen = WALK.with_options(**settings)
    again = Registry("rule", "none of that name", [WALK]).parse(chosen.spec)
    assert again.values == chosen.values
    assert again.spec == chosen.spec


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("bordo", "there is no rule called 'bordo'; did you mean borda?"),
        ("BORDO", "there is no rule called 'BORDO'; did you mean borda?"),
        ("mc5", "there is no rule called 'mc5'; did you mean mc4?"),
        ("mc4restart", "there is no rule called 'mc4restart'; did you mean mc4-restart?"),
        ("xyz", "there is no rule called 'xyz'; there are walk, borda, mc4, mc4-restart"),
        ("", "there is no rule called ''; there are walk, borda, mc4, mc4-restart"),
    ],
)
def test_unknown_names_get_the_nearest(registry, name, message):
    for lookup in (registry.parse, registry.__getitem__):
        with pytest.raises(UnknownNameError) as caught:
            lookup(name)
        assert str(caught.value) == message
        assert isinstance(caught.value, InputError)


def test_a_name_that_is_far_from_all_is_answered_with_all(registry):
    with pytest.raises(UnknownNameError, match=r"; there are walk, borda, mc4, mc4-restart$"):
        registry["nordic"]


def test_several_near_names_are_all_shown(registry):
    with pytest.raises(UnknownNameError, match="did you mean mc4-restart or mc4"):
        registry["mc4-res"]


def test_a_registry_is_a_collection(registry):
    assert isinstance(registry, Mapping)
    assert list(registry) == list(registry.keys()) == registry.names == ["walk", "borda", "mc4", "mc4-restart"]
    assert [found.name for found in registry.values()] == list(dict(registry)) == registry.names
    assert registry.get("nothing") is None
    assert "borda" in registry
    assert "bordo" not in registry
    assert None not in registry
    assert registry["walk"] is WALK


def test_a_key_may_carry_options(registry):
    assert registry["walk:steps=5"] == registry.parse("walk:steps=5") == WALK.with_options(steps=5)
    assert registry.parse(WALK) is WALK
    with pytest.raises(InputError, match="None is not a rule; give a name such as 'walk'"):
        registry.parse(None)


def test_the_repr_is_a_table(registry):
    lines = repr(registry).splitlines()
    assert lines[0] == "<4 rules>"
    assert [line.split()[0] for line in lines[1:]] == registry.names
    assert repr(Registry("scheme", "none of that name", [entry("x")])).startswith("<1 scheme>")


def test_the_repr_of_an_entry_is_short():
    assert repr(WALK.with_options(steps=5)) == "<Entry walk:steps=5: walks about>"
    assert repr(entry("x")) == "<Entry x>"


def test_entries_can_be_registered_and_registered_again(registry):
    first, second = entry("mine"), entry("mine", options=(Option("k", 1, ""),))
    assert registry.register(first) is registry["mine"] is first
    assert registry.register(second) is registry["mine"] is second
    assert registry.names[-1] == "mine"
    assert not registry.is_installed(second)
    assert registry.is_installed(WALK.with_options(steps=5))
    assert not registry.is_installed(entry("walk"))
    assert not registry.is_installed(entry("other"))
    with pytest.raises(InputError, match="already has a rule called 'walk'"):
        registry.register(entry("walk"))


def test_a_function_can_be_registered_by_a_decorator():
    @dataclass(frozen=True, kw_only=True)
    class Rule(Entry):
        function: ClassVar[str] = "compute"
        compute: Callable

    rules = Registry("rule", "none of that name", [Rule(name="x", summary="", citation="", compute=min)])

    @rules.register(options=(Option("k", 1, ""),))
    def first_come(profile, rng, k):
        """Score by chance.

        At length.
        """

    assert isinstance(first_come, Rule)
    assert (first_come.name, first_come.summary) == ("first-come", "Score by chance")
    assert rules["first-come:k=2"].values == {"k": 2}
    assert rules.register(name="other")(max).compute is max


class Installed:
    """A stand-in for the packages on this machine, with real entry points to a module made up here."""

    def __init__(self, monkeypatch):
        self.calls = []
        self.module = ModuleType("made_up_plugin")
        monkeypatch.setitem(sys.modules, "made_up_plugin", self.module)
        monkeypatch.setattr("peerorder.core.registry.entry_points", self.entry_points)
        self.points = []

    def add(self, name, value, group="peerorder.rules"):
        setattr(self.module, name, value)
        self.points.append(EntryPoint(name, f"made_up_plugin:{name}", group))

    def entry_points(self, group):
        self.calls.append(group)
        return [point for point in self.points if point.group == group]


@pytest.fixture
def installed(monkeypatch):
    return Installed(monkeypatch)


def test_entry_points_bring_one_entry_or_many(installed):
    installed.add("one", entry("theirs"))
    installed.add("many", [entry("first"), entry("second")])
    installed.add("pair", (entry("third"),))
    installed.add("scheme", entry("elsewhere"), group="peerorder.schemes")
    registry = Registry("rule", "peerorder.rules", [entry("borda")])
    assert registry.names == ["borda", "theirs", "first", "second", "third"]
    assert registry.parse("second").name == "second"


def test_entry_points_are_read_once_and_only_when_needed(installed):
    registry = Registry("rule", "peerorder.rules", [entry("borda")])
    assert installed.calls == []
    _ = registry["borda"], registry.names, "x" in registry, list(registry)
    assert installed.calls == ["peerorder.rules"]


def test_our_own_entries_win(installed):
    ours = entry("borda")
    installed.add("one", entry("borda"))
    assert Registry("rule", "peerorder.rules", [ours])["borda"] is ours


def test_an_entry_of_another_kind_keeps_its_kind():
    class Rule(Entry):
        pass

    rule = Rule(name="x", summary="", citation="", options=(Option("k", 1, ""),))
    assert type(rule.with_options(k=2)) is Rule
