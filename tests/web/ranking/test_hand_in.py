"""Handing in, by the form that works without JavaScript too."""

import re
from datetime import timedelta

import pytest
from django.utils import timezone

from peerorder.web.assignments.models import Assignment
from peerorder.web.audit.models import Event
from peerorder.web.papers.models import Paper
from peerorder.web.ranking.models import Ballot, Save, Slot, UncountedSave
from peerorder.web.ranking.round_snapshot import load_judgements, load_profile
from tests.web.ranking.conftest import content


@pytest.fixture
def post(client, round_, grader):
    """Send the form: ``post({token: place}, unjudged=[…], comments={…})``."""
    client.force_login(grader.person)

    def sent(places, unjudged=(), comments=None, where="hand-in", revision=0, page="form", number=0, **more):
        form = {"revision": revision, "client": page, "number": number, **more}
        form |= {f"place-{token}": place for token, place in places.items()}
        form |= {f"unjudged-{token}": "on" for token in unjudged}
        form |= {f"comment-{token}": text for token, text in (comments or {}).items()}
        return client.post(f"/assignments/{round_.pk}/ranking/{where}/", form)

    return sent


def numbered(tokens):
    return {token: at for at, token in enumerate(tokens, 1)}


def test_it_hands_in(post, tokens, client, round_):
    answer = post(numbered(tokens))
    assert answer.status_code == 302
    ballot = Ballot.objects.get()
    assert ballot.submitted == content(tokens)
    assert ballot.submission == Save.objects.get()
    assert Save.objects.get().hands_in
    assert Event.objects.filter(verb="ranking handed in").count() == 1
    assert answer["Location"] == f"/assignments/{round_.pk}/ranking/receipt/"
    page = client.get(f"/assignments/{round_.pk}/ranking/").content.decode()
    assert 'id="handed-in"' in page
    assert "Hand in again" in page


def test_no_comment_must_be_longer_than_the_longest(post, tokens, round_):
    Assignment.objects.filter(pk=round_.pk).update(comments=True, least_comment=6000)
    comments = dict.fromkeys(tokens, "x" * 5000)
    assert post(numbered(tokens), comments=comments | {tokens[0]: "x" * 4999}).status_code == 422
    assert post(numbered(tokens), comments=comments, revision=1).status_code == 302


def test_typed_places_and_ties(post, tokens):
    a, b, c = tokens
    post({a: 7, b: 2, c: 2})
    assert Ballot.objects.get().submitted == content([[b, c], a])


def test_saving_does_not_hand_in(post, tokens):
    assert post({tokens[0]: 1}, where="save").status_code == 302
    assert Ballot.objects.get().content == content([tokens[0]])
    assert Ballot.objects.get().submission is None


def test_what_is_missing_is_listed_with_links(post, tokens):
    answer = post({tokens[1]: 1})
    assert answer.status_code == 422
    page = answer.content.decode()
    assert f'<a href="#place-{tokens[0]}">Paper A has no place yet' in page
    assert f'<a href="#place-{tokens[2]}">Paper C has no place yet' in page
    assert [each.where for each in answer.context["missing"]] == [f"place-{tokens[0]}", f"place-{tokens[2]}"]
    ballot = Ballot.objects.get()
    assert ballot.submission is None
    assert ballot.content == content([tokens[1]])
    assert not Save.objects.get().hands_in


def test_what_is_missing_stands_beside_its_box_too(post, tokens):
    Assignment.objects.update(comments=True, least_comment=1)
    page = post({tokens[1]: 1}, comments={tokens[0]: "Good."}).content.decode()
    assert f'id="error-{tokens[0]}">Paper A has no place yet' in page
    assert f'id="error-{tokens[1]}"' not in page
    assert f'id="short-{tokens[0]}"' not in page
    assert f'id="short-{tokens[1]}">Your comment on Paper B needs 1 more character' in page
    assert re.search('<div [^>]*id="problems" role="alert" tabindex="-1" autofocus>', page)


def test_papers_that_were_never_opened_are_asked_about_once(post, tokens, client, round_):
    client.get(f"/papers/{tokens[1]}/")
    answer = post(numbered(tokens), ask="yes")
    # A question, and nothing wrong.
    assert answer.status_code == 200
    page = answer.content.decode()
    assert 'id="unopened"' in page
    assert [item.token for item in answer.context["unopened"]] == [tokens[0], tokens[2]]
    assert answer.context["unopened_names"] in page
    assert 'name="ask"' not in page
    assert Ballot.objects.get().content == content(tokens)
    assert Ballot.objects.get().submission is None
    assert not Save.objects.get().hands_in
    assert post(numbered(tokens), revision=1, page="asked").status_code == 302
    assert Ballot.objects.get().submitted == content(tokens)
    # Nor is it asked about when something is changed later.
    assert 'name="ask"' not in client.get(f"/assignments/{round_.pk}/ranking/").content.decode()


@pytest.mark.parametrize("judged", [0, 1, "tied"])
def test_a_ranking_that_says_nothing_is_asked_about(post, tokens, client, round_, judged):
    places = dict.fromkeys(tokens, 1) if judged == "tied" else dict.fromkeys(tokens[:judged], 1)
    said = {"places": places, "unjudged": [token for token in tokens if token not in places]}
    assert 'name="ask_order"' in client.get(f"/assignments/{round_.pk}/ranking/").content.decode()
    answer = post(**said, ask_order="yes")
    assert answer.status_code == 200
    page = answer.content.decode()
    assert answer.context["mute"]
    assert 'name="ask_order"' not in page
    assert Ballot.objects.get().submission is None
    assert post(**said, revision=1, page="asked").status_code == 302
    assert Ballot.objects.get().submission is not None
    assert post(numbered(tokens), revision=1, page="asked", number=1, ask_order="yes").status_code == 302


def test_who_has_opened_all_is_not_asked(post, tokens, client, round_):
    for token in tokens:
        client.get(f"/papers/{token}/")
    page = client.get(f"/assignments/{round_.pk}/ranking/").content.decode()
    assert 'name="ask"' in page
    assert page.count('data-opened="yes"') == len(tokens)
    assert post(numbered(tokens), ask="yes").status_code == 302
    assert Ballot.objects.get().submitted == content(tokens)


def test_what_is_missing_comes_before_the_question(post, tokens):
    answer = post({tokens[0]: 1}, ask="yes")
    page = answer.content.decode()
    assert 'id="problems"' in page
    assert [each.where for each in answer.context["missing"]] == [f"place-{token}" for token in tokens[1:]]
    assert 'id="unopened"' not in page
    assert 'name="ask"' in page


def test_a_withdrawn_paper_is_not_asked_about(post, tokens, client):
    Paper.objects.filter(slots__token=tokens[1]).update(withdrawn_at=timezone.now())
    for token in (tokens[0], tokens[2]):
        client.get(f"/papers/{token}/")
    assert post({tokens[0]: 1, tokens[2]: 2}, ask="yes").status_code == 302


def test_after_the_deadline_nothing_is_asked(post, tokens):
    Assignment.objects.update(rank_by=timezone.now() - timedelta(seconds=1))
    answer = post(numbered(tokens), ask="yes")
    assert answer.status_code == 409
    assert answer.context["sent"]


def test_not_judged_is_an_answer(post, tokens):
    assert post({tokens[0]: 1, tokens[1]: 2}, [tokens[2]]).status_code == 302
    assert Ballot.objects.get().submitted == content(tokens[:2], [tokens[2]])


def test_comments_must_be_long_enough(post, tokens):
    Assignment.objects.update(comments=True, least_comment=10)
    texts = {tokens[0]: "0123456789", tokens[1]: "012345678", tokens[2]: "x" * 12}
    answer = post(numbered(tokens), comments=texts)
    assert answer.status_code == 422
    page = answer.content.decode()
    assert f'<a href="#comment-{tokens[1]}">Your comment on Paper B needs 1 more character' in page
    assert f'<a href="#comment-{tokens[0]}">' not in page
    assert page.count("(required)") == len(tokens)
    assert "At least 10 characters." in page
    assert post(numbered(tokens), comments={**texts, tokens[1]: "0123456789"}, revision=1).status_code == 302


def test_a_minimum_of_0_makes_comments_optional(post, tokens, client, round_):
    """It was refused, whatever the setting said (M6)."""
    Assignment.objects.update(comments=True, least_comment=0)
    page = client.get(f"/assignments/{round_.pk}/ranking/").content.decode()
    assert page.count("(optional)") == len(tokens)
    assert "(required)" not in page
    assert post(numbered(tokens)).status_code == 302
    assert Ballot.objects.get().submitted == content(tokens)


def test_new_lines_count_once(post, tokens):
    Assignment.objects.update(comments=True)
    assert post(numbered(tokens), comments=dict.fromkeys(tokens, "\r\n".join("x" * 2500))).status_code == 302


@pytest.mark.parametrize("typed", ["0", "-1", "1.5", "x", "99999", "²"])
def test_what_is_no_place_is_shown_back(post, tokens, typed):
    Assignment.objects.update(comments=True)
    answer = post({tokens[0]: typed, tokens[1]: 2}, comments={tokens[2]: "my long text"})
    assert answer.status_code == 400
    page = answer.content.decode()
    assert f'<a href="#place-{tokens[0]}">' in page
    assert 'id="problems" role="alert" tabindex="-1" autofocus' in page
    assert f'value="{typed}"' in page
    assert "my long text" in page


def test_ties_that_are_not_allowed_are_shown_back(post, tokens):
    Assignment.objects.update(ties=False)
    answer = post(dict.fromkeys(tokens, 1))
    assert answer.status_code == 400
    assert answer.context["error"].token == tokens[1]


def test_a_double_submit_counts_once(post, tokens):
    assert post(numbered(tokens)).status_code == post(numbered(tokens)).status_code == 302
    assert Save.objects.count() == 1
    assert Event.objects.filter(verb="ranking handed in").count() == 1


def test_saved_and_then_handed_in_from_the_same_page(post, tokens):
    post(numbered(tokens), where="save")
    assert post(numbered(tokens)).status_code == 302
    assert Ballot.objects.get().submitted == content(tokens)
    assert Save.objects.filter(hands_in=True).count() == 1


def test_changes_count_when_handed_in_again(post, tokens, client, round_):
    post(numbered(tokens))
    post(numbered(tokens[::-1]), where="save", revision=1)
    assert Ballot.objects.get().submitted == content(tokens)
    page = client.get(f"/assignments/{round_.pk}/ranking/").content.decode()
    assert '<p class="message warning" id="handed-in"' in page
    post(numbered(tokens[::-1]), revision=2)
    assert Ballot.objects.get().submitted == content(tokens[::-1])


def test_two_tabs_without_scripts(post, tokens):
    post(numbered(tokens), page="one")
    answer = post(numbered(tokens[::-1]), page="two")
    assert answer.status_code == 409
    page = answer.content.decode()
    assert answer.context["conflict"]
    assert 'role="alert"' in page
    assert 'name="revision" value="1"' in page
    assert Ballot.objects.get().submitted == content(tokens)
    assert UncountedSave.objects.get(why="conflict").content == content(tokens[::-1])


def test_the_deadline_passes_while_the_form_is_open(post, tokens, client, round_):
    post(numbered(tokens))
    Assignment.objects.update(rank_by=timezone.now() - timedelta(seconds=1))
    answer = post(numbered(tokens[::-1]), revision=1, number=1)
    assert answer.status_code == 409
    assert answer.context["sent"]
    assert [item.token for item in answer.context["parts"][0].order] == tokens
    assert Ballot.objects.get().submitted == content(tokens)
    assert UncountedSave.objects.get(why="late").content == content(tokens[::-1])
    page = client.get(f"/assignments/{round_.pk}/ranking/")
    assert "ranking/closed.html" in {each.name for each in page.templates}
    assert not page.context["sent"]


def test_places_of_others_are_not_read(post, tokens, grader):
    other = Slot.objects.exclude(grader=grader).first().token
    assert post({**numbered(tokens), other: 1}).status_code == 302
    assert Ballot.objects.get().submitted == content(tokens)


def test_a_withdrawn_paper_is_not_asked_for(post, tokens):
    Paper.objects.filter(slots__token=tokens[1]).update(withdrawn_at=timezone.now())
    assert post({tokens[0]: 1, tokens[2]: 2}).status_code == 302


def test_what_counts_can_be_read_by_the_library(post, tokens, round_, grader):
    a, b, c = tokens
    Assignment.objects.update(comments=True)
    post({a: 2, b: 1}, [c], comments={a: "good", b: "better"})
    paper = {slot.token: slot.paper_id for slot in Slot.objects.filter(grader=grader)}
    said = {(each.paper, each.rank, each.comment) for each in load_judgements(round_, with_comments=True)}
    assert said == {(paper[b], 1, "better"), (paper[a], 2, "good"), (paper[c], None, "")}
    profile = load_profile(round_)
    assert len(profile) == 1
    assert profile.sizes.tolist() == [2]


def test_outsiders_and_staff(client, round_, outsider, instructor):
    address = f"/assignments/{round_.pk}/ranking/hand-in/"
    assert client.post(address).status_code == 403
    for member, status in ((outsider, 404), (instructor, 403)):
        client.force_login(member.person)
        assert client.post(address).status_code == status
