"""``peerorder assign``: from a roster to a hand-out, and to what late joiners and missing rankings make necessary."""

from typing import TYPE_CHECKING, Any

import click

from peerorder.cli import display, options, skipped_rows

if TYPE_CHECKING:
    from peerorder.core.arrays import AnyIntArray
    from peerorder.files.outgoing.handouts import HandoutFiles
    from peerorder.schemes import State

__all__ = ["assign"]

K = 8
SHOWN = 10
CHECKED = "Checked: nobody ranks their own paper, a team-mate's, or one they have a conflict with"
LINKED = "All papers are linked by comparisons"
# How graders err, for the accuracy that is foretold: condorcet graders at this level.
NOISE = 30


@click.command(short_help="Who ranks what: a hand-out for a roster.", context_settings={"allow_extra_args": True})
@click.argument("roster", type=options.FILE)
@click.option(
    "-k", type=int, default=None, help="Papers each grader ranks.  [default: 8; with --extend, what others have]"
)
@click.option("--out", type=options.FILE, required=True, help="Write the hand-out to this file (CSV, XLSX or Parquet).")
@click.option("--conflicts", type=options.FILE, help="Pairs of student and paper that must not meet.")
@click.option("--excused", multiple=True, metavar="ID", help="Somebody who ranks nothing; may be repeated.")
@click.option("--scheme", help="Who ranks what, for regular classes.  [default: the best that fits]")
@click.option(
    "--codes",
    type=options.FILE,
    help="What graders see instead of ids.  [default: codes.csv beside the hand-out, codes.xlsx beside XLSX]",
)
@click.option("--no-codes", is_flag=True, help="Hand out ids, not codes.")
@click.option("--letters", type=options.FILE, help="Write a mail-merge table to this file, and a form beside it.")
@click.option("--forms", type=options.FILE, help="Write one form a grader into this new folder, to be sent along.")
@click.option(
    "--form-type", type=click.Choice(["xlsx", "csv"]), default="xlsx", show_default=True, help="What --forms are."
)
@click.option("--extend", type=options.FILE, help="A hand-out to add late joiners to; what others have stays.")
@options.top_up
@click.option(
    "--handout", type=options.FILE, multiple=True, help="With --top-up: what was handed out; may be repeated."
)
@click.option(
    "--at-least",
    type=int,
    help="With --top-up: rankings that every paper should have.  [default: half of k, at least 2]",
)
@click.option("--seed", type=int, default=None, help="The same seed gives the same hand-out.  [default: a secret one]")
@click.option("--force", is_flag=True, help="Write over a hand-out and letters that are there already.")
@click.option("--lenient", is_flag=True, help="Leave out rows with problems, and say which.")
@options.as_json
def assign(**given: Any) -> None:
    """Decide who ranks what: nobody their own paper or a team-mate's, every paper equally often, at random.

    ROSTER has a row for everybody who takes part: `student`, and if you like `name`, `email`, `paper` (students with
    the same one are a team; empty for whoever only ranks), `link` and `role` (a ballot of `staff` counts as
    three). Graders see codes, never ids.

    Example: peerorder assign roster.csv -k 8 --out handout.csv --letters letters.csv
    """
    _consistent(given)
    from peerorder.files.formats.writing import PROVENANCE
    from peerorder.files.outgoing.handouts import open_handout

    work = _top_up if given["top_up"] else _first if given["extend"] is None else _extend
    with display.working("assigning"):
        files = open_handout(given)
        files.notes += options.passed_over()
        say, result = work(files, given)
        result |= {"seed": files.seed, "written": [str(path) for path in files.write()]}
        result |= {"notes": files.notes, "dropped": files.dropped}
    if given["as_json"]:
        display.show_json(result)
    else:
        skipped_rows.show(files.dropped, files.notes)
        say()
        if result["written"]:
            written = [*result["written"], f"{given['out']}{PROVENANCE}"]
            display.say(f"Wrote {display.listed([f'`{path}`' for path in written])}.")
    _left_out(result)
    skipped_rows.raise_left_out(files.dropped, files.said)


def _consistent(given: dict[str, Any]) -> None:
    """Complain about options that do not go together, and about names that belong to none."""
    if more := click.get_current_context().args:
        cure = "; of many rankings name the folder, or say --top-up for each" if given["top_up"] else ""
        raise click.UsageError(f"there is one roster, {given['roster']}, and {more[0]} belongs to no option{cure}")
    both = (
        ("extend", "top_up", "--extend adds late joiners, --top-up asks for more rankings; do one after the other"),
        ("codes", "no_codes", "--codes and --no-codes cannot both hold; leave one away"),
        ("extend", "scheme", "--scheme is for a first hand-out; leave it away with --extend"),
        ("top_up", "scheme", "--scheme is for a first hand-out; leave it away with --top-up"),
        ("top_up", "k", "-k is for a hand-out; with --top-up say --at-least, the rankings every paper should have"),
    )
    alone = (
        ("top_up", "handout", "--top-up needs --handout: what was handed out, so that nobody gets a paper twice"),
        ("handout", "top_up", "--handout goes with --top-up; to add late joiners to a hand-out say --extend"),
        ("at_least", "top_up", "--at-least goes with --top-up"),
    )
    for one, other, message in both:
        if _is_given(given[one]) and _is_given(given[other]):
            raise click.UsageError(message)
    for one, other, message in alone:
        if _is_given(given[one]) and not _is_given(given[other]):
            raise click.UsageError(message)


def _is_given(value: Any) -> bool:
    return value not in (None, False, ())


def _first(files: "HandoutFiles", given: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """The hand-out of a class that has none."""
    from peerorder.rounds import allocate

    roster = files.roster
    k = K if given["k"] is None else given["k"]
    new = allocate(files.participants, k, seed=files.seed, scheme=given["scheme"])
    files.hand_out(new)
    made, bundles, report = new.found, new.found.bundles, new.found.report
    low, high = report.paper_degrees
    asked = int((bundles.sizes > 0).sum())
    idle = int(((roster.authored < 0) & (bundles.sizes > 0)).sum())

    def say() -> None:
        display.say(
            f"**{display.count(asked, 'grader')} rank{'s' if asked == 1 else ''} {display.count(k, 'paper')} each** of "
            f"{len(roster.papers):,}; every paper has "
            f"{display.count(low, 'grader') if low == high else f'{low} or {high} graders'}."
        )
        if idle:
            have = "has no paper of their own and ranks" if idle == 1 else "have no paper of their own and rank"
            display.say(f"{display.count(idle, 'grader')} {have} as many papers as the others.")
        display.say(f"Scheme `{made.scheme}`: {made.why}.")
        display.say(f"{CHECKED}. {_shape(report, made.apart)}")

    return say, {
        "graders": asked,
        "papers": len(roster.papers),
        "k": k,
        "scheme": made.scheme,
        "why": made.why,
        "regular": report.regular,
        "loads": [low, high],
        "components": report.components - (len(bundles) - asked),
        "girth": report.girth,
        "four_cycles": report.four_cycles,
        "apart": made.apart,
    }


def _shape(report: Any, apart: str | None) -> str:
    """Whether all papers can be compared, and how often two graders share two papers, which does no harm."""
    if apart is not None:
        return f"**Not all papers are linked by comparisons**: {apart}."
    often = f"In {display.count(report.four_cycles, 'case')} two graders share two papers, which is normal."
    return f"{LINKED}. {often if report.four_cycles else 'No two graders share more than one paper.'}"


def _extend(files: "HandoutFiles", given: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Late joiners."""
    from peerorder.core.errors import InputError
    from peerorder.rounds import add_late_joiners

    roster, people = files.roster, files.participants
    new = add_late_joiners(people, given["k"], seed=files.seed, step=len(roster.students))
    k, found = new.settings["k"], new.found
    if not len(found.grader):
        raise InputError(
            f"--extend {given['extend']}: nobody and no paper on {roster.path} is new, so there is nothing to add; "
            "nothing is written"
        )
    files.hand_out(new, keep=True)
    short = [roster.papers[p] for p in found.short]
    clashes = people.clashes()

    def say() -> None:
        display.say(
            f"**{display.count(len(found.joined), 'new grader')}** with {display.count(k, 'paper')}"
            f"{'' if len(found.joined) == 1 else ' each'}, and "
            f"**{display.count(len(found.late), 'new paper')}** with {display.count(found.target, 'grader')}"
            f"{'' if len(found.late) == 1 else ' each'}, as the others have."
        )
        earlier = display.count(len(found.one_more), "earlier grader gets", "earlier graders get")
        display.say(f"{earlier} one paper more; no row changes.")
        if short:
            display.say(f"Fewer graders than that have: {display.some(short)}; there is nobody left to ask.")
        whole = LINKED if found.components == 1 else f"**The papers are in {found.components} separate groups**"
        unknown = "" if people.conflicts else " (no conflicts are known)"
        before = f", but for {display.count(clashes, 'row')} of what was handed out before" if clashes else ""
        display.say(f"{CHECKED}{unknown}{before}. {whole}.")

    return say, {
        "new_graders": [roster.students[g] for g in found.joined],
        "new_papers": [roster.papers[p] for p in found.late],
        "k": k,
        "rankings_of_a_new_paper": found.target,
        "one_more": [roster.students[g] for g in found.one_more],
        "short": short,
        "components": found.components,
        "clashes": clashes,
    }


def _top_up(files: "HandoutFiles", given: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """After the deadline."""
    import numpy as np

    from peerorder.rounds import top_up

    roster = files.roster
    profile = files.rankings()
    if silent := int(((profile.sizes > 0) & ~profile.telling).sum()):
        ballots = display.count(silent, "ballot compares", "ballots compare")
        files.notes.append(
            f"{ballots} nothing, because of a single paper or of papers that are all tied; rankings on "
            f"{'it' if silent == 1 else 'them'} are not counted here"
        )
    new = top_up(files.participants, profile, given["at_least"], seed=files.seed)
    least, found = new.settings["at_least"], new.found
    if len(found.grader):
        files.hand_out(new, ballot=files.next_ballot())
    who, many = np.unique(found.grader, return_counts=True)
    short = [roster.papers[p] for p in found.short]
    lines = {"before": _monitor(found.before, least), "after": _monitor(found.after, least)}

    def say() -> None:
        display.say(f"Now: {_in_words(lines['before'], least, len(roster.papers))}")
        if len(who):
            display.say(
                f"**{len(who)} of the {found.willing} who ranked {'is' if len(who) == 1 else 'are'} asked for more:** "
                f"{display.count(int(many.sum()), 'paper')}, "
                f"{many.min() if many.min() == many.max() else f'{many.min()} to {many.max()}'} each."
            )
            display.show_table(("grader", "more papers"), _rows(roster.students, who, many))
            display.say(f"Then: {_in_words(lines['after'], least, len(roster.papers))}")
        else:
            display.say("Nobody needs to be asked for more. Nothing is written.")
        display.say(
            "The accuracy is the share of all pairs of papers that would be in the right order, if graders err as most "
            "do. A few rankings more change little for all papers together, and much for those that had few."
        )

    return say, {
        "at_least": least,
        "asked": {roster.students[g]: int(x) for g, x in zip(who.tolist(), many.tolist(), strict=True)},
        "short": short,
        **lines,
    }


def _monitor(state: "State", least: int) -> dict[str, Any]:
    from peerorder.studies.live_forecast import expected_so_far
    from peerorder.theory import effective_k

    return {
        "papers_below": state.below(least),
        "components": state.components,
        "expected_accuracy": round(100 * expected_so_far(state.comparisons, NOISE), 1),
        "amounts_to_k": round(effective_k(state.comparisons), 1),
    }


def _in_words(line: dict[str, Any], least: int, papers: int) -> str:
    parts = "all papers are linked" if line["components"] == 1 else f"{line['components']} separate groups"
    below = line["papers_below"]
    fewer = f"{'has' if below == 1 else 'have'} fewer than {display.count(least, 'ranking')}"
    return f"{below} of {papers} papers {fewer}; {parts}; expected accuracy {line['expected_accuracy']}%."


def _rows(students: tuple[str, ...], who: "AnyIntArray", many: "AnyIntArray") -> list[tuple[str, object]]:
    """The first graders who are asked, by how much, and how many are not shown."""
    rows: list[tuple[str, object]] = [(students[g], int(x)) for g, x in zip(who[:SHOWN], many[:SHOWN], strict=True)]
    return [*rows, (f"and {len(who) - SHOWN} more", "")] if len(who) > SHOWN else rows


def _left_out(result: dict[str, Any]) -> None:
    """Papers without enough rankings are work left undone: the exit code says so."""
    from peerorder.core.errors import PartlyDone

    if "at_least" in result and result["short"]:
        raise PartlyDone(
            f"too few rankings would still have: {display.some(result['short'])}; everybody who ranked had them, wrote "
            "them or is in conflict, so ask others, or staff"
        )
