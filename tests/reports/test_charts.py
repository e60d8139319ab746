import re

import pytest

from peerorder.reports.charts import (
    Axis,
    band,
    bars,
    chart,
    count_axis,
    dots,
    line,
    place_axis,
    shares,
    steps,
    strip,
    value_axis,
    whiskers,
)


@pytest.mark.parametrize("n", [1, 2, 3, 7, 10, 11, 40, 99, 120, 300, 2000, 99_999, 1_000_000])
def test_ticks_of_places_begin_at_1_end_at_n_and_are_few(n):
    values = [value for value, _ in place_axis(n, "").ticks]
    assert values[0] == 1
    assert values[-1] == n
    assert values == sorted(set(values))
    assert len(values) <= 8
    gaps = [b - a for a, b in zip(values, values[1:], strict=False)]
    assert not gaps or min(gaps) >= 0.05 * n


@pytest.mark.parametrize(("low", "high"), [(0, 100), (31.2, 97.5), (70, 70), (-3, 12), (1, 6), (0, 123_456)])
def test_values_have_round_ends_around_them(low, high):
    axis = value_axis(low, high, "")
    assert axis.first <= low <= high <= axis.last
    assert axis.first < axis.last
    assert 2 <= len(axis.ticks) <= 9
    assert 0 <= axis.share(low) <= axis.share(high) <= 1


def numbers(markup):
    return [float(text) for text in re.findall(r"-?\d+\.\d+", markup)]


def test_marks_are_drawn_where_they_belong_and_downwards():
    across, up = value_axis(0, 10, ""), count_axis(100, "")
    assert numbers(dots([(5, 100)], across, up)) == [500, 0]
    assert numbers(whiskers([(0, 25, 75)], across, up)) == [0, 750, 250]
    assert numbers(line([(0, 0), (10, 100)], across, up)) == [0, 1000, 1000, 0]
    assert numbers(bars([(0, 5, 50), (5, 10, 0)], across, up)) == [0, 1000, 500, 500, 1000]
    assert numbers(band([(0, 0, 50), (10, 0, 50)], across, up)) == [0, 1000, 1000, 1000, 1000, 500, 0, 500]


def test_the_best_place_may_be_on_top():
    up = place_axis(10, "").flipped()
    assert up.share(1) == pytest.approx(0.95)
    assert up.share(10) == pytest.approx(0.05)


def test_a_chart_says_what_it_shows_and_escapes_it():
    text = chart("<so>", place_axis(3, "place"), count_axis(2, "papers"), caption="A & B")
    assert 'role="img"' in text
    assert 'aria-label="&lt;so&gt;"' in text
    assert "A &amp; B" in text
    assert text.count('class="across"') == 3


def test_words_keep_their_size_and_stand_where_they_belong():
    text = chart("", value_axis(0, 10, "across"), count_axis(4, "upwards"), caption="")
    assert '<text x="50%" y="100%" class="across-title">across</text>' in text
    assert '<text x="0%" y="0%" class="up-title">upwards</text>' in text
    assert '<text x="20%" y="100%" class="across">2</text>' in text
    assert '<text x="0%" y="75%" class="up">1</text>' in text
    assert "style" not in text


def test_long_words_at_the_ends_of_an_axis_stay_between_them():
    text = chart(
        "", Axis(0, 9, ((0, "Monday"), (4, "noon"), (9, "now")), "", inside=True), count_axis(4, ""), caption=""
    )
    assert re.findall(r'class="(across[^"]*)">(\w+)', text) == [
        ("across begin", "Monday"),
        ("across", "noon"),
        ("across end", "now"),
    ]


def test_steps_keep_their_height_until_the_next_and_begin_with_none():
    drawn = steps([(0, 1), (5, 4)], value_axis(0, 10, ""), value_axis(0, 4, ""))
    assert 'd="M0 1000.0H0.0V750.0H500.0V0.0H1000"' in drawn


def test_an_interval_in_a_cell_is_placed_by_percent_and_not_read_aloud():
    drawn = strip(0.1, 0.4, 0.25)
    assert 'aria-hidden="true"' in drawn
    assert '<rect class="interval" x="10%" width="30%">' in drawn
    assert '<rect class="dot" x="25%">' in drawn


def test_shares_fill_the_whole_and_leave_out_what_is_empty():
    drawn = shares([("a", 1), ("none", 0), ("b", 3)])
    assert re.findall(r'class="(\w+)" x="([^"]+)" width="([^"]+)"', drawn) == [("a", "0%", "25%"), ("b", "25%", "75%")]
    assert "rect" not in shares([("a", 0)])
