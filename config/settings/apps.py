"""What the site is made of: applications, middleware, templates, sign-in, API."""

from datetime import timedelta

from django.utils.translation import gettext_lazy as _

from config import env
from config.settings.base import BASE_DIR, IS_HTTPS

INSTALLED_APPS = [
    "accounts.apps.AccountsConfig",
    "games.apps.GamesConfig",
    "bots.apps.BotsConfig",
    "league.apps.LeagueConfig",
    "config.apps.BellaAdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.postgres",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "rest_framework",
    "knox",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "django_htmx",
    "csp",
    "django_structlog",
    "django_prometheus",
]

MIDDLEWARE = [
    "django_prometheus.middleware.PrometheusBeforeMiddleware",
    "config.middleware.storable_text",
    "config.middleware.canonical_host",
    "django.middleware.security.SecurityMiddleware",
    "config.middleware.permissions_policy",
    "config.static.StaticMiddleware",
    "config.middleware.private_pages",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "config.middleware.preferred_language",
    "accounts.middleware.local_time",
    "django_structlog.middlewares.RequestMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "django_prometheus.middleware.PrometheusAfterMiddleware",
]

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "builtins": ["accounts.templatetags.dates"],
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "django.template.context_processors.i18n",
                "accounts.context_processors.inbox",
                "league.context_processors.guest_games",
            ],
        },
    }
]
FORM_RENDERER = "django.forms.renderers.DjangoTemplates"

# -- sign-in: an e-mail address and a password; the address may be confirmed later, but before anything that others see
AUTH_USER_MODEL = "accounts.User"
AUTHENTICATION_BACKENDS = ["allauth.account.auth_backends.AuthenticationBackend"]
ACCOUNT_ADAPTER = "accounts.adapter.AccountAdapter"
ACCOUNT_FORMS = {"signup": "accounts.forms.signup.SignupForm"}
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "/"
ACCOUNT_USER_MODEL_USERNAME_FIELD = None
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*", "password2*"]
ACCOUNT_EMAIL_VERIFICATION = "optional"
ACCOUNT_EMAIL_NOTIFICATIONS = True
ACCOUNT_PREVENT_ENUMERATION = True
ACCOUNT_EMAIL_SUBJECT_PREFIX = "[Bella] "
ACCOUNT_DEFAULT_HTTP_PROTOCOL = "https" if IS_HTTPS else "http"
ACCOUNT_REAUTHENTICATION_REQUIRED = True
ACCOUNT_LOGOUT_ON_PASSWORD_CHANGE = True
ACCOUNT_SESSION_REMEMBER = True
ACCOUNT_MAX_EMAIL_ADDRESSES = 2  # the present one and the one that shall take its place
ACCOUNT_CHANGE_EMAIL = True
ACCOUNT_RATE_LIMITS = {
    "login": "30/m/ip",
    "login_failed": "10/m/ip,5/300s/key",
    "signup": "20/h/ip",
    "reset_password": "20/h/ip,5/h/key",
    "reset_password_from_key": "20/m/ip",
    "confirm_email": "1/3m/key",
    "change_password": "5/m/user",
    "manage_email": "10/m/user",
    "reauthenticate": "10/m/user",
}
MFA_ADAPTER = "accounts.adapter.MFAAdapter"
MFA_SUPPORTED_TYPES = ["totp", "recovery_codes"]
MFA_TOTP_ISSUER = "Bella"
MFA_RATE_LIMITS = {"verify": "5/m/key,30/m/ip"}

# -- API
#: Requests a time; `upload` and `start` are scopes that views name.
THROTTLE_RATES = {"anon": "120/min", "user": "600/min", "upload": "30/hour", "start": "60/hour"}
REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "accounts.api.authentication.ApiTokenAuthentication",
        "accounts.api.authentication.PageSession",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticatedOrReadOnly"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["accounts.api.parsers.SafeJSONParser"],
    "DEFAULT_SCHEMA_CLASS": "accounts.api.schema.ApiSchema",
    "EXCEPTION_HANDLER": "accounts.api.errors.refusal",
    "DEFAULT_THROTTLE_CLASSES": [
        "rest_framework.throttling.AnonRateThrottle",
        "rest_framework.throttling.UserRateThrottle",
        "rest_framework.throttling.ScopedRateThrottle",
    ],
    "DEFAULT_THROTTLE_RATES": THROTTLE_RATES,
    "NUM_PROXIES": env.whole("TRUSTED_PROXIES", 0),
    "TEST_REQUEST_DEFAULT_FORMAT": "json",
}
#: Knox has a table of its own for the tokens that we keep in accounts.ApiToken: it is not made.
MIGRATION_MODULES = {"knox": None}
KNOX_TOKEN_MODEL = "accounts.ApiToken"  # noqa: S105 - a model
REST_KNOX = {
    "TOKEN_PREFIX": "bella_",
    "AUTH_HEADER_PREFIX": "Bearer",
    "TOKEN_TTL": timedelta(days=365),
    "AUTO_REFRESH": False,
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Bella",
    "DESCRIPTION": _("Tournaments, leagues, bots, matches and ratings of Briscola."),
    "VERSION": "1",
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "SERVE_INCLUDE_SCHEMA": False,
    "SERVE_PUBLIC": True,
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "REDOC_DIST": "SIDECAR",
    "COMPONENT_SPLIT_REQUEST": True,
    "ENUM_ADD_EXPLICIT_BLANK_NULL_CHOICE": False,
    "ENUM_NAME_OVERRIDES": {
        "AudienceName": "league.models.Audience",
        "ControlName": "league.models.Tournament.Control",
        "DealEndName": "games.models.DealEnd",
        "EncounterScoringName": "league.models.EncounterScoring",
        "EntryStateName": "league.models.EntryState",
        "FormatName": "league.models.StageFormat",
        "JoiningName": "league.models.Joining",
        "LeagueStateName": "league.models.LeagueState",
        "MatchEndName": "games.models.MatchEnd",
        "MatchModeName": "games.models.MatchMode",
        "MatchStateName": "games.models.MatchState",
        "MembershipStateName": "league.models.MembershipState",
        "PairingStateName": "league.models.PairingState",
        "PlayerKindName": "games.models.PlayerKind",
        "RatedStateName": "league.models.RatedState",
        "RoleName": "league.models.Role",
        "RoundStateName": "league.models.RoundState",
        "TournamentStateName": "league.models.TournamentState",
        "VersionStateName": "bots.models.VersionState",
        "VisibilityName": "games.models.Visibility",
    },
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "accounts.api.schema.add_refusals",
    ],
}
