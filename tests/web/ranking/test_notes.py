"""Private notes: they follow their grader to other devices, and reach nobody else."""

import json
import zipfile

import pytest
from django.utils import timezone

from peerorder.web.home.erasure import erase_member
from peerorder.web.home.own_data import own_data
from peerorder.web.lifecycle.export import export_of
from peerorder.web.papers.models import Paper
from peerorder.web.ranking.content import LONGEST_NOTE
from peerorder.web.ranking.models import Ballot, Save, Slot
from peerorder.web.ranking.services import RankingUpdate, SaveStatus, hand_in, save, undo_changes
from tests.web.factories import submit_ranking
from tests.web.ranking.conftest import content
from tests.web.ranking.test_comments import whole_database

NOTE = "The proof has a gap in line 7."


def noted(tokens, notes, revision=0, page="page", number=1):
    return RankingUpdate(content(tokens), revision, page, number, notes)


def post(client, round_, body, notes, revision=0, page="page", number=1):
    sent = {"revision": revision, "client": page, "number": number, "content": body, "notes": notes}
    address = f"/assignments/{round_.pk}/ranking/save/"
    return client.post(address, json.dumps(sent), content_type="application/json")


def test_a_note_is_saved_and_shown_again(enter, round_, grader, tokens):
    client = enter(grader)
    assert post(client, round_, content([]), {tokens[1]: f"  {NOTE}\n"}).status_code == 200
    assert Ballot.objects.get().notes == {tokens[1]: NOTE}
    items = client.get(f"/assignments/{round_.pk}/ranking/").context["items"]
    assert [item.note for item in items] == ["", NOTE, ""]


def test_a_form_saves_notes_too(enter, round_, grader, tokens):
    form = {"revision": "0", "client": "page", "number": "1", f"place-{tokens[0]}": "1", f"note-{tokens[0]}": NOTE}
    assert enter(grader).post(f"/assignments/{round_.pk}/ranking/save/", form).status_code == 302
    assert Ballot.objects.get().notes == {tokens[0]: NOTE}


@pytest.mark.parametrize("notes", ["text", {"other": NOTE}, {"A": 7}, {"A": "x" * (LONGEST_NOTE + 1)}])
def test_what_is_no_note_is_refused(enter, round_, grader, tokens, notes):
    if isinstance(notes, dict) and "A" in notes:
        notes = {tokens[0]: notes["A"]}
    assert post(enter(grader), round_, content(tokens), notes).status_code == 400
    assert not Ballot.objects.exists()


def test_two_pages_are_in_conflict_over_a_note(enter, round_, grader, tokens):
    client = enter(grader)
    assert post(client, round_, content(tokens), {tokens[0]: NOTE}).status_code == 200
    answer = post(client, round_, content(tokens), {}, page="another")
    assert (answer.status_code, answer.json()["notes"]) == (409, {tokens[0]: NOTE})


def test_a_note_changes_nothing_that_is_handed_in(round_, grader, tokens):
    hand_in(round_, grader, noted(tokens, {tokens[0]: NOTE}))
    rows = list(Save.objects.values_list("pk", "content"))
    result = save(round_, grader, noted(tokens, {tokens[0]: "Better than I thought."}, 1, number=2))
    assert (result.status, result.ballot.revision) == (SaveStatus.SAVED, 2)
    assert result.ballot.has_submitted(result.ballot.content)
    assert list(Save.objects.values_list("pk", "content")) == rows
    assert "notes" not in rows[0][1]


def test_a_page_that_sends_none_leaves_them_and_so_does_undoing(round_, grader, tokens):
    hand_in(round_, grader, noted(tokens, {tokens[0]: NOTE}))
    save(round_, grader, noted(tokens[::-1], None, 1, number=2))
    undo_changes(round_, grader, Ballot.objects.select_related("submission").get())
    ballot = Ballot.objects.get()
    assert (ballot.notes, ballot.content) == ({tokens[0]: NOTE}, content(tokens))


def test_the_note_on_a_withdrawn_paper_is_kept(round_, grader, tokens):
    save(round_, grader, noted(tokens, {tokens[0]: NOTE, tokens[1]: NOTE}))
    Paper.objects.filter(slots__token=tokens[0]).update(withdrawn_at=timezone.now())
    save(round_, grader, noted(tokens[1:], {}, 1, number=2))
    assert Ballot.objects.get().notes == {tokens[0]: NOTE}


def test_nobody_else_reads_them_and_their_writer_can_take_them_along(enter, round_, students, instructor, tokens):
    for student in students:
        submit_ranking(round_, student)
    Ballot.objects.filter(grader=students[0]).update(notes={tokens[0]: NOTE})
    with export_of(round_) as file, zipfile.ZipFile(file) as archive:
        assert all(NOTE.encode() not in archive.read(name) for name in archive.namelist())
    assert NOTE not in enter(students[0]).get(f"/assignments/{round_.pk}/ranking/receipt/").content.decode()
    with own_data(students[0].person) as file, zipfile.ZipFile(file) as archive:
        rankings = json.loads(archive.read("data.json"))["courses"][0]["rankings"]
    assert rankings[0]["notes"] == {"A": NOTE}


def test_they_are_erased_with_their_writer_and_with_the_author(round_, students, instructor):
    slot = Slot.objects.filter(paper__authorships__member=students[0]).first()
    save(round_, slot.grader, RankingUpdate(content([]), 0, "page", 1, {slot.token: NOTE}))
    erase_member(students[0], instructor.person)
    assert NOTE not in whole_database()
    # A page that is still open sends it again.
    save(round_, slot.grader, RankingUpdate(content([slot.token]), 1, "page", 2, {slot.token: NOTE}))
    assert NOTE not in whole_database()
    other = Slot.objects.filter(grader=slot.grader).exclude(pk=slot.pk).first()
    save(round_, slot.grader, RankingUpdate(content([slot.token]), 2, "page", 3, {other.token: NOTE}))
    assert NOTE in whole_database()
    erase_member(slot.grader, instructor.person)
    assert NOTE not in whole_database()
