"""Django's own commands: ``python -m peerorder.web migrate``."""

import os
import sys

from django.core.management import execute_from_command_line

from peerorder.web.operations.folder import keep_files_private

if __name__ == "__main__":
    keep_files_private()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "peerorder.web.settings")
    execute_from_command_line(["python -m peerorder.web", *sys.argv[1:]])
