"""What running a site says is in the language of the terminal, also before Django is loaded."""

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.utils import translation

from peerorder.core.errors import InputError
from peerorder.web.operations.environment import read_environment
from peerorder.web.operations.staff import add_staff, new_password
from peerorder.web.operations.startup import activate_environment_language
from tests import pseudo_locale


@pytest.mark.parametrize(
    "given",
    [
        {"PEERORDER_COLOUR": "blue"},
        {"PEERORDER_LOG": "loud"},
        {"PEERORDER_SECRET_KEY": "short"},
        {"PEERORDER_PRODUCTION": "yes"},
        {"PEERORDER_URL": "peers"},
        {"PEERORDER_DATABASE": "mysql://host/name"},
        {"PEERORDER_MAIL": "smtp://ida:password@mail.example.edu"},
    ],
    ids=lambda given: next(iter(given)),
)
def test_settings(pseudo_catalogues, given, tmp_path):
    with (
        pseudo_locale.speaking(pseudo_catalogues),
        pytest.raises(ImproperlyConfigured) as raised,
    ):
        read_environment({"PEERORDER_HOME": str(tmp_path), **given})
    assert pseudo_locale.outside(str(raised.value)).strip() == ""


@pytest.fixture
def terminal(pseudo_catalogues, monkeypatch):
    """A terminal whose first language is one that the app does not have, and the second the pseudo-locale."""
    monkeypatch.setenv("LANGUAGE", f"xx_YY.UTF-8:{pseudo_locale.LOCALE}.UTF-8")
    with pseudo_locale.spoken_by_django(pseudo_catalogues), translation.override("en"):
        activate_environment_language()
        yield


@pytest.mark.django_db
def test_staff(terminal):
    assert translation.get_language() == pseudo_locale.LANGUAGE
    for call in (lambda: add_staff("Ida", "nowhere"), lambda: new_password("nobody")):
        with pytest.raises(InputError) as raised:
            call()
        assert pseudo_locale.outside(str(raised.value)).strip() == ""


def test_a_language_that_the_app_does_not_have(monkeypatch):
    monkeypatch.setenv("LANGUAGE", "xx_YY.UTF-8:C")
    with translation.override("en"):
        activate_environment_language()
        assert translation.get_language() == "en"
