"""Answers 2.0 as the number: in Python it equals 2."""
import json
import probe


def evil(m, answers, requests):
    answers.write(json.dumps({"n": float(m["n"]), "card": m["hand"][0]}).encode() + b"\n")


main = probe.raw(evil)
