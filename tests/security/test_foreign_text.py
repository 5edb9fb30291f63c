"""What a bot wrote, as its owner reads it: nothing in it acts on the page or on a terminal it is copied to."""

import pytest
from django.template import Context, Template

from accounts.templatetags.text import visible
from bots.selectors.versions import Check

NASTY = "<script>alert(1)</script>\x1b[2J\x07\u202eabc\u200b\u2028\r\n\tnext"
SHOWN = "&lt;script&gt;alert(1)&lt;/script&gt;\\x1b[2J\\x07\\u202eabc\\u200b\\u2028\n\tnext"


@pytest.mark.parametrize("text", ["perché → «sì» 🂡", "two\nlines\tand tab", ""])
def test_ordinary_text_stays(text):
    assert visible(text) == text


@pytest.mark.parametrize("character", ["\0", "\x1b", "\x7f", "\x9b", "\r", "\u202e", "\u2066", "\ufeff", "\ud800"])
def test_what_nobody_sees_is_written_as_an_escape(character):
    assert visible(f"a{character}b") == f"a{ascii(character)[1:-1]}b"


def test_a_check_shows_what_the_bot_wrote_and_does_not_run_it():
    check = Check(
        check="start", ok=False, is_remark=False, title="", message=NASTY, place=NASTY, what_to_do="", ms=0, log=NASTY,
        request=NASTY, answer=NASTY,
    )  # fmt: skip
    page = Template('{% include "bots/_checks.html" %}').render(Context({"checks": [check]}))
    assert page.count(SHOWN) == 5
    assert not {character for character in page if character in "\x1b\x07\u202e\u200b\u2028"}


def test_a_fault_of_a_match_is_shown_alike():
    names = ("request", "answer", "log", "detail", "exit")
    deal = {"number": 1, "fault_name": "x", "ending": "crash", "fault": dict.fromkeys(names, NASTY)}
    page = Template('{% include "league/_match_deals.html" %}').render(Context({"page": {"deals": [deal]}}))
    assert page.count(SHOWN) == 5
    assert not {character for character in page if character in "\x1b\x07\u202e\u200b\u2028"}
