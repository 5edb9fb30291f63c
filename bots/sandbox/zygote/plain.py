"""One bot without a zygote and without confinement: `python -P -s -S -B <code>/bots/sandbox/zygote/plain.py ORDER`.

ORDER is JSON: home, entry, seed, purpose, memory_bytes, cpu_s. For the author's own code on the author's own machine,
where no tier holds: nothing here needs Linux. What a bot finds is what it finds in the sandbox.
"""

import os
import sys


def main(code: str, text: str) -> None:
    """Become the bot; never returns."""
    import json
    import random
    from types import ModuleType

    import games.engine  # what bots import is in memory, as in the sandbox
    from bots.sandbox.zygote import harness, inspector

    order = json.loads(text)
    home = order["home"]
    os.chdir(home)
    os.environ.clear()
    limit(order["memory_bytes"], order["cpu_s"])
    random.seed(order["seed"])
    sys.path[:] = [home, *(path for path in sys.path if path not in (code, os.path.dirname(os.path.abspath(__file__))))]
    for name in [name for name in sys.modules if name == "bots" or name.startswith("bots.")]:
        del sys.modules[name]
    sys.modules["__main__"] = ModuleType("__main__")
    sys.argv[:] = ["bot.py"]
    serve = (harness if order["purpose"] == "play" else inspector).prepare(home, order["entry"])
    serve()
    assert games.engine
    os._exit(0)


def limit(memory_bytes: int, cpu_s: int) -> None:
    """Memory, CPU time and core files, as far as this system can limit them."""
    import resource

    for name, wanted in (("RLIMIT_AS", memory_bytes), ("RLIMIT_CPU", cpu_s), ("RLIMIT_CORE", 0)):
        try:
            hard = resource.getrlimit(getattr(resource, name))[1]
            value = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
            resource.setrlimit(getattr(resource, name), (value, value))
        except (AttributeError, OSError, ValueError):
            continue  # macOS knows no limit of the address space


if __name__ == "__main__":
    code = os.path.abspath(__file__)
    for _ in range(4):
        code = os.path.dirname(code)
    sys.path.insert(0, code)
    main(code, sys.argv[1])
