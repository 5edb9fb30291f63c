"""One JSON object a line on standard error, from structlog and from everybody else alike; never a hidden card."""

import structlog
from structlog.typing import Processor

from config import env
from config.redaction import redact

LOG_LEVEL = env.optional("LOG_LEVEL", "INFO").upper()

#: Not structlog's `dict_tracebacks`: that one shows the local variables, and in them the deck.
_tracebacks = structlog.processors.ExceptionRenderer(structlog.tracebacks.ExceptionDictTransformer(show_locals=False))
_shared: list[Processor] = [
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_logger_name,
    structlog.stdlib.add_log_level,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
    structlog.stdlib.PositionalArgumentsFormatter(),
]

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "json": {
            "()": structlog.stdlib.ProcessorFormatter,
            "foreign_pre_chain": [*_shared, structlog.stdlib.ExtraAdder()],
            "processors": [
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                _tracebacks,
                redact,
                structlog.processors.JSONRenderer(ensure_ascii=False),
            ],
        }
    },
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "json"}},
    "root": {"handlers": ["stderr"], "level": LOG_LEVEL},
    "loggers": {
        # Django's own handlers would print or mail every line a second time.
        "django": {"handlers": [], "level": LOG_LEVEL, "propagate": True},
        "django.server": {"handlers": [], "level": "WARNING", "propagate": True},
        "celery.app.trace": {"level": "WARNING"},  # one line a task is too much at one task a second
        "django_structlog.middlewares.request": {"level": "WARNING"},
    },
}

structlog.configure(
    processors=[
        structlog.stdlib.filter_by_level,
        *_shared,
        structlog.processors.StackInfoRenderer(),
        structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
    ],
    logger_factory=structlog.stdlib.LoggerFactory(),
    wrapper_class=structlog.stdlib.BoundLogger,
    cache_logger_on_first_use=True,
)
DJANGO_STRUCTLOG_CELERY_ENABLED = True
DJANGO_STRUCTLOG_IP_LOGGING_ENABLED = False
