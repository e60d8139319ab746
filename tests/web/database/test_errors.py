"""What errors of the database tell the log."""

import pytest

pytestmark = pytest.mark.processes

TWICE = """
import traceback
from django.db import IntegrityError
from peerorder.web.people.models import Person
Person.objects.create_user("ida.berg@example.edu", name="Ida Berg")
try:
    Person.objects.create_user("ida.berg@example.edu")
except IntegrityError:
    tell(traceback.format_exc())
"""


def test_a_traceback_names_the_constraint_and_no_values(app):
    seen = app.migrate().ask(TWICE)
    assert "people_person" in seen
    assert "login" in seen
    assert "ida.berg" not in seen.replace(TWICE, "")
