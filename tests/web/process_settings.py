"""The settings of the app as it is, with the kinds of work that tests need."""

from peerorder.web.settings import *  # noqa: F403
from peerorder.web.settings import BUDGETS, INSTALLED_APPS

INSTALLED_APPS = [*INSTALLED_APPS, "tests.web.jobs.labour"]
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
# Students of these tests save as fast as answers come.
BUDGETS = dict.fromkeys(BUDGETS, (10**9, 1))
