"""Whether a role of this machine is well:  python -m config.health web | worker | registrar | beat | arena

Exit status 0 = well.  For docker-compose.yml and other supervisors.
"""

import os
import sys
import urllib.request
from urllib.parse import urlsplit

from config import env

#: Seconds without a heartbeat after which a role counts as dead.
LIMIT = 30


def _web() -> bool:
    """The page that touches database and Valkey, asked from inside under the site's public name."""
    url = f"http://127.0.0.1:{env.whole('PORT', 8000)}/healthz"
    host = urlsplit(env.optional("BASE_URL", url)).netloc
    request = urllib.request.Request(url, headers={"Host": host, "X-Forwarded-Proto": "https"})
    with urllib.request.urlopen(request, timeout=5) as answer:  # noqa: S310 - always http
        return bool(answer.status == 200)


def _arena() -> bool:
    """The arena has no database: its broker must answer."""
    import redis

    with redis.Redis.from_url(env.required("ARENA_VALKEY_URL"), socket_timeout=5) as client:
        return bool(client.ping())


def _heart(role: str) -> bool:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    import django

    django.setup()
    from config import heartbeats

    age = heartbeats.age(role)
    return age is not None and age < LIMIT


def main(arguments: list[str]) -> int:
    """Ask for one role."""
    match arguments:
        case ["web"]:
            well = _web()
        case ["arena"]:
            well = _arena()
        case [("worker" | "registrar" | "beat") as role]:
            well = _heart(role)
        case _:
            print(__doc__, file=sys.stderr)
            return 2
    return 0 if well else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
