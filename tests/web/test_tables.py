"""Lists that are searched, filtered, sorted and paged by their address."""

import pytest
from django.http import QueryDict

from peerorder.web.tables import Column, Filter, Listing

COLUMNS = [Column("name", "Name", ("name",)), Column("seen", "Seen", ("seen",), newest_first=True), Column("x", "X")]
FILTERS = [Filter("section", "Section", [("7", "Monday")], "All")]


def read(query):
    return Listing.read(QueryDict(query), COLUMNS, "name", FILTERS)


def test_what_the_address_says():
    listing = read("q=+Ada%00+&section=7&sort=-seen")
    assert (listing.words, listing.value("section"), listing.sort, listing.is_descending) == ("Ada", "7", "-seen", True)
    assert listing.is_narrowed


@pytest.mark.parametrize("query", ["", "sort=x&section=8", "sort=--name", "sort=-", "page=3&sort=pk"])
def test_what_is_not_known_there_is_left_out(query):
    listing = read(query)
    assert (listing.sort, listing.value("section"), listing.is_narrowed) == ("name", "", False)
    assert listing.query() == "?"


def test_heads_turn_the_order_round_and_keep_the_search():
    name, seen, plain = read("q=a&section=7").heads
    assert (name.direction, name.query) == ("ascending", "?q=a&section=7&sort=-name")
    # The first click on a time shows the newest.
    assert (seen.direction, seen.query) == ("", "?q=a&section=7&sort=-seen")
    assert (plain.direction, plain.query) == ("", "")
    name, seen, _plain = read("sort=-seen").heads
    assert (seen.direction, seen.query) == ("descending", "?sort=seen")
    assert name.query == "?"


def test_pages():
    listing = read("q=a&sort=-name")
    assert list(listing.show(range(120), "2", "{} rows".format)) == list(range(50, 100))
    assert listing.summary == "120 rows"
    assert (listing.previous, listing.next) == ("?q=a&sort=-name&page=1", "?q=a&sort=-name&page=3")
    assert listing.here == "?q=a&sort=-name&page=2"
    listing.show(range(120), "last", str)
    assert (listing.page.number, listing.previous, listing.here) == (1, "", "?q=a&sort=-name")
