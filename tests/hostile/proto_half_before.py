"""Writes the first half of an answer before it is asked."""
import json
import probe


def main(requests, answers):
    for line in requests:
        m = json.loads(line)
        if m["type"] == "start":
            answers.write(probe.honest(m))
            answers.write(b'{"n":')
        elif "n" in m:
            answers.write(b'%d,"card":"%s"}\n' % (m["n"], m["hand"][0].encode()))
