"""The web role:  uvicorn config.asgi:application"""

import os

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
_django = get_asgi_application()

from config import heartbeats  # noqa: E402 - needs the applications
from config.body_limit import BodyLimit  # noqa: E402

application = BodyLimit(_django)
heartbeats.start("web")
