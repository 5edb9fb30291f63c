"""Who may talk to the site and what a browser may do with its pages.  `BASE_URL=https://...` is production."""

from urllib.parse import urlsplit

from csp.constants import NONE, SELF

from config import env
from config.settings.base import BASE_URL, IS_HTTPS

SECRET_KEY = env.required("SECRET_KEY")
SECRET_KEY_FALLBACKS = env.items("SECRET_KEY_FALLBACKS")

#: The address of BASE_URL; names that it answers to as well, and, without TLS, the machine itself.
ALLOWED_HOSTS = [urlsplit(BASE_URL).hostname or "", *env.items("ALLOWED_HOSTS")]
if not IS_HTTPS:
    ALLOWED_HOSTS += ["127.0.0.1", "localhost", "[::1]"]

#: Proxies of ours before the site: that many of the last addresses in X-Forwarded-For are believed.
TRUSTED_PROXIES = env.whole("TRUSTED_PROXIES", 0)
ALLAUTH_TRUSTED_PROXY_COUNT = TRUSTED_PROXIES
if TRUSTED_PROXIES:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")

SECURE_SSL_REDIRECT = IS_HTTPS
SECURE_REDIRECT_EXEMPT = [r"^healthz$"]  # asked from inside, without the proxy
SECURE_HSTS_SECONDS = 365 * 24 * 3600 if IS_HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = IS_HTTPS
SECURE_HSTS_PRELOAD = IS_HTTPS
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"

SESSION_COOKIE_SECURE = IS_HTTPS
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_AGE = 30 * 24 * 3600
CSRF_COOKIE_SECURE = IS_HTTPS
CSRF_COOKIE_HTTPONLY = True  # pages hand the token to their modules in <meta name="csrf">
CSRF_COOKIE_SAMESITE = "Lax"
CSRF_FAILURE_VIEW = "config.views.csrf_failed"
LANGUAGE_COOKIE_SECURE = IS_HTTPS

PASSWORD_HASHERS = [
    "django.contrib.auth.hashers.Argon2PasswordHasher",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.NumericPasswordValidator"},
]

#: No inline code, no inline style, nothing from elsewhere.  Views that need less or more say so by csp.decorators.
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF],
        "connect-src": [SELF],
        "font-src": [NONE],
        "base-uri": [NONE],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
    }
}

#: `/metrics` answers only to this bearer token; without one it does not exist.
METRICS_TOKEN = env.optional("METRICS_TOKEN")
