"""Replay: grade again with the settings of a file's provenance, and compare."""

import json
import os
import re
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path, PurePath
from typing import Any

import pyarrow.parquet as pq

from peerorder._version import __version__
from peerorder.core.errors import InputError
from peerorder.core.translation import gettext as _, ngettext
from peerorder.engines import open_engine
from peerorder.files.formats.file_types import PARQUET, TEXTS
from peerorder.files.formats.formulas import without_formula
from peerorder.files.formats.kinds import GRADERS, GRADES, LETTERS, REPORT, STUDENTS, Kind
from peerorder.files.formats.output import arrow_table
from peerorder.files.formats.parts import reading_courses
from peerorder.files.formats.paths import as_paths
from peerorder.files.formats.sheets import read_sheet
from peerorder.files.formats.writing import provenance_path
from peerorder.files.rounds import fingerprint, numbered, read_round
from peerorder.files.streaming.rankings import stream_rankings
from peerorder.rounds.changed_defaults import CHANGES, Change, settings_of
from peerorder.rounds.grading import GradedRound, grade, mark_round
from peerorder.rounds.settings import GradeSettings
from peerorder.rounds.streamed import StreamedGrades, grade_streamed
from peerorder.rounds.verification import Difference, differences
from peerorder.rules import RULES

__all__ = ["Replay", "load_replay"]

NAMED = 4
# Of these there may be more than one.
SEVERAL = ("rankings", "handout", "anchors")
TABLES = (GRADES, GRADERS, STUDENTS, LETTERS)
"""What can be computed again: the tables of ``GradedRound``."""
# Methods of a graded round that have another name than their table.
METHODS = {LETTERS.name: "mail_merge"}


@dataclass(frozen=True)
class Replay:
    """A kept table of grades, and how it was computed."""

    kept: Path
    table: Kind
    """One of ``TABLES``."""
    files: Mapping[str, Path]
    settings: GradeSettings
    version: str
    beside: tuple[Path, ...] = ()
    """Files that were not given, and were found by its provenance."""
    profile: str = ""
    """The digest of the ballots as they were read then."""
    top_ups: frozenset[Path] | None = None
    """The hand-outs that were top-ups, where that was recorded."""
    courses: Mapping[Path, str] = field(default_factory=dict)
    """The course whose rows alone were read, for files of several courses."""
    streamed: bool = False
    """Whether the rankings were streamed, which numbers papers differently."""

    @property
    def in_words(self) -> str:
        """What was verified, in words."""
        given = [path for path in self.files.values() if path not in self.beside]
        same_version = self.version == __version__
        if given and same_version:
            text = _("{file} is exactly what {rule} with seed {seed} gives for {inputs}.")
        elif given:
            text = _(
                "{file} is exactly what {rule} with seed {seed} gives for {inputs} (written by peerorder {version}, "
                "checked by {this_version})."
            )
        elif same_version:
            text = _("{file} is exactly what {rule} with seed {seed} gives for {inputs}, as named in its provenance.")
        else:
            text = _(
                "{file} is exactly what {rule} with seed {seed} gives for {inputs}, as named in its provenance "
                "(written by peerorder {version}, checked by {this_version})."
            )
        sentence = text.format(
            file=self.kept,
            rule=self.settings.rule,
            seed=self.settings.seed,
            inputs=_named(given or self.beside),
            version=self.version,
            this_version=__version__,
        )
        if not given or not self.beside:
            return sentence
        more = _("Also used, as named in its provenance: {files}.").format(files=_named(self.beside))
        return f"{sentence} {more}"

    @cached_property
    def graded(self) -> GradedRound | StreamedGrades:
        """The round graded again, with the settings that the file was made with."""
        if self.streamed:
            return self._stream()
        settings = self.settings
        with reading_courses(self.courses):
            read = read_round(
                **_by_role(self.files),
                lenient=settings.lenient,
                anchors_points=settings.anchors_points,
                marks=settings.marks,
                top_ups=self.top_ups,
            )
        return grade(read, settings)

    def _stream(self) -> StreamedGrades:
        with (
            tempfile.TemporaryDirectory() as folder,
            open_engine() as engine,
            stream_rankings(engine, [*self.files.values()], Path(folder)) as rankings,
        ):
            graded = grade_streamed(rankings, self.settings)
            getattr(graded, self._method)()  # while the ids are there
        return graded

    @property
    def changes(self) -> list[Change]:
        """The defaults that have changed since and would give a different file today."""
        graded, table = self.graded, getattr(self.graded, self._method)()
        if isinstance(graded, StreamedGrades):
            return []
        result = []
        for change in CHANGES:
            now = getattr(GradeSettings(), change.setting)
            if getattr(self.settings, change.setting) == change.before != now:
                today = mark_round(graded.round, replace(self.settings, **{change.setting: now}), graded.outcome)
                if not arrow_table(table).equals(arrow_table(getattr(today, self._method)())):
                    result.append(change)
        return result

    def differences(self) -> list[Difference]:
        """Return where the file differs from what is computed now; an empty list where they are equal."""
        # Millions of rows are compared as they are: as texts they would take more memory than everything else.
        if self.streamed and self.kept.suffix.lower() in PARQUET:
            computed = arrow_table(getattr(self.graded, self._method)())
            if pq.read_table(self.kept).equals(computed):
                return []
        kept = {name: column.tolist() for name, column in read_sheet(self.kept).columns.items()}
        # Texts are changed there that a spreadsheet would take for formulas.
        changed = not self.table.read_back and self.kept.suffix.lower() in TEXTS
        return differences(kept, self.graded, self._method, without_formula if changed else str)

    @property
    def _method(self) -> str:
        return METHODS.get(self.table.name, self.table.name)

    @property
    def version_in_words(self) -> str:
        """The version that made the file, if another one, and whether this one reads the rankings differently."""
        if self.version == __version__:
            return ""
        graded = self.graded
        if isinstance(graded, GradedRound) and self.profile and self.profile != graded.round.profile.digest:
            text = _(
                " (it was made by peerorder {version}, and this is {this_version}, which reads these rankings "
                "differently)"
            )
        else:
            text = _(" (it was made by peerorder {version}, and this is {this_version})")
        return text.format(version=self.version, this_version=__version__)


def _named(paths: Sequence[Path]) -> str:
    """Name files in a sentence: one by one, or how many in a folder with many."""
    folders: dict[Path, list[Path]] = {}
    for path in paths:
        folders.setdefault(path.parent, []).append(path)
    return ", ".join(
        text
        for folder, files in folders.items()
        for text in (
            [
                ngettext(
                    "{count:,} file in {folder}",
                    "{count:,} files in {folder}",
                    len(files),
                ).format(count=len(files), folder=folder)
            ]
            if len(files) > NAMED
            else map(str, files)
        )
    )


def _by_role(files: Mapping[str, Path]) -> dict[str, Any]:
    """Return the files as ``read_round`` takes them: several of one role together."""
    result: dict[str, Any] = {}
    for role, path in files.items():
        name = _kind(role)
        result[name] = [*result.get(name, []), path] if name in SEVERAL else path
    return result


def load_replay(kept: Path, given: Mapping[str, Path | Sequence[Path] | None]) -> Replay:
    """Return the replay of a table of grades, graders or students; other files are found by its provenance."""
    about = _provenance(kept)
    table = _table(about, kept)
    named = {role: path for name, paths in given.items() for role, path in numbered(name, as_paths(paths)).items()}
    sources = about["inputs"]
    given_as = {}
    for role, source in sources.items():
        # In any order: what counts is what is in the files.
        same = (name for name, path in named.items() if _kind(name) == _kind(role) and _is(path, source["sha256"]))
        if (name := next(same, None)) is not None:
            given_as[role] = named.pop(name)
    beside = {
        role: _missing(kept, role, source, [path for name, path in named.items() if _kind(name) == _kind(role)])
        for role, source in sources.items()
        if role not in given_as
    }
    for path in named.values():
        raise InputError(_("{kept} was made without {file}; omit it").format(kept=kept, file=path))
    files = {role: (given_as | beside)[role] for role in sources}
    version = str(about["version"])
    settings = settings_of(
        about["settings"], _("{file} was made by peerorder {version}").format(file=kept, version=version)
    )
    rule = RULES.parse(settings.rule)
    if _release(version) < _release(rule.changed):
        text = _(
            "{file} was made by peerorder {version}, and the results of the rule {rule} changed in {changed}; verify "
            "the file with peerorder {version}"
        )
        raise InputError(text.format(file=kept, version=version, changed=rule.changed, rule=rule.name))
    top_ups = None
    if settings.top_ups == GradeSettings.top_ups:
        top_ups = frozenset(files[role] for role, source in sources.items() if source.get("top_up"))
    courses = {files[role]: str(source["course"]) for role, source in sources.items() if source.get("course")}
    profile, streamed = str(about.get("profile", "")), bool(about.get("streamed"))
    return Replay(kept, table, files, settings, version, tuple(beside.values()), profile, top_ups, courses, streamed)


def _release(version: str) -> tuple[int, ...]:
    """Return a version as numbers, for comparison; none for an empty one."""
    return tuple(int(number) for number in re.findall(r"\d+", version)[:3])


def _missing(kept: Path, role: str, source: Mapping[str, Any], others: Sequence[Path]) -> Path:
    """Return a file that was not given, from its recorded place; raise InputError if it is missing or differs."""
    way = str(source.get("folder", "."))
    path = others[0] if others else Path(os.path.normpath(kept.parent / way / PurePath(source["file"]).name))
    if not path.exists():
        if _kind(role) == "rankings":
            text = _("{file}: not found, but {kept} was made from it; name the file, or its folder")
        else:
            text = _("{file}: not found, but {kept} was made from it; name it with `{parameter}`")
        raise InputError(text.format(file=path, kept=kept, parameter=_kind(role)))
    if not _is(path, source["sha256"]):
        raise InputError(
            _(
                "{file} is not the file that {kept} was made from (their SHA-256 differ); give that one, or grade again"
            ).format(file=path, kept=kept)
        )
    return path


def _table(about: Mapping[str, Any], kept: Path) -> Kind:
    """Return which table it is: from its provenance, or where that is older, by its columns."""
    recorded = about.get("table")
    table = next((kind for kind in TABLES if kind.name == recorded), None)
    if recorded is None and kept.suffix.lower() not in REPORT.suffixes:
        header = {*read_sheet(kept).header}
        table = max(TABLES, key=lambda kind: len(header.intersection(kind.columns)))
        table = table if 2 * len(header.intersection(table.columns)) >= len(table.columns) else None
    if table is None:
        raise InputError(
            _(
                "{kept}: only what grade writes with `out`, `graders`, `students` and `letters` can be "
                "verified, not a report or a gradebook; verify the grades that were written with it"
            ).format(kept=kept)
        )
    return table


def _kind(role: str) -> str:
    return role.split(" ", 1)[0]


def _is(path: Path, digest: str) -> bool:
    return path.is_file() and fingerprint(path) == digest


def _provenance(kept: Path) -> dict[str, Any]:
    path = provenance_path(kept)
    try:
        about = json.loads(path.read_text("utf-8"))
        if about["command"] != "grade" or not isinstance(about["inputs"], dict) or "version" not in about:
            raise KeyError("command")
        for source in about["inputs"].values():
            source["file"], source["sha256"]
    except FileNotFoundError:
        raise InputError(
            _("{file}: not found, so it is not known how {kept} was made; restore this file").format(
                file=path, kept=kept
            )
        ) from None
    except (OSError, ValueError, KeyError, TypeError):
        raise InputError(
            _("{file}: this is not the provenance of grades; restore it as it was written").format(file=path)
        ) from None
    return dict(about)
