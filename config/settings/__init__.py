"""The site's settings, by subject.  What differs between machines comes from the environment: docs/operators.md."""

from config.settings.apps import *
from config.settings.arena import *
from config.settings.base import *
from config.settings.celery import *
from config.settings.live import *
from config.settings.logging import *
from config.settings.security import *
