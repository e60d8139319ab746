"""The app in processes, on each of the databases, with its tables."""

import pytest


@pytest.fixture
def app(app):
    return app.migrate()
