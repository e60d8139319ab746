"""The arrays of a result: packed to be kept, and loaded again.

People and papers are kept by their ids in the database alone, and called by these: nothing here names anybody, so
that a result can be kept, and cached, when people are erased. ``mark_sheets.named`` gives the names that people read.
"""

import io
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from functools import lru_cache
from typing import TYPE_CHECKING, Any
from uuid import UUID

import numpy as np

from peerorder.web.results.models import Decision, Result, ResultData

if TYPE_CHECKING:
    from peerorder.core.outcome import Outcome
    from peerorder.core.profile import Profile
    from peerorder.reports.instructor.people import People
    from peerorder.rounds import GradedRound, Round

# As many results stay unpacked in a process: those in force, and some that are compared.
CACHED = 8


@dataclass(frozen=True, eq=False)
class LoadedResult:
    """A result as the library sees it; people and papers are called by their ids in the database."""

    round: "Round"
    """Everything that was handed in, before rankings were excluded."""
    outcome: "Outcome"
    papers: tuple[int, ...]
    """The id of every paper."""
    members: tuple[int, ...]
    """The id of everybody who takes part."""
    people: "People"
    """The graders to look at, by their numbers."""


def pack(round_: "Round", graded: "GradedRound", papers: list[int], members: list[int]) -> dict[str, bytes]:
    """Return the contents of ``ResultData``, by their parts; ``round_`` is as it was before rankings were excluded."""
    from peerorder.reports.instructor.people import looked_at

    outcome, people = graded.outcome, looked_at(graded)
    profile, result = round_.profile, outcome.result
    handout = round_.handout
    graders = {grader: number for number, grader in enumerate(round_.graders)}
    arrays = {
        "paper_ids": np.array(papers, np.int64),
        "member_ids": np.array(members, np.int64),
        "papers": profile.papers,
        "start": profile.start,
        "grader": profile.grader,
        "authored": profile.authored,
        "levels": profile.levels,
        "handout_grader": None if handout is None else handout.grader,
        "handout_paper": None if handout is None else handout.paper,
        "handout_favour": None if handout is None else handout.favour,
        "blank": np.array([graders[name] for name in round_.blank], np.int64),
        "order": outcome.order,
        "scores": result.scores,
        "intervals": result.intervals,
        "reliability": result.reliability,
        "reliability_intervals": result.reliability_intervals,
        **{f"people_{each.name}": getattr(people, each.name) for each in fields(people)},
    }
    about = {
        "rule": outcome.rule,
        "options": outcome.options,
        "generator": outcome.generator,
        "flags": result.flags,
        "notes": result.notes,
    }
    samples = result.samples
    drawn = (
        {}
        if samples is None
        else {
            "places": samples.places,
            "evidence": samples.evidence,
            "chains": np.array(samples.chains),
            "effective_size": np.array(samples.effective_size),
        }
    )
    return {
        ResultData.Part.ROUND: _to_bytes({**arrays, "about": np.frombuffer(json.dumps(about).encode(), np.uint8)}),
        # Draws are nearly random: making them a tenth smaller takes a second in a class of 10,000.
        **({ResultData.Part.SAMPLES: _to_bytes(drawn, np.savez)} if drawn else {}),
    }


def excluded_rankings(result: Result, members: Sequence[int], profile: "Profile") -> list[Decision]:
    """Return the decisions that take a ranking out of a result: a grader who judged no paper that counts has none."""
    heard = {members[number] for number in np.unique(profile.grader).tolist()}
    return [each for each in Decision.objects.filter(pk__in=result.excluded).order_by("pk") if each.grader_id in heard]


def load(result: Result) -> LoadedResult:
    """Return a result that is ready; loaded once in a process, as long as it is looked at."""
    return _load(result.key)


@lru_cache(CACHED)
def _load(key: UUID) -> LoadedResult:
    from peerorder.core.outcome import Outcome, RuleResult
    from peerorder.core.profile import Profile
    from peerorder.core.samples import Samples
    from peerorder.files.formats.arrow import strings
    from peerorder.reports.instructor import people
    from peerorder.rounds import GradeSettings, HandoutRows, Override, People, Round
    from peerorder.rounds.grading import counted_round
    from peerorder.rounds.overrides import EXCLUDE

    result = Result.objects.get(key=key)
    parts = dict(ResultData.objects.filter(result=result).values_list("part", "content"))
    kept = _from_bytes(parts[ResultData.Part.ROUND])
    about = json.loads(kept["about"].tobytes())
    papers, members = tuple(kept["paper_ids"].tolist()), tuple(kept["member_ids"].tolist())
    profile = Profile(
        kept["papers"],
        kept["start"],
        len(papers),
        grader=kept["grader"],
        authored=kept["authored"],
        levels=kept.get("levels"),
    )
    round_ = Round(
        profile=profile,
        paper_ids=strings(map(str, papers)),
        grader_ids=strings(map(str, members)),
        staff=np.zeros(len(members), bool),
        people=People(("",) * len(members), ("",) * len(members), ("",) * len(papers)),
        handout=(
            HandoutRows(kept["handout_grader"], kept["handout_paper"], kept["handout_favour"])
            if "handout_grader" in kept
            else None
        ),
        overrides=tuple(
            Override(str(each.grader_id), EXCLUDE, "", str(each.pk))
            for each in excluded_rankings(result, members, profile)
        ),
        blank=tuple(str(members[number]) for number in kept["blank"].tolist()),
    )
    drawn = _from_bytes(parts[ResultData.Part.SAMPLES]) if ResultData.Part.SAMPLES in parts else None
    outcome = Outcome(
        order=kept["order"],
        result=RuleResult(
            scores=kept["scores"],
            intervals=kept.get("intervals"),
            reliability=kept.get("reliability"),
            reliability_intervals=kept.get("reliability_intervals"),
            flags=None if about["flags"] is None else tuple(about["flags"]),
            samples=(
                None
                if drawn is None
                else Samples(drawn["places"], drawn["evidence"], int(drawn["chains"]), float(drawn["effective_size"]))
            ),
            notes=tuple(about["notes"]),
        ),
        rule=about["rule"],
        options=about["options"],
        profile=counted_round(round_, GradeSettings(**result.settings)).profile,
        generator=about["generator"],
    )
    columns: dict[str, Any] = {each.name: kept.get(f"people_{each.name}") for each in fields(people.People)}
    return LoadedResult(round_, outcome, papers, members, people.People(**columns))


def _to_bytes(arrays: dict[str, Any], save: Callable[..., None] = np.savez_compressed) -> bytes:
    out = io.BytesIO()
    save(out, **{name: array for name, array in arrays.items() if array is not None})
    return out.getvalue()


def _from_bytes(content: bytes | memoryview) -> dict[str, Any]:
    with np.load(io.BytesIO(bytes(content)), allow_pickle=False) as kept:
        arrays = {name: kept[name] for name in kept.files}
    for array in arrays.values():
        array.setflags(write=False)
    return arrays
