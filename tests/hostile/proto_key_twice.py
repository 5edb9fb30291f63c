"""Names a key twice: two readers could read two cards."""
import json
import probe


def evil(m, answers, requests):
    answers.write(('{"n":%d,"card":"%s","card":"%s"}\n' % (m["n"], m["hand"][0], m["hand"][-1])).encode())


main = probe.raw(evil)
