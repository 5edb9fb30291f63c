"""Database connections that do not belong to Django's pool."""

from copy import deepcopy

from django.db import DEFAULT_DB_ALIAS, connections
from django.db.backends.base.base import BaseDatabaseWrapper


def outside_pool() -> BaseDatabaseWrapper:
    """A connection of its own to the default database, kept as long as its owner wants.

    For locks that last as long as a session, and for threads of processes that fork. One thread at a time may use it.
    """
    settings = deepcopy(connections.settings[DEFAULT_DB_ALIAS])
    settings["OPTIONS"].pop("pool", None)
    own: BaseDatabaseWrapper = type(connections[DEFAULT_DB_ALIAS])(settings, DEFAULT_DB_ALIAS)
    own.inc_thread_sharing()
    return own
