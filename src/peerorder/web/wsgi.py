"""What gunicorn runs; ``operations.gunicorn_settings`` has the command."""

import os

from django.core.wsgi import get_wsgi_application

from peerorder.web.operations.folder import keep_files_private
from peerorder.web.operations.startup import load_django

keep_files_private()
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "peerorder.web.settings")
load_django()
application = get_wsgi_application()
