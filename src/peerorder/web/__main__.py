"""Django's own commands: ``python -m peerorder.web migrate``."""

import os
import sys
from contextlib import suppress

from django.core.exceptions import ImproperlyConfigured
from django.core.management import execute_from_command_line

from peerorder.web.operations.folder import keep_files_private
from peerorder.web.operations.startup import load_django

if __name__ == "__main__":
    keep_files_private()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "peerorder.web.settings")
    # Django's command finds it again, and says what is wrong.
    with suppress(ImproperlyConfigured):
        load_django()
    execute_from_command_line(["python -m peerorder.web", *sys.argv[1:]])
