"""What was released to a student is in their own data, without reasons and without anybody's name."""

import zipfile

from django.utils import timezone

from peerorder.web.home.own_data import own_data
from peerorder.web.results.comments import received_comments
from peerorder.web.results.feedback import give_feedback
from peerorder.web.results.models import Decision, Release
from peerorder.web.results.own_data import own_results
from peerorder.web.results.services import decide
from tests.web.results.test_my_result import release


def test_released_results_are_in_it_without_reasons_or_names(marked, papers, instructor, students):
    decide(marked, Decision.Kind.MARK, papers[0], "77", "A reason for colleagues.", instructor.person)
    made = release(marked, published_at=None)
    assert own_results(students[0]) == []
    Release.objects.filter(pk=made.pk).update(published_at=timezone.now())
    comment = received_comments(papers[0].pk)[0]
    give_feedback(marked, students[0], comment.key, "report", "It is rude.")
    (result,) = own_results(students[0])
    assert (result["mark"], result["mark_for_ranking"]) == (77, 100)
    assert [(each["kind"], each["value"]) for each in result["decisions"]] == [("mark", "77")]
    assert sorted(result["comments_received"]) == sorted(each.text for each in received_comments(papers[0].pk))
    said = result["feedback_given"][0]
    assert (said["comment"], said["kind"], said["text"]) == (comment.text, "report", "It is rude.")
    with own_data(students[0].person) as file, zipfile.ZipFile(file) as archive:
        text = archive.read("data.json").decode()
    assert "It is rude." in text
    assert "A reason for colleagues." not in text
    assert f'"{instructor.person.name}"' not in text
