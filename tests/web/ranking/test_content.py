import pytest

from peerorder.web.ranking.content import keep_places


def content(*order, unjudged=(), comments=None):
    return {"orders": {"0": [list(tied) for tied in order]}, "unjudged": list(unjudged), "comments": comments or {}}


@pytest.mark.parametrize(
    ("earlier", "now", "kept"),
    [
        (("x", "a", "b"), ("b", "a"), ("x", "b", "a")),
        (("a", "x", "b"), ("b", "a"), ("b", "a", "x")),
        (("a", "b", "x"), ("a", "b"), ("a", "b", "x")),
        (("ax", "b"), ("b", "a"), ("b", "ax")),
        (("a", "xy", "b"), ("a", "b"), ("a", "xy", "b")),
        # On the page after all, or not placed before.
        (("a", "x"), ("x", "a"), ("x", "a")),
        (("a", "b"), ("b",), ("b",)),
    ],
)
def test_papers_that_are_not_on_the_page_keep_their_places(earlier, now, kept):
    assert keep_places(content(*now), content(*earlier), {"x", "y"}) == content(*kept)


def test_what_was_said_of_them_is_kept():
    earlier = content("a", unjudged=["x"], comments={"x": "unclear", "a": "old"})
    kept = keep_places(content("a", comments={"a": "new"}), earlier, {"x"})
    assert kept == content("a", unjudged=["x"], comments={"x": "unclear", "a": "new"})
