"""The command line of config.devservices."""

import sys

import config.devservices
from config.devservices import ServiceError, run, wipe


def main(arguments: list[str]) -> int:
    """Run one of the commands; 2 for a wrong call, 1 for a service that cannot start, else the command's status."""
    try:
        match arguments:
            case ["wipe"]:
                wipe()
                return 0
            case ["wipe", ("demo" | "test" | "reliability") as purpose]:
                wipe(purpose)
                return 0
            case [("demo" | "test" | "reliability") as purpose, "--", *command] if command:
                return run(purpose, command)
    except ServiceError as error:
        print(error, file=sys.stderr)
        return 1
    print(config.devservices.__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
