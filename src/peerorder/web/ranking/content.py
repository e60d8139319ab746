"""What a ranking is: its shape, checked strictly at the border, how it is read, and what it still lacks.

A ranking says for every part an order (lists of tokens, the best first, tied ones together), which papers cannot be
judged, and a comment on each. A paper that is nowhere is not placed yet. Tokens are those of the grader's own slots,
each at most once: anything else was forged, or is a mistake of ours. Only this module knows the shape.
"""

from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _, ngettext

from peerorder.web.assignments.models import LONGEST_COMMENT, Assignment

Content = dict[str, Any]
LONGEST_NOTE = 200


class BadContent(ValueError):
    """No ranking of the grader's papers; the text says why, ``token`` which paper it is about, if one."""

    def __init__(self, why: str, token: str = "") -> None:
        super().__init__(why)
        self.token = token


@dataclass(frozen=True)
class Missing:
    """Something that is to be done before a ranking can be handed in."""

    token: str
    what: str
    where: str
    """The id of the element on the page where it is done."""


def empty_ranking() -> Content:
    """Return a ranking that places nothing."""
    return {"orders": {}, "unjudged": [], "comments": {}}


def label(position: int) -> str:
    """Return what the paper at a position is called: A, B ... Z, AA, AB ..."""
    name = ""
    position += 1
    while position:
        position, rest = divmod(position - 1, 26)
        name = chr(ord("A") + rest) + name
    return name


def check_ranking(raw: object, parts: Mapping[str, int], assignment: Assignment) -> Content:
    """Return a ranking that somebody sent, or raise BadContent; ``parts`` has the part of every token of the grader."""
    if not isinstance(raw, dict) or not set(raw) <= {"orders", "unjudged", "comments"}:
        raise BadContent(_("This is not a ranking. Reload the page."))
    orders, unjudged, comments = raw.get("orders", {}), raw.get("unjudged", []), raw.get("comments", {})
    if not isinstance(orders, dict) or not isinstance(unjudged, list) or not isinstance(comments, dict):
        raise BadContent(_("This is not a ranking. Reload the page."))
    seen: set[str] = set()
    clean = {
        str(part): [_tied(tied, part, parts, seen, assignment) for tied in _lists(order)]
        for part, order in orders.items()
    }
    for token in unjudged:
        _known(token, parts, seen)
    if unjudged and not assignment.cannot_judge:
        raise BadContent(_("In this assignment, every paper must be judged."), unjudged[0])
    return {
        "orders": {part: order for part, order in sorted(clean.items()) if order},
        "unjudged": list(unjudged),
        "comments": _comments(comments, parts, assignment),
    }


def keep_places(content: Content, earlier: Content, hidden: Container[str]) -> Content:
    """Return a content with what an earlier one says of ``hidden`` papers, which were not on the page.

    Each goes below the papers that were above it.
    """
    orders = {part: [[*tied] for tied in order] for part, order in content["orders"].items()}
    placed = judged_tokens(content)
    for part, order in earlier.get("orders", {}).items():
        now, place = orders.setdefault(part, []), 0
        for tied in order:
            kept = [token for token in tied if token in hidden and token not in placed]
            same = next((index for index, group in enumerate(now) if not {*group}.isdisjoint(tied)), None)
            if same is not None:
                now[same] += kept
                place = same + 1
            elif kept:
                now.insert(place, kept)
                place += 1
    unjudged = [token for token in earlier.get("unjudged", []) if token in hidden and token not in placed]
    comments = {token: text for token, text in earlier.get("comments", {}).items() if token in hidden}
    return {
        "orders": {part: order for part, order in sorted(orders.items()) if order},
        "unjudged": [*content["unjudged"], *unjudged],
        "comments": comments | content["comments"],
    }


def _lists(order: object) -> list[object]:
    if not isinstance(order, list):
        raise BadContent(_("This is not a ranking. Reload the page."))
    return order


def _tied(tied: object, part: object, parts: Mapping[str, int], seen: set[str], assignment: Assignment) -> list[str]:
    group = [_known(token, parts, seen) for token in _lists(tied)]
    if not group or any(str(parts[token]) != part for token in group):
        raise BadContent(_("This is not a ranking. Reload the page."))
    if len(group) > 1 and not assignment.ties:
        raise BadContent(_("In this assignment, two papers cannot have the same place."), group[1])
    return group


def _known(token: object, parts: Mapping[str, int], seen: set[str]) -> str:
    if not isinstance(token, str) or token not in parts:
        raise BadContent(_("This ranking contains a paper that is not one of yours. Reload the page."))
    if token in seen:
        raise BadContent(_("This ranking contains a paper twice. Reload the page."), token)
    seen.add(token)
    return token


def _comments(raw: Mapping[Any, object], parts: Mapping[str, int], assignment: Assignment) -> dict[str, str]:
    clean = {}
    for token, text in raw.items():
        if token not in parts or not isinstance(text, str):
            raise BadContent(_("This ranking contains a comment on a paper that is not one of yours. Reload the page."))
        if len(text) > LONGEST_COMMENT:
            what = _("A comment has %(count)d characters, but the limit is %(limit)d. Shorten it.")
            raise BadContent(what % {"count": len(text), "limit": LONGEST_COMMENT}, token)
        text = _storable(text)
        if assignment.comments and text.strip():
            clean[token] = text
    return clean


def _storable(text: str) -> str:
    """Return a text without what databases refuse and no keyboard writes: NUL and halves of surrogate pairs."""
    return text.replace("\x00", "").encode(errors="ignore").decode()


def check_notes(raw: object, parts: Mapping[str, int]) -> dict[str, str]:
    """Return the private notes that somebody sent, by token, on one line each; raise BadContent if they are none."""
    if not isinstance(raw, dict) or not all(token in parts and isinstance(text, str) for token, text in raw.items()):
        raise BadContent(_("This is not a ranking. Reload the page."))
    notes = {token: " ".join(_storable(text).split()) for token, text in raw.items()}
    if too_long := [token for token, text in notes.items() if len(text) > LONGEST_NOTE]:
        raise BadContent(
            _("A note has more than %(limit)d characters. Shorten it.") % {"limit": LONGEST_NOTE}, too_long[0]
        )
    return {token: text for token, text in notes.items() if text}


def notes_from_form(post: Mapping[str, str], parts: Mapping[str, int]) -> dict[str, str]:
    """Return the private notes of a form."""
    return check_notes({token: post[f"note-{token}"] for token in parts if f"note-{token}" in post}, parts)


def ranking_from_form(post: Mapping[str, str], parts: Mapping[str, int], assignment: Assignment) -> Content:
    """Return the ranking of a form with a typed place for every paper; equal places are ties."""
    typed: dict[int, dict[float, list[str]]] = {}
    unjudged, comments = [], {}
    for token, part in parts.items():
        if text := post.get(f"comment-{token}", ""):
            # Browsers count a new line as one character, and send it as two.
            comments[token] = text.replace("\r\n", "\n")
        if post.get(f"unjudged-{token}"):
            unjudged.append(token)
        elif place := post.get(f"place-{token}", "").strip():
            typed.setdefault(part, {}).setdefault(_number(place, token), []).append(token)
    orders = {str(part): [groups[place] for place in sorted(groups)] for part, groups in typed.items()}
    return check_ranking({"orders": orders, "unjudged": unjudged, "comments": comments}, parts, assignment)


def _number(place: str, token: str) -> int:
    if not place.isascii() or not place.isdigit() or len(place) > 4 or int(place) < 1:
        raise BadContent(_("A place must be a whole number: 1 for the best paper, 2 for the next."), token)
    return int(place)


@dataclass(frozen=True)
class Verdict:
    """What a ranking says about one paper."""

    token: str
    rank: int | None = None
    """1 is best, and after two tied ones comes the third; None for a paper that has no place."""
    unjudged: bool = False
    """The grader cannot judge it."""
    comment: str = ""

    @property
    def is_judged(self) -> bool:
        """Return whether the grader is done with it: it has a place, or cannot be judged."""
        return self.rank is not None or self.unjudged


def verdicts(content: Content) -> Iterator[Verdict]:
    """Yield what a ranking says, part by part, the best paper first; then what has no place."""
    comments = dict(content.get("comments", {}))
    orders = content.get("orders", {})
    for part in sorted(orders, key=int):
        rank = 1
        for tied in orders[part]:
            for token in tied:
                yield Verdict(token, rank, comment=comments.pop(token, ""))
            rank += len(tied)
    for token in content.get("unjudged", ()):
        yield Verdict(token, unjudged=True, comment=comments.pop(token, ""))
    for token, comment in comments.items():
        yield Verdict(token, comment=comment)


def judged_tokens(content: Content) -> set[str]:
    """Return the tokens that have a place, and those that their grader cannot judge."""
    return {verdict.token for verdict in verdicts(content) if verdict.is_judged}


def orders_papers(content: Content, tokens: Container[str]) -> bool:
    """Return whether it puts one of these papers above another; otherwise it says nothing about the order."""
    orders = content.get("orders", {}).values()
    return any(sum(any(token in tokens for token in tied) for tied in order) > 1 for order in orders)


def list_missing(
    content: Content, asked: Iterable[tuple[str, str]], assignment: Assignment, *, uncommented: Container[str] = ()
) -> list[Missing]:
    """Return what is to be done before it can be handed in; ``asked`` has token and name of every paper to rank.

    On those that are ``uncommented`` no comment is needed.
    """
    by_token = {verdict.token: verdict for verdict in verdicts(content)}
    lacks = []
    for token, name in asked:
        verdict = by_token.get(token, Verdict(token))
        if not verdict.is_judged:
            what = _("%(paper)s has no place yet")
            if assignment.cannot_judge:
                what = _("%(paper)s has no place yet; give it one, or choose “Cannot judge”")
            lacks.append(Missing(token, what % {"paper": name}, f"place-{token}"))
        more = assignment.required_comment - len(verdict.comment.strip())
        if not verdict.unjudged and token not in uncommented and more > 0:
            what = ngettext(
                "Your comment on %(paper)s needs %(more)d more character",
                "Your comment on %(paper)s needs %(more)d more characters",
                more,
            )
            lacks.append(Missing(token, what % {"paper": name, "more": more}, f"comment-{token}"))
    return lacks
