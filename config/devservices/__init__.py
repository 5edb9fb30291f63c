"""PostgreSQL and Valkey for a machine that has neither: both come as wheels, and run as long as a command runs.

    python -m config.devservices demo -- COMMAND ...         one instance, keeps its data
    python -m config.devservices test -- COMMAND ...         an instance beside it, fast, data thrown away
    python -m config.devservices reliability -- COMMAND ...  as test, but loses nothing when a server is killed
    python -m config.devservices wipe [demo]                 delete what they left on this machine

COMMAND runs with DATABASE_URL, VALKEY_URL, ARENA_VALKEY_URL and SECRET_KEY set.  What the environment already names is
left alone, so the same command serves a laptop and a server (but `reliability` always starts its own).  However COMMAND
ends, the servers stop after it, and its exit status is ours.
"""

from config.devservices.places import ServiceError
from config.devservices.together import Services, run, services, wipe

__all__ = ["ServiceError", "Services", "run", "services", "wipe"]
