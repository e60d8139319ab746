"""Rules, schemes and noises by name: entries with citation and options, in registries open to others.

An entry is written ``NAME`` or ``NAME:key=value,key=value`` wherever people type it. Other packages
add entries by entry points (group ``peerorder.rules``, ``peerorder.schemes``, ``peerorder.noises``)
that name an entry or a list of entries; a notebook adds one by ``register``.
"""

import difflib
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from importlib.metadata import entry_points
from typing import Any, ClassVar, TypeVar, overload

from peerorder.core.errors import InputError, OptionError, UnknownNameError
from peerorder.core.text import join_with_or, plural
from peerorder.core.translation import gettext as _, translate

__all__ = ["Entry", "Option", "Registry"]

# Characters in a line of a registry's repr.
WIDEST = 100
YES, NO = {"yes", "true", "on", "1"}, {"no", "false", "off", "0"}


@dataclass(frozen=True)
class Option:
    """One option of an entry: its default, whose type every value must have, and its range."""

    name: str
    default: bool | int | float | str
    help: str
    low: float | None = None
    high: float | None = None

    def convert(self, value: Any, owner: str) -> bool | int | float | str:
        """Convert a value to the type of the default; raise OptionError where that is not possible."""
        kind = type(self.default)
        text = str(value).strip()
        result: bool | int | float | str
        try:
            if kind is bool:
                if text.lower() not in YES | NO:
                    raise ValueError
                result = text.lower() in YES
            else:
                result = kind(text)
            if result != result or (kind is str and "," in text):
                raise ValueError
        except ValueError:
            complaint = {
                bool: _("{owner}: option {option} takes yes or no, not {text!r}"),
                int: _("{owner}: option {option} takes a whole number, not {text!r}"),
                float: _("{owner}: option {option} takes a number, not {text!r}"),
            }.get(kind, _("{owner}: option {option} takes text without commas, not {text!r}"))
            raise OptionError(complaint.format(owner=owner, option=self.name, text=text)) from None
        if isinstance(result, (int, float)) and not isinstance(result, bool):
            low = self.low if self.low is not None else float("-inf")
            high = self.high if self.high is not None else float("inf")
            if not low <= result <= high or (isinstance(result, float) and math.isinf(result)):
                raise OptionError(
                    self._range_complaint().format(
                        owner=owner, option=self.name, text=text, low=self.low, high=self.high
                    )
                )
        return result

    def _range_complaint(self) -> str:
        if self.low is None and self.high is None:
            return _("{owner}: option {option} is {text}; it must be a finite number")
        if self.high is None:
            return _("{owner}: option {option} is {text}; it must be at least {low:g}")
        if self.low is None:
            return _("{owner}: option {option} is {text}; it must be at most {high:g}")
        return _("{owner}: option {option} is {text}; it must be from {low:g} to {high:g}")


Self = TypeVar("Self", bound="Entry")


@dataclass(frozen=True, kw_only=True, repr=False)
class Entry:
    """The fields that rules, schemes and noises share."""

    function: ClassVar[str] = ""
    """The field that holds the function of such an entry."""

    name: str
    summary: str
    citation: str
    options: tuple[Option, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict, hash=False)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.spec}{': ' * bool(self.summary)}{self.summary}>"

    def with_options(self: Self, /, **settings: Any) -> Self:
        """Return the same entry with some of its options set."""
        known = {option.name: option for option in self.options}
        chosen = dict(self.settings)
        for key, value in settings.items():
            if key not in known:
                complaint = (
                    _("{name} has no option {option!r}; its options are {options}")
                    if known
                    else _("{name} has no option {option!r}; it has no options")
                )
                raise OptionError(complaint.format(name=self.name, option=key, options=", ".join(known)))
            chosen[key] = known[key].convert(value, self.name)
        return replace(self, settings=chosen)

    @property
    def values(self) -> dict[str, Any]:
        """Every option with the value it now has."""
        return {option.name: self.settings.get(option.name, option.default) for option in self.options}

    @property
    def spec(self) -> str:
        """The text that gives this entry again: its name, and the options that are not at their default."""
        own = {
            option.name: self.settings[option.name]
            for option in self.options
            if self.settings.get(option.name, option.default) != option.default
        }
        return self.name + (
            ":" + ",".join(f"{key}={_format_value(value)}" for key, value in own.items()) if own else ""
        )


def _format_value(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:g}" if isinstance(value, float) and float(f"{value:g}") == value else str(value)


E = TypeVar("E", bound=Entry)


class Registry(Mapping[str, E]):
    """Entries by name: built-in ones first, then those of installed packages, then those that were registered.

    A key may carry options, as in ``RULES["plackett-luce:prior=0.1"]``.
    """

    def __init__(self, kind: str, group: str, own: Iterable[E], example: str = "") -> None:
        self.kind = kind
        self._example = example
        self._group = group
        self._entries = {entry.name: entry for entry in own}
        self._own = frozenset(self._entries)
        self._type: type[Entry] = type(next(iter(self._entries.values()))) if self._entries else Entry
        self._registered: set[str] = set()
        self._complete = False

    def __iter__(self) -> Iterator[str]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())

    def __contains__(self, name: object) -> bool:
        return name in self._all()

    def __repr__(self) -> str:
        entries = self._all().values()
        wide = max((len(entry.name) for entry in entries), default=0)
        lines = [f"  {entry.name:{wide}}  {entry.summary}" for entry in entries]
        cut = [line if len(line) <= WIDEST else f"{line[: WIDEST - 1]}…" for line in lines]
        return "\n".join([f"<{len(lines)} {plural(len(lines), self.kind)}>", *cut])

    @property
    def names(self) -> list[str]:
        """The names of all entries, built-in ones first."""
        return list(self._all())

    def __getitem__(self, spec: str) -> E:
        name, _colon, rest = spec.strip().partition(":")
        entry = self._find(name.strip())
        settings: dict[str, str] = {}
        for part in filter(None, (piece.strip() for piece in rest.split(","))):
            key, equals, value = part.partition("=")
            if not equals:
                known = [option.name for option in entry.options]
                if known and part not in known:
                    complaint = _("{spec!r}: write options as key=value, as in {example}; {part!r} has no value")
                else:
                    complaint = _("{spec!r}: write options as key=value; {part!r} has no value")
                example = f"{entry.name}:{known[0]}={part}" if known else ""
                raise OptionError(complaint.format(spec=spec, example=example, part=part))
            if key.strip() in settings:
                raise OptionError(_("{spec!r}: option {option} is given twice").format(spec=spec, option=key.strip()))
            settings[key.strip()] = value
        return entry.with_options(**settings) if settings else entry

    def parse(self, spec: str | E) -> E:
        """Return the entry that ``NAME`` or ``NAME:key=value,...`` stands for; an entry is passed through."""
        if isinstance(spec, str):
            return self[spec]
        if not isinstance(spec, self._type):
            raise InputError(
                _("{spec!r} is not a {kind}; give a name such as {example!r}, or an entry").format(
                    spec=spec, kind=translate(self.kind), example=next(iter(self))
                )
            )
        return spec

    @overload
    def register(self, entry: E) -> E: ...
    @overload
    def register(self, **fields: Any) -> Callable[[Callable[..., Any]], E]: ...
    def register(self, entry: E | None = None, **fields: Any) -> E | Callable[[Callable[..., Any]], E]:
        """Add an entry for the rest of this process,or make one from the decorated function.

        Registering a name again replaces the entry, so that a notebook cell can be run twice. Built-in
        entries cannot be replaced.

        Parameters
        ----------
        entry
            What to add. Without it, the result is a decorator.
        fields
            The fields of the entry that the decorator makes: ``name`` (by default the function's own, with hyphens),
            ``summary`` (by default the first line of its docstring), ``citation``, ``options``.
        """
        if entry is None:
            return lambda function: self.register(self._make_entry(function, fields))
        added = self.parse(entry)
        if added.name in self._own:
            raise InputError(
                _("peerorder already has a {kind} called {name!r}; choose another name").format(
                    kind=translate(self.kind), name=added.name
                )
            )
        self._all()[added.name] = added
        self._registered.add(added.name)
        return added

    def is_installed(self, entry: E) -> bool:
        """Return whether other processes find this entry by its ``spec``; not if it exists in this process alone."""
        known = self._all().get(entry.name)
        return (
            known is not None
            and entry.name not in self._registered
            and replace(entry, settings=known.settings) == known
        )

    def _make_entry(self, function: Callable[..., Any], fields: dict[str, Any]) -> E:
        fields_of_function = {
            "name": function.__name__.replace("_", "-"),
            "summary": (function.__doc__ or "").strip().partition("\n")[0].rstrip("."),
            "citation": "",
            self._type.function: function,
        }
        made: E = self._type(**{**fields_of_function, **fields})  # type: ignore[assignment]
        return made

    def _find(self, name: str) -> E:
        entries = self._all()
        for known in (name, name.lower()):
            if known in entries:
                return entries[known]
        near = difflib.get_close_matches(name.lower(), entries, n=3)
        if near:
            complaint = _("there is no {kind} called {name!r}; did you mean {near}?")
        elif self._example:
            complaint = _("there is no {kind} called {name!r}; there are {names}; write it like {example}")
        else:
            complaint = _("there is no {kind} called {name!r}; there are {names}")
        raise UnknownNameError(
            complaint.format(
                kind=translate(self.kind),
                name=name,
                near=join_with_or(near),
                names=", ".join(entries),
                example=translate(self._example),
            )
        )

    def _all(self) -> dict[str, E]:
        if not self._complete:
            for point in entry_points(group=self._group):
                loaded = point.load()
                for entry in loaded if isinstance(loaded, (list, tuple)) else [loaded]:
                    self._entries.setdefault(entry.name, entry)
            self._complete = True
        return self._entries
