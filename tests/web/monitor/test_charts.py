from datetime import UTC, datetime, timedelta

import pytest

from peerorder.web.monitor.charts import progress, submissions
from peerorder.web.monitor.student_state import State

BEGIN = datetime(2026, 3, 2, 8, tzinfo=UTC)


def test_the_bar_has_a_part_for_every_state_that_occurs():
    bar = progress({State.DONE: 3, State.MIDDLE: 0, State.NOT_STARTED: 1})
    assert 'class="is-done" x="0%" width="75%"' in bar
    assert 'class="is-not-started" x="75%" width="25%"' in bar
    assert State.MIDDLE not in bar


def test_the_curve_rises_by_the_hour_until_now():
    chart = submissions([(BEGIN, 1), (BEGIN + timedelta(hours=2), 2)], 4, BEGIN + timedelta(hours=3, minutes=20))
    assert 'd="M0 1000.0H0.0V750.0H500.0V500.0H1000"' in chart
    assert "(2 of 4)" in chart
    assert ">now</text>" in chart


@pytest.mark.parametrize(
    ("finished", "of"), [([], 4), ([(BEGIN, 1)], 0), ([(BEGIN, 1)], 4)], ids=["nothing", "nobody", "an hour"]
)
def test_there_is_no_curve_before_there_is_something_to_compare(finished, of):
    assert submissions(finished, of, BEGIN + timedelta(minutes=20)) is None
