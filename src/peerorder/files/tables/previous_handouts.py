"""Settings of earlier hand-outs of a round, which apply to later ones too: conflicts, and excused people."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from peerorder.core.errors import InputError
from peerorder.core.translation import gettext as _
from peerorder.files.formats.writing import provenance_of
from peerorder.files.rounds import fingerprint

__all__ = ["PreviousSettings", "previous_settings"]


@dataclass(frozen=True)
class PreviousSettings:
    """The files of conflicts and the excused people of earlier hand-outs, with notes."""

    conflicts: tuple[Path, ...] = ()
    excused: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def previous_settings(handouts: Sequence[Path], conflicts_given: bool) -> PreviousSettings:
    """Read the provenance of these hand-outs; conflicts only where none are given."""
    conflicts: dict[Path, None] = {}
    excused: dict[str, None] = {}
    notes = []
    for handout in handouts:
        about = provenance_of(handout)
        about = about if about.get("command") == "assign" else {}
        people = [who for who in about.get("excused") or () if isinstance(who, str) and who not in excused]
        if people:
            excused |= dict.fromkeys(people)
            text = _("excused from ranking, as for {handout}: {people}")
            notes.append(text.format(handout=handout, people=", ".join(people)))
        for source in () if conflicts_given else _conflicts(about):
            path = handout.with_name(source["file"])
            if not path.exists():
                raise InputError(
                    _(
                        "{handout} was made with the conflicts in {file}, which is not in the same folder; "
                        "add `conflicts` with that file"
                    ).format(handout=handout, file=source["file"])
                )
            if path not in conflicts:
                conflicts[path] = None
                changed = fingerprint(path) != source.get("sha256")
                text = (
                    _("{file}, as it is now, applies here too, as it did for {handout}")
                    if changed
                    else _("{file} applies here too, as it did for {handout}")
                )
                notes.append(text.format(file=path, handout=handout))
    return PreviousSettings(tuple(conflicts), tuple(excused), tuple(notes))


def _conflicts(about: dict[str, Any]) -> list[dict[str, Any]]:
    inputs = about.get("inputs")
    sources = inputs.items() if isinstance(inputs, dict) else ()
    return [
        source
        for role, source in sources
        if role.split(" ", 1)[0] == "conflicts" and isinstance(source, dict) and isinstance(source.get("file"), str)
    ]
