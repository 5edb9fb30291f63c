"""Where the site stands: address, services, files, languages, mail."""

from pathlib import Path
from urllib.parse import urlsplit

import environ
from django.utils.translation import gettext_lazy as _

from config import env

BASE_DIR = Path(__file__).resolve().parent.parent.parent
DEBUG = env.flag("DEBUG")
ROOT_URLCONF = "config.urls"
ASGI_APPLICATION = "config.asgi.application"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# -- address: what the world sees; https:// switches on all that needs TLS (config.settings.security)
BASE_URL = env.optional("BASE_URL", "http://127.0.0.1:8000").rstrip("/")
CANONICAL_HOST = urlsplit(BASE_URL).netloc
IS_HTTPS = BASE_URL.startswith("https://")

# -- services
DATABASES = {
    "default": environ.Env.db_url_config(env.required("DATABASE_URL"))
    | {
        "CONN_MAX_AGE": 0,  # the pool keeps connections, Django must not
        "CONN_HEALTH_CHECKS": True,  # a restarted database costs no request an error
        "OPTIONS": {"pool": {"min_size": 0, "max_size": env.whole("DATABASE_POOL", 8), "timeout": 10}},
    }
}
VALKEY_URL = env.required("VALKEY_URL")
CACHES = {
    "default": {
        "BACKEND": "django.core.cache.backends.redis.RedisCache",
        "LOCATION": VALKEY_URL,
        "KEY_PREFIX": "cache",
    }
}
SESSION_ENGINE = "django.contrib.sessions.backends.db"

# -- files
STATIC_URL = "/static/"
STATIC_ROOT = Path(env.optional("STATIC_ROOT", str(BASE_DIR / "staticfiles")))
STATICFILES_DIRS = [path for path in [BASE_DIR / "static"] if path.is_dir()]
#: Archives of uploaded bots; no address leads there.
MEDIA_ROOT = Path(env.optional("MEDIA_ROOT", str(BASE_DIR / "media")))
STORAGES = {
    "bots": {"BACKEND": "bots.storage.ArchiveStorage"},
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "config.static.StaticStorage"},
}
WHITENOISE_KEEP_ONLY_HASHED_FILES = True
#: Pictures and archives are small already; nobody waits for a source map.
WHITENOISE_SKIP_COMPRESS_EXTENSIONS = (
    "jpg", "jpeg", "png", "gif", "webp", "zip", "gz", "br", "woff", "woff2", "map",
)  # fmt: skip
DATA_UPLOAD_MAX_MEMORY_SIZE = 2 * 1024 * 1024
DATA_UPLOAD_MAX_NUMBER_FIELDS = 1000

# -- languages: a user's preference, then the cookie, then the browser's wish, then Italian (config.middleware)
FORMAT_MODULE_PATH = "config.formats"
LANGUAGE_CODE = "it"
LANGUAGES = [("it", _("Italian")), ("en", _("English"))]
LANGUAGE_COOKIE_NAME = "lang"
LANGUAGE_COOKIE_AGE = 365 * 24 * 3600
LANGUAGE_COOKIE_SAMESITE = "Lax"
LOCALE_PATHS = [BASE_DIR / "locale"]
USE_I18N = True
USE_TZ = True
TIME_ZONE = "UTC"

# -- mail
_mail = environ.Env.email_url_config(env.optional("EMAIL_URL", "consolemail://"))
if _mail.get("EMAIL_FILE_PATH"):  # django-environ takes the first slash of filemail:///var/mail away
    _mail["EMAIL_FILE_PATH"] = f"/{_mail['EMAIL_FILE_PATH'].lstrip('/')}"
vars().update(_mail)
DEFAULT_FROM_EMAIL = env.optional("DEFAULT_FROM_EMAIL", "Bella <bella@localhost>")
SERVER_EMAIL = DEFAULT_FROM_EMAIL
EMAIL_SUBJECT_PREFIX = "[Bella] "
EMAIL_TIMEOUT = 10
