"""The settings of the app for tests: a folder of their own, quick passwords, no mails."""

import os
import tempfile
from pathlib import Path

HOME = tempfile.mkdtemp(prefix="peerorder-tests-")
for name in [name for name in os.environ if name.startswith("PEERORDER_")]:
    if name not in ("PEERORDER_NOTHING_LEFT_OUT", "PEERORDER_FUZZ", "PEERORDER_DATABASE"):
        del os.environ[name]
os.environ["PEERORDER_HOME"] = HOME

from peerorder.web.settings import *  # noqa: E402, F403

(Path(HOME) / "static").mkdir()
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
