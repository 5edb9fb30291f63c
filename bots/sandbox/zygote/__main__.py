"""Entry of the zygote: `python -P -s -S -B <code>/bots/sandbox/zygote SOCKET SETTINGS`, PYTHONHASHSEED=0 alone."""

import os
import sys

if __name__ == "__main__":
    code = os.path.abspath(__file__)
    for _ in range(4):
        code = os.path.dirname(code)
    sys.path.insert(0, code)
    from bots.sandbox.zygote.main import main

    main(code, sys.argv[1:])
