"""The guide for authors: it leaves nothing out, its figures are those of the arena, everybody may read it."""

import dataclasses
import json
import re
from html import unescape
from pathlib import Path

import pytest
from django.template.loader import render_to_string
from django.utils import translation
from hypothesis import given, settings
from hypothesis import strategies as st

from bots import house, protocol
from bots.arena import FAULT_KINDS, JobLimits
from bots.house import HOUSE
from bots.learn import fields, figures, files, highlight, position
from bots.learn.mistakes import MISTAKES
from bots.protocol import View, parse_answer
from bots.services.house import create_house_bots
from bots.views.learn import CONTENTS
from games.engine import Observation
from league.rating import inputs

LIVE = position.example()


def page(client, path="/learn/bots/", language="en"):
    client.cookies["lang"] = language
    return client.get(path)


# -- nothing is left out


def test_every_field_and_method_of_the_view_is_explained() -> None:
    explained = [one.name for group in fields.VIEW for one in group.fields]
    methods = {
        f"{name}()"
        for name, value in vars(Observation).items()
        if not name.startswith("_") and callable(value) and name not in {"to_dict", "from_dict"}
    }
    assert methods == {"unseen()", "opponent_hand()"}
    assert set(explained) == {field.name for field in dataclasses.fields(View)} | methods
    assert len(explained) == len(set(explained))


@pytest.mark.parametrize(("explained", "kind"), [(fields.MATCH, protocol.Match), (fields.RESULT, protocol.Result)])
def test_every_field_of_the_other_messages_is_explained(explained, kind) -> None:
    assert [one.name for one in explained] == [field.name for field in dataclasses.fields(kind)]


def test_every_kind_of_fault_and_every_house_bot_has_its_sentence() -> None:
    assert tuple(figures.FAULTS) == FAULT_KINDS
    assert list(figures.HOUSE_TEXTS) == list(HOUSE)
    assert [one.shown for one in figures.house()] == list(HOUSE.values())


def test_the_number_of_provisional_matches_is_that_of_the_ratings() -> None:
    assert figures.PROVISIONAL == inputs.ESTABLISHED_GAMES


# -- the live position


def test_the_position_is_one_of_a_real_deal_and_shows_something() -> None:
    middle, end = LIVE.middle, LIVE.end
    assert middle.turn == end.turn == position.SEAT == middle.seat
    assert middle.legal == middle.hand
    assert len(middle.hand) == 3
    assert len(middle.table) == 1
    assert middle.tricks
    assert middle.stock
    assert middle.upcard_in_stock
    assert middle.opponent_hand() is None
    assert end.tricks[: len(middle.tricks)] == middle.tricks
    assert (end.stock, len(end.opponent_hand()), list(end.known)) == (0, 3, [1])
    assert sum(LIVE.result.points) == 120
    assert LIVE.card in middle.legal


def test_values_are_those_of_the_view() -> None:
    rows = {row.name: row for _title, group in fields.view_rows() for row in group}
    assert rows["hand"].middle == (("view.hand", repr(LIVE.middle.hand)),)
    assert rows["known"].end == (("view.known", repr(LIVE.end.known)),)
    assert rows["opponent_hand()"].middle == (("view.opponent_hand()", "None"),)
    assert rows["unseen()"].middle[0] == ("len(view.unseen())", str(len(LIVE.middle.unseen())))
    assert all(row.middle for row in rows.values())


def test_the_messages_are_the_protocols() -> None:
    play = json.loads(LIVE.play)
    assert View.of(play) == LIVE.middle
    assert protocol.play_message(LIVE.middle, n=play["n"], match=play["match"], bank_cpu_ms=position.BANK_MS) == play
    assert parse_answer(LIVE.answer.encode(), n=play["n"], wanted="card").card == LIVE.card
    assert parse_answer(LIVE.ready.encode(), n=1, wanted="ready").card is None
    assert protocol.Match.of(json.loads(LIVE.start)) == LIVE.match
    assert protocol.Result.of(json.loads(LIVE.deal_over)) == LIVE.result
    assert json.loads(LIVE.finish) == protocol.end_message(position.MATCH)


def test_messages_hold_every_key_that_the_schema_asks_for() -> None:
    wanted = protocol.schema()["$defs"]
    for kind, line in (("start", LIVE.start), ("play", LIVE.play), ("deal_over", LIVE.deal_over), ("end", LIVE.finish)):
        assert set(wanted[kind]["required"]) <= set(json.loads(line))


# -- the page


@pytest.mark.django_db
@pytest.mark.parametrize("language", ["en", "it"])
def test_the_page_shows_all_of_it_in_both_languages(client, language) -> None:
    response = page(client, language=language)
    assert response.status_code == 200
    text = response.content.decode()
    shown = unescape(re.sub(r"<[^>]+>", "", text))
    for name in [*(f"{name}.py" for name in files.BOTS), "bot.toml", "install.sh", "play.sh", "check.sh", "ask.sh"]:
        assert files.snippet(name).text.strip() in shown, name
    for mistake in MISTAKES:
        assert mistake.wrong.text.strip() in shown
        assert mistake.right.text.strip() in shown
    for kind in FAULT_KINDS:
        assert f'id="fault-{kind}"' in text
    for anchor, heading in CONTENTS:
        assert f'<a href="#{anchor}">' in text
        with translation.override(language):
            assert f'id="{anchor}">{heading}</h2>' in text
    assert position.spaced(LIVE.play) in shown
    assert 'href="/my/bots/"' in text
    ids = re.findall(r'\bid="([^"]+)"', text)
    assert len(ids) == len(set(ids))


@pytest.mark.django_db
def test_the_figures_of_the_page_are_the_arenas(client) -> None:
    limits = dict(page(client).context["limits"])
    of = JobLimits()
    assert (
        limits["Loading and start"]
        == f"{of.start_cpu_ms // 1000} s of processor time, {of.start_wall_ms // 1000} s on the wall"
    )
    assert limits["A move, free"] == f"{of.move_cpu_ms} ms of processor time"
    assert limits["Memory"] == f"{of.memory_mb} MiB"
    clock = figures.clock_example()
    assert (clock["move"], clock["taken"], clock["left"], clock["times"]) == ("400 ms", "300 ms", "2700 ms", 10)


@pytest.mark.django_db
def test_the_page_asks_the_database_once(client, django_assert_num_queries) -> None:
    page(client)
    with django_assert_num_queries(1):
        page(client)


@pytest.mark.django_db
def test_the_schema_and_the_bots_can_be_downloaded(client) -> None:
    answer = client.get("/learn/bots/protocol.schema.json")
    assert json.loads(answer.content) == protocol.schema()
    assert answer["Content-Disposition"] == 'attachment; filename="protocol.schema.json"'
    for name in [*HOUSE, *files.BOTS]:
        answer = client.get(f"/learn/bots/{name}.py")
        assert answer.content == files.source(name)
        assert answer["Content-Disposition"] == f'attachment; filename="{name}.py"'
    for path in ("/learn/bots/first_legal.py", "/learn/bots/no_card_wrong.py", "/learn/bots/my_bot/", "/learn/bots/x/"):
        assert client.get(path).status_code == 404, path


# -- sources of the house


@pytest.mark.django_db
@pytest.mark.parametrize("name", HOUSE)
def test_everybody_reads_the_source_of_a_house_bot_line_by_line(client, name) -> None:
    text = page(client, f"/learn/bots/{name}/").content.decode()
    lines = house.source(name).decode().splitlines()
    found = re.findall(r'<span class="source__line" id="L(\d+)"><a [^>]*></a>(.*)\n</span>', text)
    assert [int(number) for number, _line in found] == list(range(1, len(lines) + 1))
    assert [unescape(re.sub(r"<[^>]+>", "", line)) for _number, line in found] == lines
    assert f'href="/learn/bots/{name}.py"' in text


@pytest.mark.django_db
@pytest.mark.usefixtures("clean_valkey")
def test_a_house_bots_page_and_its_source_lead_to_each_other(client) -> None:
    versions = {version.bot.player.name: version.bot for version in create_house_bots()}
    bot = versions["Ingordo"]
    public = page(client, bot.get_absolute_url()).content.decode()
    assert 'href="/learn/bots/greedy/"' in public
    assert f'href="{bot.get_absolute_url()}"' in page(client, "/learn/bots/greedy/").content.decode()
    assert f'href="{bot.get_absolute_url()}"' in page(client).content.decode()


def test_files_of_anybody_are_shown_as_text_with_an_anchor_a_line() -> None:
    shown = render_to_string("bots/_source.html", {"files": [("bot.py", ["x = '<b>'"]), ("lib/<i>.py", ["", "a & b"])]})
    assert re.findall(r'class="source__line" id="([^"]+)"', shown) == ["L1", "f2-L1", "f2-L2"]
    assert "x = &#x27;&lt;b&gt;&#x27;\n" in shown
    assert "lib/&lt;i&gt;.py" in shown
    assert "a &amp; b" in shown
    assert not re.search("<b>|<i>", shown)


# -- colours


def test_colours_change_no_character() -> None:
    for path in [*Path(house.__file__).parent.glob("*.py"), *files.CODE.rglob("*.py"), Path(__file__)]:
        text = path.read_text()
        shown = [unescape(re.sub(r"<[^>]+>", "", line)) for line in highlight.python(text)]
        assert shown == text.splitlines(), path


@pytest.mark.parametrize(
    ("line", "marked"),
    [
        ("x = 'a<b'", 'x = <span class="tok-s">&#x27;a&lt;b&#x27;</span>'),
        (
            "def f():  # <i>",
            '<span class="tok-k">def</span> <span class="tok-d">f</span>():  <span class="tok-c"># &lt;i&gt;</span>',
        ),
        ("a < 1", 'a &lt; <span class="tok-n">1</span>'),
        ("broken = (<", "broken = (&lt;"),
    ],
)
def test_python_is_coloured_and_escaped(line, marked) -> None:
    assert highlight.python(line) == (marked,)


def test_a_text_over_several_lines_is_coloured_in_each() -> None:
    assert highlight.python('"""one\n\ntwo"""') == (
        '<span class="tok-s">&quot;&quot;&quot;one</span>',
        "",
        '<span class="tok-s">two&quot;&quot;&quot;</span>',
    )


def bare(line: str) -> str:
    return unescape(re.sub(r'<span class="tok-[a-z]">|</span>', "", line))


@settings(max_examples=300, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            [
                "def ",
                "x",
                " ",
                "\n",
                "\r",
                "\r\n",
                "\x0c",
                "\u2028",
                "\x85",
                '"',
                "'",
                '"""',
                "f'",
                "{",
                "}",
                "(",
                "\\",
                "#",
                "\t",
                "1",
                "0x",
                "<b>",
                "&",
                "</span>",
                "è",
                "\N{PLAYING CARD ACE OF SPADES}",
                "\ufeff",
                "\0",
            ]
        )
        | st.text(max_size=3),
        max_size=30,
    ).map("".join)
)
def test_the_code_of_anybody_is_shown_as_it_is(text) -> None:
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    if not lines[-1]:
        lines.pop()
    for shown in (highlight.python(text), highlight.plain(text)):
        assert [bare(line) for line in shown] == lines
        assert not re.search(r'<(?!span class="tok-[a-z]">|/span>)', "".join(shown))


def test_a_very_long_file_stays_without_colours() -> None:
    text = "x = 1\n" * (highlight.MOST // 6)
    assert "tok-n" in highlight.python(text)[0]
    assert highlight.python(text + text) == highlight.plain(text + text)


def test_json_is_coloured_and_escaped() -> None:
    assert highlight.json_line('{"a": "<b>", "c": [1, true]}') == (
        '{<span class="tok-d">&quot;a&quot;</span>: <span class="tok-s">&quot;&lt;b&gt;&quot;</span>, '
        '<span class="tok-d">&quot;c&quot;</span>: [<span class="tok-n">1</span>, <span class="tok-k">true</span>]}'
    )
