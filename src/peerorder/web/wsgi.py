"""What gunicorn runs: ``gunicorn peerorder.web.wsgi``."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "peerorder.web.settings")
application = get_wsgi_application()
