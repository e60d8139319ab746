"""What the tests of rosters share."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile


@pytest.fixture
def look(enter, instructor, course):
    """Upload a roster: gives the page that says what it would change, and its address."""

    def looked(content, name="roster.csv"):
        client = enter(instructor)
        data = content.encode() if isinstance(content, str) else content
        answer = client.post(f"/courses/{course.pk}/people/roster/", {"file": SimpleUploadedFile(name, data)})
        assert answer.status_code == 302, answer.content.decode()
        return client.get(answer.url), answer.url

    return looked
