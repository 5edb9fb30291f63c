from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.engine import (
    Deal,
    DealText,
    EngineError,
    NotationError,
    Record,
    Rules,
    parse_cards,
    read_deal,
    read_deals,
    write_deal,
    write_deals,
)
from tests.engine.play import any_deal, case, new_deal, play_out

SIX = case("N05")["expected"]["text"]
OPEN = case("N01")["expected"]["text"]

values = st.text(st.characters(exclude_categories=["Cc", "Cs"]), max_size=200)
comments = st.text(st.characters(exclude_categories=["Cc", "Cs"], exclude_characters="{}"), max_size=500)


@given(any_deal())
def test_a_record_comes_back_from_its_text_and_the_text_from_the_record(deal: Deal) -> None:
    record = Record.of(deal)
    text = write_deal(record)
    read = read_deal(text)
    assert read == DealText(record)
    assert write_deal(read) == text


@given(
    any_deal(),
    st.dictionaries(st.from_regex(r"[A-Z][A-Za-z0-9_]{0,31}", fullmatch=True), values, max_size=4),
    st.data(),
)
def test_free_tags_and_comments_are_kept(deal: Deal, tags: dict[str, str], data: st.DataObject) -> None:
    known = ("Bella", "Rules", "Dealer", "Deck", "Upcard", "Turned", "Points", "Result")
    last = len(deal.tricks) + bool(deal.table)
    places = st.lists(st.integers(1, last), max_size=3) if last else st.just([])
    said = tuple((place, data.draw(comments)) for place in sorted(data.draw(places)))
    text = DealText(Record.of(deal), tuple((name, tags[name]) for name in tags if name not in known), said)
    assert read_deal(write_deal(text)) == text
    assert write_deal(read_deal(write_deal(text))) == write_deal(text)


@pytest.mark.parametrize(
    "value", ["", "\\", '"', '\\"', '"\\', "\\\\", 'a "b" \\ c', "[x]", "{y}", " z ", "\u00e8\u2028"]
)
def test_quotes_and_backslashes_in_a_tag_come_back(value: str) -> None:
    text = DealText(read_deal(OPEN).record, (("Event", value),), ((1, value if "{" not in value else ""),))
    assert read_deal(write_deal(text)) == text


def test_a_called_game_is_written_before_the_score() -> None:
    rng = Random(5)
    deal = new_deal(Rules(stop_at_61="claim"), rng)
    while deal.table or deal.points[deal.turn] <= 60:
        deal.play(rng.choice(deal.legal()))
    deal.claim(deal.turn)
    text = write_deal(Record.of(deal))
    assert text.endswith(f"\nclaim {deal.turn}\n{deal.points[0]}-{deal.points[1]}\n")
    assert read_deal(text).record == Record.of(deal)


def test_turned_upcards_have_a_tag_only_when_there_are_some() -> None:
    rules = Rules(redraw="A3")
    record = Record(rules, rules.cards, (), 0, parse_cards("ADAC"))
    assert '[Turned "ADAC"]\n' in write_deal(record)
    assert read_deal(write_deal(record)).record == record
    assert "Turned" not in OPEN


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace("\n", "\r\n"),
        lambda text: "\ufeff" + text,
        lambda text: text.rstrip("\n"),
        lambda text: text.replace(" ", "   "),
        lambda text: text.replace("\n\n", "\n\n\n\n"),
        lambda text: text[: text.index("1. 0")] + text[text.index("1. 0") :].lower(),
        lambda text: "\n".join(line.split(" >")[0] if "." in line else line for line in text.split("\n")),
        lambda text: "\n".join(line.split(" |")[0] for line in text.split("\n")),
        lambda text: "\n".join(line for line in text.split("\n") if not line.startswith(("[Up", "[Po", "[Re"))),
        lambda text: text.encode(),
    ],
)
def test_the_reader_takes_other_line_ends_spaces_cases_and_shorter_lines(change) -> None:
    for text in (SIX, OPEN):
        assert read_deal(change(text)).record == read_deal(text).record
        assert write_deal(read_deal(change(text))) == text


def line_of(text: str, part: str) -> int:
    return next(number for number, line in enumerate(text.split("\n"), start=1) if part in line)


@pytest.mark.parametrize(
    ("old", "new", "code", "where"),
    [
        ('[Bella "1"]', '[Bella "2"]', "notation.tag", None),
        ('[Bella "1"]\n', "", "notation.tag", "[Rules"),
        ('[Rules "n=6"]\n', "", "notation.tag", "[Bella"),
        ('[Rules "n=6"]', '[Rules "n=7"]', "notation.tag", None),
        ('[Rules "n=6"]', '[Rules "n=4"]', "notation.deck", "[Deck"),
        ('[Rules "n=6"]', "[Rules n=6]", "notation.syntax", None),
        ('[Rules "n=6"]', '[Rules "n=6"', "notation.syntax", None),
        ('[Rules "n=6"]', '[Rules "n=6\\x"]', "notation.syntax", None),
        ('[Rules "n=6"]', '[Rules "n="6"]', "notation.syntax", None),
        ('[Rules "n=6"]', '[Rules "n=6"]\n[Rules "n=6"]', "notation.tag", 3),
        ('[Rules "n=6"]', '[Rules "n=6"]\n[6x "a"]', "notation.tag", "[6x"),
        ('[Rules "n=6"]', '[Rules "n=6"]\n[X "' + "a" * 201 + '"]', "notation.tag", "[X"),
        ('[Rules "n=6"]', '[Rules "n=6"]\n[X "a\tb"]', "notation.tag", "[X"),
        ('[Dealer "5"]', '[Dealer "6"]', "notation.tag", None),
        ('[Dealer "5"]', '[Dealer "x"]', "notation.tag", None),
        ('[Deck "3B', '[Deck "3X', "notation.deck", None),
        ('[Deck "3B', '[Deck "FS', "notation.deck", None),
        ('[Upcard "7S"]', '[Upcard "7D"]', "notation.tag", None),
        ('[Upcard "7S"]', '[Upcard "7S"]\n[Turned "AD"]', "notation.tag", "[Turned"),
        ('[Points "56 12', '[Points "55 13', "notation.points", None),
        ('[Result "0"]', '[Result "1"]', "notation.result", None),
        ('[Result "0"]', '[Result "*"]', "notation.result", None),
        ("1. 0: 3B", "1. 1: 3B", "notation.winner", None),
        ("1. 0: 3B", "2. 0: 3B", "notation.syntax", None),
        ("1. 0: 3B", "1 0: 3B", "notation.syntax", None),
        ("1. 0: 3B", "1. 0 3B", "notation.syntax", None),
        ("1. 0: 3B", "1. 0: XB", "notation.syntax", None),
        ("1. 0: 3B", "1. 0: AD", "notation.play", None),
        ("1. 0: 3B FS 6D 7B 5S 4B", "1. 0: 3B FS 6D 7B 5S 4B 4B", "notation.syntax", None),
        ("1. 0: 3B FS 6D 7B 5S 4B", "1. 0: 3B FS 6D 7B 5S", "notation.syntax", None),
        ("> 1 +12 |", "> 0 +12 |", "notation.winner", None),
        ("> 1 +12 |", "> 1 +13 |", "notation.points", None),
        ("> 1 +12 |", "> 1 12 |", "notation.syntax", None),
        ("> 1 +12 |", "> 1 |", "notation.syntax", None),
        ("| FC AS", "| AS FC", "notation.draw", None),
        ("7S*", "7S", "notation.draw", "3. 0:"),
        ("> 2 +17", "> 2 +17 | 7S", "notation.draw", None),
        ("73-47", "72-48", "notation.result", None),
        ("73-47", "*", "notation.result", 15),
        ("73-47\n", "", "notation.syntax", "6. 0:"),
        ("73-47", "73-47\n73-47", "notation.syntax", "73-47"),
        ("73-47", "claim 0\n73-47", "notation.play", "claim"),
        ("73-47", "claim\n73-47", "notation.syntax", "claim"),
        ("73-47", "7. 5: AD\n73-47", "notation.play", "7. 5"),
        ("73-47", "{unclosed\n73-47", "notation.syntax", "{unclosed"),
        ("73-47", "{a{b}\n73-47", "notation.syntax", "{a{b}"),
        ("73-47", "{" + "a" * 501 + "}\n73-47", "notation.syntax", "{aaa"),
        ("1. 0: 3B", "{early}\n1. 0: 3B", "notation.syntax", "{early}"),
        ("1. 0: 3B", "\u0661. 0: 3B", "notation.syntax", None),
    ],
)
def test_what_does_not_agree_with_the_replay_is_refused_with_its_line(
    old: str, new: str, code: str, where: str | int | None
) -> None:
    assert old in SIX
    text = SIX.replace(old, new, 1)
    with pytest.raises(NotationError) as refused:
        read_deal(text)
    assert refused.value.code == code
    line = where if isinstance(where, int) else line_of(text, where or new.partition("\n")[0])
    assert refused.value.detail["line"] == line


def test_a_cut_text_is_refused_at_every_place_and_never_read_as_another_deal() -> None:
    whole = read_deal(SIX).record
    for end in range(len(SIX.rstrip("\n"))):
        try:
            found = read_deal(SIX[:end]).record
        except NotationError:
            continue
        assert found == whole


def test_a_file_holds_several_deals_with_a_blank_line_between_them() -> None:
    rng = Random(1)
    records = [Record.of(play_out(new_deal(Rules(n=n), rng), rng)) for n in (2, 3, 4)]
    text = write_deals(records)
    assert [entry.record for entry in read_deals(text)] == records
    assert text.count("\n\n") == 5
    assert read_deals(SIX + SIX)[1].record == read_deal(SIX).record
    with pytest.raises(NotationError) as refused:
        read_deal(text)
    assert refused.value.code == "notation.syntax"
    with pytest.raises(NotationError) as refused:
        read_deals(text.replace("n=3", "n=7"))
    assert refused.value.detail["line"] == line_of(text, "n=3")


@pytest.mark.parametrize("text", ["", "\n\n", "   ", "hello", b"\xff\xfe", None, 7, "[", "{", "\ud800", "*", "\x00"])
def test_text_without_a_deal_is_refused(text: str) -> None:
    for read in (read_deal, read_deals):
        with pytest.raises(NotationError) as refused:
            read(text)
        assert refused.value.code in ("notation.syntax", "notation.tag")


def test_a_text_of_a_deal_has_at_most_64_kib() -> None:
    room = SIX.replace("73-47", "{" + "a" * 400 + "}\n" + "73-47")
    assert read_deal(room).comments == ((6, "a" * 400),)
    full = SIX.replace("73-47", ("{" + "\u00e8" * 400 + "}\n") * 82 + "73-47")
    assert len(full) < 65_536 < len(full.encode())
    with pytest.raises(NotationError) as refused:
        read_deal(full)
    assert refused.value.code == "notation.too_long"
    assert len(read_deals(SIX * 200)) == 200


@pytest.mark.parametrize(
    "text",
    [
        DealText(read_deal(SIX).record, (("Deck", "x"),)),
        DealText(read_deal(SIX).record, (("Site", "a"), ("Site", "b"))),
        DealText(read_deal(SIX).record, (("Si te", "a"),)),
        DealText(read_deal(SIX).record, (("S\u00e8", "a"),)),
        DealText(read_deal(SIX).record, (("Site", "a\nb"),)),
        DealText(read_deal(SIX).record, (("Site", "a" * 201),)),
        DealText(read_deal(SIX).record, (), ((0, "a"),)),
        DealText(read_deal(SIX).record, (), ((7, "a"),)),
        DealText(read_deal(SIX).record, (), ((1, "a}"),)),
        DealText(read_deal(SIX).record, (), ((1, "a\nb"),)),
    ],
)
def test_what_could_not_be_read_back_is_not_written(text: DealText) -> None:
    with pytest.raises(NotationError):
        write_deal(text)


def test_an_illegal_record_is_not_written() -> None:
    record = read_deal(SIX).record
    with pytest.raises(EngineError) as refused:
        write_deal(Record(record.rules, record.deck, record.plays[1:], record.dealer))
    assert refused.value.code == "play.not_in_hand"


@pytest.mark.parametrize(
    ("old", "new", "code", "line", "column"),
    [
        ('[Dealer "5"]', '[Dealer "9"]', "notation.tag", 3, 10),
        ('[Dealer "5"]', "  [Dealer 5]", "notation.syntax", 3, 3),
        ('[Dealer "5"]', '[De-aler "5"]', "notation.tag", 3, 2),
        ('[Deck "3B', '[Deck "XX', "notation.deck", 4, 8),
        ('[Points "56', '[Points "57', "notation.points", 6, 10),
        ("1. 0: 3B FS 6D", "1. 0: 3B FS 9D", "notation.syntax", 9, 13),
        ("1. 0: 3B FS 6D", "1. 0: 3B FS FS", "notation.play", 9, 13),
        ("1. 0: 3B", "1. 4: 3B", "notation.winner", 9, 4),
        ("1. 0: 3B", "7. 0: 3B", "notation.syntax", 9, 1),
        ("> 1 +12", "> 2 +12", "notation.winner", 9, 27),
        ("> 1 +12", "> 1 +13", "notation.points", 9, 29),
        ("> 1 +12", "> 1", "notation.syntax", 9, 25),
        ("| FC AS", "| FC AB", "notation.draw", 9, 38),
        ("5B 7D RD\n", "5B 7D RD AD\n", "notation.draw", 9, 53),
        ("73-47", "  73-48", "notation.result", 15, 3),
    ],
)
def test_an_error_names_its_line_and_column(old: str, new: str, code: str, line: int, column: int) -> None:
    text = case("N05")["expected"]["text"]
    assert old in text
    with pytest.raises(NotationError) as refused:
        read_deal(text.replace(old, new, 1))
    assert (refused.value.code, refused.value.detail["line"], refused.value.detail["column"]) == (code, line, column)


def test_a_byte_that_is_no_utf_8_is_found() -> None:
    with pytest.raises(NotationError) as refused:
        read_deal(b'[Bella "1"]\n[Rules "\xff"]\n')
    assert (refused.value.detail["line"], refused.value.detail["column"]) == (2, 9)
