"""Writes terminal commands, a NUL and half a character into its note."""
import json


def main(requests, answers):
    for line in requests:
        m = json.loads(line)
        if m["type"] == "start":
            answers.write(json.dumps({"n": m["n"], "ready": True}).encode() + b"\n")
        elif "n" in m:
            note = "\x1b[2J\x00\ud800<script>"
            answers.write(json.dumps({"n": m["n"], "card": m["hand"][0], "note": note}).encode() + b"\n")
            print("HOSTILE contained: said", flush=True)
