"""Call a function of the tests inside a Django process:  python -m tests.reliability.call MODULE:FUNCTION '{"name": 1}'

Its answer is printed as JSON. The test run itself sits on another database.
"""

import json
import os
import sys
from importlib import import_module


def main(target: str, arguments: str) -> None:
    """Set Django up, call, print."""
    os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
    import django

    django.setup()
    module, _, name = target.partition(":")
    sys.stdout.write(json.dumps(getattr(import_module(module), name)(**json.loads(arguments))))


if __name__ == "__main__":
    main(*sys.argv[1:])
