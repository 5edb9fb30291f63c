"""The broker.  How workers behave stands in config.celery_options, the schedule in config.celery."""

from config import env
from config.settings.base import VALKEY_URL

CELERY_BROKER_URL = env.celery_broker(VALKEY_URL)
