"""Does a tier hold here? Found by running: a bot that must fail to read, reach, fork and write, and must answer."""

import json

from bots.sandbox.launcher import BotProcess, Limits

SOURCE = b'''
"""Tries what a confined bot must not be able to do, and answers with what it could."""
import json, os, socket

def read_passwd():
    with open("/etc/passwd", "rb") as file:
        return file.read(1)

def open_socket():
    return socket.socket(socket.AF_INET, socket.SOCK_STREAM)

def fork():
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    return pid

def write_here():
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "written"), "wb") as file:
        return file

def write_outside():
    with open("/tmp/bella-probe", "wb") as file:
        os.unlink(file.name)
        return file

def main(requests, answers):
    could = []
    for attempt in (read_passwd, open_socket, fork, write_here, write_outside):
        try:
            attempt()
        except Exception:
            continue
        could.append(attempt.__name__)
    number = json.loads(requests.readline())["n"]
    answers.write(json.dumps({"n": number, "could": could}).encode() + b"\\n")
'''


def failure(bot: BotProcess, limits: Limits) -> str | None:
    """Why the tier of this process (a bot of `SOURCE`) does not hold, or None."""
    reply = bot.ask(b'{"n":1}\n', clock=limits.start_clock())
    if reply.fault is not None:
        said = bot.tail().decode("utf-8", "replace").strip().splitlines()
        return f"the probe ended with {reply.fault.kind} {said[-1] if said else reply.fault.detail}"
    try:
        could = json.loads(reply.line or b"")["could"]
    except (ValueError, KeyError, TypeError):
        return "the probe gave no answer that can be read"
    return f"the probe could {', '.join(could).replace('_', ' ')}" if could else None
