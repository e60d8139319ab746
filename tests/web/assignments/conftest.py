"""Papers of the students."""

from tests.web.lifecycle.conftest import papers

__all__ = ["papers"]
