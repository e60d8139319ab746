"""A paper for staff: who ranks it, and what was reported about it."""

from django.utils import timezone

from peerorder.web.papers.models import Paper
from peerorder.web.ranking.content import label
from peerorder.web.ranking.models import Problem, Slot
from peerorder.web.ranking.queries import graders_of
from tests.web.factories import complete_ranking, submit_ranking


def test_who_ranks_a_paper_and_what_was_reported_about_it(enter, round_, papers, assistant):
    slots = list(Slot.objects.filter(paper=papers[0]).order_by("grader"))
    submit_ranking(round_, slots[2].grader)
    problem = Problem.objects.create(slot=slots[1], kind=Problem.Kind.EMPTY, text="Only a title.")
    client = enter(assistant)
    page = client.get(f"/assignments/{round_.pk}/papers/{papers[0].pk}/").content.decode()
    assert "3 students rank" in page
    for slot, ranked in zip(slots, ("not yet", "not yet", "yes"), strict=True):
        who, called = slot.grader, label(slot.position)
        row = f'<td>{who} <span class="soft">{who.student}</span></td><td>Paper {called}</td><td>{ranked}</td>'
        assert row in page
    Paper.objects.filter(pk=papers[0].pk).update(withdrawn_at=timezone.now())
    withdrawn = client.get(f"/assignments/{round_.pk}/papers/{papers[0].pk}/").content.decode()
    assert "3 students were asked" in withdrawn
    assert "not yet" not in withdrawn
    assert "Only a title." in page
    assert f"#problem-{problem.pk}" in page
    inbox = client.get(f"/assignments/{round_.pk}/problems/").content.decode()
    assert f'href="/assignments/{round_.pk}/papers/{papers[0].pk}/"' in inbox


def test_only_who_judged_a_paper_has_ranked_it(round_, papers):
    """Its token may stand in a ranking without that: beside a comment, or in the text of one."""
    round_.comments = True
    round_.save()
    first, second, third = slots = list(Slot.objects.filter(paper=papers[0]).order_by("grader"))
    assert [each.done for each in graders_of(papers[0])] == [False, False, False]
    # Nobody need judge it while it is withdrawn.
    Paper.objects.filter(pk=papers[0].pk).update(withdrawn_at=timezone.now())
    for slot in slots:
        said = complete_ranking(round_, slot.grader)
        others = [tied for tied in said["orders"]["0"] if tied != [slot.token]]
        said["comments"] = {token: f"Better than {slot.token}." for (token,) in others}
        said["orders"]["0"] = others
        if slot == first:
            said["comments"][slot.token] = "I stopped here."
        elif slot == third:
            said["unjudged"] = [slot.token]
        submit_ranking(round_, slot.grader, said)
    Paper.objects.filter(pk=papers[0].pk).update(withdrawn_at=None)
    done = {each.grader: each.done for each in graders_of(papers[0])}
    assert done == {first.grader: False, second.grader: False, third.grader: True}
