"""Settings of the test run: the site as it is, on Valkey databases of each xdist worker's own.

The numbers must be given here: pytest-django reads the settings before any conftest.py hook runs, and a URL changed
later would reach the processes that a test starts but not the cache of the test itself.  Processes inherit both.
"""

import os

from config import env
from config.settings import *

_number = int(os.environ.get("PYTEST_XDIST_WORKER", "gw-1").removeprefix("gw")) + 1
for _name in ("VALKEY_URL", "ARENA_VALKEY_URL"):
    os.environ[_name] = f"{env.required(_name).partition('?')[0]}?db={_number}"

VALKEY_URL = os.environ["VALKEY_URL"]
CACHES = {"default": CACHES["default"] | {"LOCATION": VALKEY_URL}}  # noqa: F405
CELERY_BROKER_URL = env.celery_broker(VALKEY_URL)

ALLOWED_HOSTS = [*ALLOWED_HOSTS, "testserver"]  # noqa: F405
#: Files straight from their folders: a test needs no collectstatic.
STORAGES = STORAGES | {"staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}}  # noqa: F405
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = True
#: Argon2 takes 50 ms a user, on purpose; tests make many.
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher", *PASSWORD_HASHERS]  # noqa: F405
#: Everything comes from one address here; the tests of the limits set their own.
REST_FRAMEWORK = REST_FRAMEWORK | {"DEFAULT_THROTTLE_RATES": dict.fromkeys(THROTTLE_RATES, "1000000/min")}  # noqa: F405
#: An empty table would mean allauth's own limits.
ACCOUNT_RATE_LIMITS = False  # type: ignore[assignment]
MFA_RATE_LIMITS = False  # type: ignore[assignment]
#: The flush after a transactional test may empty the rating ledger, which refuses that to everybody else.
DATABASES = DATABASES | {  # noqa: F405
    "default": DATABASES["default"]  # noqa: F405
    | {"OPTIONS": DATABASES["default"]["OPTIONS"] | {"options": "-c bella.flush=on"}}  # noqa: F405
}
