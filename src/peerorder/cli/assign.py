"""``peerorder assign``: from a roster to a hand-out, and additions for late joiners and missing rankings."""

from typing import TYPE_CHECKING, Any

import click

from peerorder.cli import display, options, skipped_rows
from peerorder.core.text import number_range
from peerorder.core.translation import gettext as _, ngettext

if TYPE_CHECKING:
    from peerorder.core.arrays import AnyIntArray
    from peerorder.files.outgoing.handouts import HandoutFiles
    from peerorder.schemes import Coverage

__all__ = ["assign"]

K = 8
SHOWN = 10
# The noise level of the graders for the expected accuracy: condorcet graders at this level.
NOISE = 30


@click.command(
    short_help="Decide who ranks what: a hand-out for a roster.", context_settings={"allow_extra_args": True}
)
@click.argument("roster", type=options.FILE)
@click.option(
    "-k", type=int, default=None, help="Papers each grader ranks.  [default: 8; with --extend, what others have]"
)
@click.option("--out", type=options.FILE, required=True, help="Write the hand-out to this file (CSV, XLSX or Parquet).")
@click.option("--conflicts", type=options.FILE, help="Pairs of student and paper that must not meet.")
@click.option("--excused", multiple=True, metavar="ID", help="A student who ranks nothing; may be repeated.")
@click.option("--scheme", help="The allocation scheme, for regular classes.  [default: the best that fits]")
@click.option(
    "--codes",
    type=options.FILE,
    help="Where to write the codes that graders see instead of ids.  [default: codes.csv next to the hand-out, "
    "codes.xlsx next to XLSX]",
)
@click.option("--no-codes", is_flag=True, help="Hand out ids, not codes.")
@options.mail_merge("Write a mail-merge table to this file, and a form next to it.")
@click.option("--forms", type=options.FILE, help="Write one form per grader into this new folder.")
@click.option(
    "--form-type", type=click.Choice(["xlsx", "csv"]), default="xlsx", show_default=True, help="File type of the forms."
)
@click.option("--extend", type=options.FILE, help="Add late joiners to this hand-out; nobody else's papers change.")
@options.top_up
@click.option(
    "--handout", type=options.FILE, multiple=True, help="With --top-up: the hand-out so far; may be repeated."
)
@click.option(
    "--at-least",
    type=int,
    help="With --top-up: rankings that every paper should have.  [default: half of k, at least 2]",
)
@click.option("--seed", type=int, default=None, help="The same seed gives the same hand-out.  [default: a secret one]")
@click.option("--force", is_flag=True, help="Overwrite an existing hand-out and mail-merge table.")
@click.option("--lenient", is_flag=True, help="Skip rows with problems, and report them.")
@options.as_json
def assign(**given: Any) -> None:
    """Decide who ranks what: nobody their own paper or a team-mate's, every paper equally often, at random.

    ROSTER has one row per person: `student`, and optionally `name`, `email`, `paper` (students with the same
    one are a team; empty for people who only rank), `link` and `role` (a ballot by `staff` counts as three).
    Graders see codes, never ids.

    Example: peerorder assign roster.csv -k 8 --out handout.csv --mail-merge messages.csv
    """
    _check_options(given)
    from peerorder.files.formats.writing import PROVENANCE
    from peerorder.files.outgoing.handouts import open_handout

    work = _top_up if given["top_up"] else _first if given["extend"] is None else _extend
    with display.working(_("assigning")):
        files = open_handout(given)
        files.notes += options.passed_over()
        say, result = work(files, given)
        result |= {"seed": files.seed, "written": [str(path) for path in files.write()]}
        result |= {"notes": skipped_rows.translate_notes(files.notes), "dropped": files.dropped}
    if given["as_json"]:
        display.show_json(result)
    else:
        skipped_rows.show(files.dropped, files.notes)
        say()
        if result["written"]:
            written = [*result["written"], f"{given['out']}{PROVENANCE}"]
            names = display.join_with_and([f"`{path}`" for path in written])
            display.say(_("Wrote {files}.").format(files=names))
    _left_out(result)
    skipped_rows.raise_left_out(files.dropped, files.said)


def _check_options(given: dict[str, Any]) -> None:
    """Raise UsageError for options that do not go together, and for extra arguments."""
    if more := click.get_current_context().args:
        text = _("{argument} belongs to no option; the roster is {roster}")
        if given["top_up"]:
            text = _(
                "{argument} belongs to no option; the roster is {roster}; for several rankings, give their folder, or "
                "repeat --top-up"
            )
        raise click.UsageError(text.format(argument=more[0], roster=given["roster"]))
    both = (
        (
            "extend",
            "top_up",
            _("--extend adds late joiners and --top-up asks for more rankings; run them one after the other"),
        ),
        ("codes", "no_codes", _("--codes and --no-codes contradict each other; omit one")),
        ("extend", "scheme", _("--scheme is for a first hand-out; omit it with --extend")),
        ("top_up", "scheme", _("--scheme is for a first hand-out; omit it with --top-up")),
        (
            "top_up",
            "k",
            _("-k is for a hand-out; with --top-up, give --at-least, the rankings that every paper should have"),
        ),
    )
    alone = (
        ("top_up", "handout", _("--top-up needs --handout, the hand-out so far, so that nobody gets a paper twice")),
        ("handout", "top_up", _("--handout goes with --top-up; to add late joiners to a hand-out, use --extend")),
        ("at_least", "top_up", _("--at-least goes with --top-up")),
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
    """Make the first hand-out of a class."""
    from peerorder.rounds import allocate

    roster = files.roster
    k = K if given["k"] is None else given["k"]
    new = allocate(files.participants, k, seed=files.seed, scheme=given["scheme"])
    files.hand_out(new)
    made, bundles, report = new.result, new.result.bundles, new.result.report
    low, high = report.paper_degrees
    asked = int((bundles.sizes > 0).sum())
    idle = int(((roster.authored < 0) & (bundles.sizes > 0)).sum())

    def say() -> None:
        text = ngettext(
            "**{count:,} grader ranks {k}** of {papers:,}; every paper has {graders}.",
            "**{count:,} graders rank {k} each** of {papers:,}; every paper has {graders}.",
            asked,
        )
        either = _("{low} or {high} graders").format(low=low, high=high)
        graders = _graders(low) if low == high else either
        display.say(text.format(count=asked, k=_papers(k), papers=len(roster.paper_ids), graders=graders))
        if idle:
            text = ngettext(
                "{count:,} grader has no paper of their own and ranks as many papers as the others.",
                "{count:,} graders have no paper of their own and rank as many papers as the others.",
                idle,
            )
            display.say(text.format(count=idle))
        display.say(_("Scheme: `{scheme}`, {reason}.").format(scheme=made.scheme, reason=made.why))
        display.say(f"{_checked()} {_describe_links(report, made.apart)}")

    return say, {
        "graders": asked,
        "papers": len(roster.paper_ids),
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


def _papers(count: int) -> str:
    return ngettext("{count:,} paper", "{count:,} papers", count).format(count=count)


def _graders(count: int) -> str:
    return ngettext("{count:,} grader", "{count:,} graders", count).format(count=count)


def _checked() -> str:
    return _("Checked: nobody ranks their own paper, a team-mate's, or one they have a conflict with.")


def _linked() -> str:
    return _("All papers are linked by comparisons.")


def _describe_links(report: Any, apart: str | None) -> str:
    """Say whether all papers are linked, and how often two graders share two papers, which does no harm."""
    if apart is not None:
        return _("**Not all papers are linked by comparisons**: {reason}.").format(reason=apart)
    if not report.four_cycles:
        return " ".join((_linked(), _("No two graders share more than one paper.")))
    often = ngettext(
        "In {count:,} case two graders share two papers, which is normal.",
        "In {count:,} cases two graders share two papers, which is normal.",
        report.four_cycles,
    )
    return f"{_linked()} {often.format(count=report.four_cycles)}"


def _extend(files: "HandoutFiles", given: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Add late joiners."""
    from peerorder.core.errors import InputError
    from peerorder.rounds import add_late_joiners

    roster, people = files.roster, files.participants
    new = add_late_joiners(people, given["k"], seed=files.seed, step=len(roster.student_ids))
    k, result = new.settings["k"], new.result
    if not len(result.grader):
        text = _(
            "--extend {handout}: {roster} has no new student and no new paper, so there is nothing to add; nothing "
            "was written"
        )
        raise InputError(text.format(handout=given["extend"], roster=roster.path))
    files.hand_out(new, keep=True)
    short = [roster.papers[p] for p in result.short]
    clashes = people.clashes()

    def say() -> None:
        joined = ngettext(
            "**{count:,} new grader** with {papers}",
            "**{count:,} new graders** with {papers} each",
            len(result.joined),
        )
        late = ngettext(
            "**{count:,} new paper** with {graders}",
            "**{count:,} new papers** with {graders} each",
            len(result.late),
        )
        earlier = ngettext(
            "{count:,} earlier grader gets one more paper; no existing row changes.",
            "{count:,} earlier graders get one more paper; no existing row changes.",
            len(result.one_more),
        )
        display.say(
            _("{graders}, and {papers}, as the others have.").format(
                graders=joined.format(count=len(result.joined), papers=_papers(k)),
                papers=late.format(count=len(result.late), graders=_graders(result.target)),
            )
        )
        display.say(earlier.format(count=len(result.one_more)))
        if short:
            text = _("These have fewer graders, because there is nobody left to ask: {papers}.")
            display.say(text.format(papers=display.some(short)))
        checked = [_checked()]
        if not people.conflicts:
            checked.append(_("No conflicts are known."))
        if clashes:
            text = ngettext(
                "{count:,} row of the earlier hand-out is an exception.",
                "{count:,} rows of the earlier hand-out are exceptions.",
                clashes,
            )
            checked.append(text.format(count=clashes))
        apart = _("**The papers are in {groups} separate groups**.").format(groups=result.components)
        display.say(" ".join([*checked, _linked() if result.components == 1 else apart]))

    return say, {
        "new_graders": [roster.students[g] for g in result.joined],
        "new_papers": [roster.papers[p] for p in result.late],
        "k": k,
        "rankings_of_a_new_paper": result.target,
        "one_more": [roster.students[g] for g in result.one_more],
        "short": short,
        "components": result.components,
        "clashes": clashes,
    }


def _top_up(files: "HandoutFiles", given: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Ask for more rankings after the deadline."""
    import numpy as np

    from peerorder.rounds import top_up

    roster = files.roster
    profile = files.rankings()
    if silent := int(((profile.sizes > 0) & ~profile.informative).sum()):
        text = ngettext(
            "{count:,} ballot compares nothing, with a single paper or all papers tied; it does not count here",
            "{count:,} ballots compare nothing, with a single paper or all papers tied; they do not count here",
            silent,
        )
        files.notes.append(text.format(count=silent))
    new = top_up(files.participants, profile, given["at_least"], seed=files.seed)
    least, result = new.settings["at_least"], new.result
    if len(result.grader):
        files.hand_out(new, ballot=files.next_ballot())
    who, counts = np.unique(result.grader, return_counts=True)
    short = [roster.papers[p] for p in result.short]
    lines = {"before": _coverage_record(result.before, least), "after": _coverage_record(result.after, least)}

    def say() -> None:
        display.say(_("Now: {state}").format(state=_in_words(lines["before"], least, len(roster.paper_ids))))
        if len(who):
            text = ngettext(
                "**{count} of the {ranked} graders who ranked is asked for more:** {papers}, {each} each.",
                "**{count} of the {ranked} graders who ranked are asked for more:** {papers}, {each} each.",
                len(who),
            )
            papers, each = _papers(int(counts.sum())), number_range(int(counts.min()), int(counts.max()))
            display.say(text.format(count=len(who), ranked=result.willing, papers=papers, each=each))
            display.show_table((_("grader"), _("more papers")), _rows(roster.students, who, counts))
            display.say(_("Then: {state}").format(state=_in_words(lines["after"], least, len(roster.paper_ids))))
        else:
            display.say(_("Nobody needs to be asked for more. Nothing was written."))
        display.say(
            _(
                "The accuracy is the expected share of all pairs of papers in the right order, if graders are of "
                "average accuracy (noise level 30). A few more rankings hardly change this overall figure, but they "
                "help the papers that had few."
            )
        )

    return say, {
        "at_least": least,
        "asked": {roster.students[g]: int(x) for g, x in zip(who.tolist(), counts.tolist(), strict=True)},
        "short": short,
        **lines,
    }


def _coverage_record(state: "Coverage", least: int) -> dict[str, Any]:
    from peerorder.studies.live_forecast import expected_so_far
    from peerorder.theory import effective_k

    return {
        "papers_below": state.below(least),
        "components": state.components,
        "expected_accuracy": round(100 * expected_so_far(state.comparisons, NOISE), 1),
        "amounts_to_k": round(effective_k(state.comparisons), 1),
    }


def _in_words(line: dict[str, Any], least: int, papers: int) -> str:
    groups = _("{groups} separate groups").format(groups=line["components"])
    below = ngettext(
        "{below} of {papers} papers has fewer than {rankings}; {links}; expected accuracy {accuracy}%.",
        "{below} of {papers} papers have fewer than {rankings}; {links}; expected accuracy {accuracy}%.",
        line["papers_below"],
    )
    return below.format(
        below=line["papers_below"],
        papers=papers,
        rankings=ngettext("{count:,} ranking", "{count:,} rankings", least).format(count=least),
        links=_("all papers are linked") if line["components"] == 1 else groups,
        accuracy=line["expected_accuracy"],
    )


def _rows(students: tuple[str, ...], who: "AnyIntArray", counts: "AnyIntArray") -> list[tuple[str, object]]:
    """Return the first graders who are asked, for how many papers, and how many are not shown."""
    rows: list[tuple[str, object]] = [(students[g], int(x)) for g, x in zip(who[:SHOWN], counts[:SHOWN], strict=True)]
    more = _("and {count} more").format(count=len(who) - SHOWN)
    return [*rows, (more, "")] if len(who) > SHOWN else rows


def _left_out(result: dict[str, Any]) -> None:
    """Raise PartlyDone if papers would still have too few rankings."""
    from peerorder.core.errors import PartlyDone

    if "at_least" in result and result["short"]:
        text = _(
            "these papers would still have too few rankings: {papers}; everybody who ranked has had them, wrote them "
            "or has a conflict, so ask other students, or staff"
        )
        raise PartlyDone(text.format(papers=display.some(result["short"])))
