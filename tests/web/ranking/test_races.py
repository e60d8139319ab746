"""What counts where two act at once, on either database: a save counts before a change, or not at all."""

import pytest


@pytest.fixture
def app(app):
    return app.migrate()


def test_a_save_that_waits_for_a_change_is_decided_after_it(app):
    got = app.ask("from tests.web.ranking.races import saves_against_changes\ntell(saves_against_changes())")
    assert got == {
        "review": "late",
        "back": "saved",
        "archived": "refused",
        "removed": "refused",
        "revoked": "refused",
        "afterwards": "saved",
        "granted": "saved",
        "taken back": "late",
        "counts": {"submissions": 1, "late": 1, "in time": 3, "students": 8},
    }


def test_nobody_holds_up_a_change_by_saving_without_a_pause(app):
    got = app.ask("from tests.web.ranking.races import changes_among_saves\ntell(changes_among_saves())")
    assert got["strange"] == []
    assert got["made"] == ["removed", "put back", "revoked", "review", "archived"]


def test_a_step_waits_for_what_counts_before_it(app):
    got = app.ask("from tests.web.ranking.races import a_step_against_a_hand_in\ntell(a_step_against_a_hand_in())")
    assert got == {"moved": True, "waited": True, "verbs": ["ranking handed in", "moved"]}


def test_teams_that_hand_in_at_once_while_handing_in_ends(app):
    got = app.ask("from tests.web.ranking.races import teams_against_a_step\ntell(teams_against_a_step())")
    assert got["strange"] == []
    assert got["taken"] == got["versions"]
    assert got["papers"] <= 6
    assert got["authors"] == [4] * got["papers"]
    assert got["after"] == got["slots"] == 0
