"""The card table: whole deals by keyboard and touch, what it says, what it refuses, who is away; in both languages."""

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from games.engine import Rules
from tests.frontend import table_pages
from tests.frontend.conftest import Open, evaluate
from tests.frontend.table_game import TableGame

pytestmark = pytest.mark.django_db(transaction=True)

PATH = "/matches/TABLE1/table/"
REFUSED = r"status of (409|422)|ERR_"
NewGame = Callable[..., TableGame]


@pytest.fixture
def new_game() -> Iterator[NewGame]:
    """A match at the browser's turn after so many plays: `new_game(14, rules="n=4 signals=auto", mode="practice")`."""
    made: list[TableGame] = []

    def make(plays: int = 0, *, rules: str = "n=2", to_turn: bool = True, **options: Any) -> TableGame:
        game = TableGame(rules=Rules.parse(rules), **options)
        game.advance(plays)
        while to_turn and game.deal and not game.deal.over and game.deal.turn != game.you:
            game.advance(len(game.deal.plays) + 1)
        table_pages.GAMES[game.code] = game
        made.append(game)
        return game

    yield make
    for game in made:
        game.is_closed = True


def opened(open_page: Open, *, pause: str = "tap", **options: Any) -> Page:
    """The page, once it listens; a finished trick stays until a tap, so that no test must hurry to see it."""
    page = open_page(PATH, **options)
    expect(page.locator(".play")).to_have_class(re.compile("is-live"))
    evaluate(page, f"document.querySelector('[name=pause][value={pause}]').click() ?? 1")
    return page


def said(page: Page, text: str | re.Pattern[str]) -> None:
    expect(page.locator("#live")).to_have_text(text)


def hand(page: Page) -> list[str]:
    return page.locator("ul.hand button").evaluate_all("(cards) => cards.map((card) => card.dataset.card)")


def card(page: Page, place: int = 0) -> Any:
    return page.locator("ul.hand button").nth(place)


HEARD = {
    "en": re.compile(r"^((You play|VelaBot plays) [^.]+\. )+(You take|VelaBot takes), plus \d+\.$"),
    "it": re.compile(r"^((Giochi|VelaBot gioca) [^.]+\. )+(Prendi tu|Prende VelaBot), più \d+\.$"),
}
NEXT = {
    "en": re.compile(
        r"^(You draw [^.]+\. )?(Stock finished: last three cards\. )?(VelaBot plays [^.]+\. )?Your turn\.$"
    ),
    "it": re.compile(r"^(Peschi [^.]+\. )?(Mazzo finito: ultime tre carte\. )?(VelaBot gioca [^.]+\. )?Tocca a te\.$"),
}
OVER = {
    "en": re.compile(r"You (win|lose) the deal, \d+ to \d+\. Match: [01] to [01]\.$"),
    "it": re.compile(r"Smazzata (vinta|persa), \d+ a \d+\. Partita: [01] a [01]\.$"),
}
READY = {"en": "Ready", "it": "Pronto"}


@pytest.mark.parametrize("language", ["it", "en"])
def test_a_whole_deal_by_keyboard_alone_and_every_card_is_said(
    open_page: Open, new_game: NewGame, language: str
) -> None:
    game = new_game()
    page = opened(open_page, language=language)
    card(page).focus()
    for trick in range(1, 21):
        expect(page.locator(".seat--bottom.seat--turn")).to_be_visible()
        page.keyboard.press(str(1 + int(card(page).get_attribute("data-place") or 0)))
        said(page, HEARD[language])
        expect(page.locator(".slot--win")).to_have_count(1)
        page.keyboard.press("Space")
        if trick < 20:
            said(page, NEXT[language])
            expect(card(page, -1)).to_be_visible()
            assert evaluate(page, "document.activeElement.matches('ul.hand button')") is True
    said(page, OVER[language])
    deal = game.finished[0]
    assert (sum(deal["points"]), len(game.received)) == (120, 20)
    for side in (0, 1):
        expect(page.locator(f"[data-points='{side}']")).to_have_text(str(deal["points"][side]))
    expect(page.locator("[data-tricks] li")).to_have_count(20)
    expect(page.get_by_role("button", name=READY[language])).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("[data-result]")).to_be_hidden()
    expect(page.locator("ul.hand button")).to_have_count(3)
    assert evaluate(page, "document.activeElement.matches('ul.hand button')") is True


def test_a_whole_match_ends_with_result_and_ratings(open_page: Open, new_game: NewGame) -> None:
    game = new_game()
    page = opened(open_page)
    while not game.result:
        game.advance(38)
        game.send("state", **game.state())
        game.advance(40, quietly=False)
        expect(page.locator(".slot--win")).to_have_count(1)
        page.keyboard.press("Space")
        expect(page.locator("#result-title")).to_be_visible()
        if not game.result:
            page.get_by_role("button", name="Ready").click()
            expect(page.locator("[data-result]")).to_be_hidden()
    expect(page.locator("#result-title")).to_have_text(re.compile("You (win|lose) the match"))
    expect(page.locator(".result__ratings")).to_contain_text("Luna M.: 1587 → 1601 (+14)")
    expect(page.get_by_role("link", name="Watch again")).to_have_attribute("href", "/matches/TABLE1/replay/")
    expect(page.get_by_role("button", name="Rematch")).to_be_visible()


def test_a_tap_plays_and_a_double_tap_plays_one_card(open_page: Open, new_game: NewGame) -> None:
    game = new_game(14)
    page = opened(open_page, size="phone")
    held = hand(page)
    card(page).dblclick()
    expect(page.locator(".slot--bottom .card")).to_have_attribute("data-card", held[0])
    page.locator("[data-board]").click(position={"x": 180, "y": 20})
    expect(page.locator(".seat--bottom.seat--turn")).to_be_visible()
    assert [body["card"] for body in game.received] == [held[0]]
    assert hand(page)[1:] == held[1:]


def test_where_the_screen_is_small_the_first_tap_only_raises(open_page: Open, new_game: NewGame) -> None:
    game = new_game(14)
    page = opened(open_page, size="narrow")
    card(page, 1).tap()
    said(page, re.compile(r"^.+\. Tap again to play\.$"))
    expect(card(page, 1)).to_have_attribute("aria-pressed", "true")
    page.locator("[data-stock]").tap()
    said(page, "Card put down.")
    card(page, 1).tap()
    card(page, 0).tap()
    expect(card(page, 0)).to_have_attribute("aria-pressed", "true")
    assert game.received == []
    held = hand(page)
    card(page, 0).tap()
    said(page, re.compile("^You play"))
    assert [body["card"] for body in game.received] == [held[0]]


REFUSALS = {
    ("not_your_turn", "it"): "Giocata non accettata: non è il tuo turno.",
    ("not_your_turn", "en"): "Play refused: it is not your turn.",
    ("card_not_in_hand", "en"): "Play refused: the card is not in your hand.",
}


@pytest.mark.parametrize(("code", "language"), REFUSALS)
def test_a_refused_card_comes_back(open_page: Open, new_game: NewGame, code: str, language: str) -> None:
    game = new_game(14)
    page = opened(open_page, language=language, expects=REFUSED)
    held = hand(page)
    game.refuse_next = code
    page.keyboard.press("2")
    said(page, REFUSALS[code, language])
    expect(page.locator("ul.hand button")).to_have_count(3)
    assert sorted(hand(page)) == sorted(held)
    expect(card(page)).to_have_attribute("aria-disabled", "false")
    expect(page.locator(".slot--bottom .card")).to_have_count(0)


def test_an_answer_that_never_comes_is_asked_for_again_with_the_same_body(open_page: Open, new_game: NewGame) -> None:
    game = new_game(14)
    page = opened(open_page, expects=REFUSED)
    bodies: list[str] = []

    def lose(route: Route) -> None:
        bodies.append(route.request.post_data or "")
        if len(bodies) == 1:
            route.abort()
        elif len(bodies) == 2:
            route.fetch()  # it arrives, but its answer is lost
            route.abort()
        else:
            route.continue_()

    page.route("**/plays", lose)
    card(page).click()
    expect(page.locator("[data-bar-text]")).to_have_text("Trying again…")
    expect(card(page)).to_have_attribute("aria-disabled", "true")
    said(page, re.compile("^You play"))
    expect(page.locator("[data-bar]")).to_be_hidden(timeout=8000)
    assert len(bodies) == 3
    assert len(set(bodies)) == 1
    assert game.deal is not None
    assert len(game.received) == 2
    assert len({tuple(body.items()) for body in game.received}) == 1


def test_a_lost_connection_is_told_and_nothing_is_lost(open_page: Open, new_game: NewGame) -> None:
    game = new_game(14, is_slow=True)
    page = opened(open_page, expects=REFUSED)
    page.context.set_offline(True)
    said(page, "Connection lost.")
    expect(page.locator("[data-bar-text]")).to_have_text("Connection lost. Trying again…")
    card(page).click()
    page.context.set_offline(False)
    expect(page.locator("[data-bar]")).to_be_hidden(timeout=8000)
    expect(page.locator("#live")).not_to_have_text("Connection lost.")
    assert len(game.received) == 1


def test_decks_change_in_the_middle_of_a_trick_and_the_focus_stays(open_page: Open, new_game: NewGame) -> None:
    new_game(14)
    page = opened(open_page)
    evaluate(page, "(window.isSamePage = true)")
    card(page, 1).focus()
    held = hand(page)
    names = page.locator("#table-settings [name='deck'] + span").all_text_contents()
    for deck, name in [("bresciane", names[1]), ("francesi", names[2]), ("napoletane", names[0])]:
        page.keyboard.press("d")
        said(page, f"Deck: {name}")
        assert f"/{deck}/" in (page.locator("ul.hand img").first.get_attribute("src") or "")
        assert f"/{deck}/" in (page.locator(".slot .card").first.get_attribute("src") or "")
        assert hand(page) == held
        assert evaluate(page, "document.activeElement.dataset.place") == "1"
    assert evaluate(page, "window.isSamePage") is True


@pytest.mark.parametrize(("language", "lines"), [
    ("en", {"p": "You 6, VelaBot 46. 20 cards in the stock.", "b": "Trump: coins. Upcard: Seven of coins.",
            "t": "VelaBot: Knight of swords, 3 points.", "o": re.compile(r"^You \d:\d\d\. VelaBot \d:\d\d\.$"),
            "m": "Sounds off"}),
    ("it", {"p": "Tu 6, VelaBot 46. 20 carte nel mazzo.", "b": "Briscola: denari. Scoperta: Sette di denari.",
            "t": "VelaBot: Cavallo di spade, 3 punti.", "o": re.compile(r"^Tu \d:\d\d\. VelaBot \d:\d\d\.$"),
            "m": "Suoni spenti"}),
])  # fmt: skip
def test_keys_say_how_the_table_stands(open_page: Open, new_game: NewGame, language: str, lines: Any) -> None:
    new_game(14, clock=[298_000, 283_400])
    page = opened(open_page, language=language)
    for key, line in lines.items():
        page.keyboard.press(key)
        said(page, line)


def test_the_last_trick_is_shown_and_keys_rest_under_a_dialog(open_page: Open, new_game: NewGame) -> None:
    game = new_game(14)
    page = opened(open_page)
    page.keyboard.press("l")
    dialog = page.get_by_role("dialog", name="Last trick")
    expect(dialog).to_be_visible()
    expect(dialog).to_contain_text("VelaBot takes · +10")
    assert dialog.locator("img").count() == 2
    page.keyboard.press("1")
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keyboard shortcuts")).to_be_visible()
    assert game.received == []


def test_keys_can_be_switched_off_and_preferences_outlive_the_page(open_page: Open, new_game: NewGame) -> None:
    game = new_game(14)
    page = opened(open_page)
    page.get_by_role("button", name="Settings").click()
    dialog = page.get_by_role("dialog", name="Settings of the table")
    dialog.get_by_label("Keyboard shortcuts").uncheck()
    dialog.get_by_label("Burgundy").check(force=True)
    dialog.get_by_label("Until a tap").check(force=True)
    dialog.get_by_label("Left-handed").check()
    assert page.locator("html").get_attribute("data-felt") == "burgundy"
    dialog.get_by_role("button", name="Close").click()
    page.reload()
    expect(page.locator(".play")).to_have_class(re.compile("play--left"))
    assert page.locator("html").get_attribute("data-felt") == "burgundy"
    page.keyboard.press("1")
    card(page).click()
    expect(page.locator(".slot--win")).to_have_count(1)
    # Longer than the longest pause with a clock: only a tap ends this one.
    page.wait_for_timeout(1600)
    expect(page.locator(".slot--win")).to_have_count(1)
    page.locator("[data-stock]").click()
    expect(page.locator(".slot--win")).to_have_count(0)
    assert len(game.received) == 1


def test_the_turn_is_told_by_title_icon_ring_and_words(open_page: Open, new_game: NewGame) -> None:
    game = new_game(14, is_slow=True)
    page = opened(open_page, language="it")
    expect(page).to_have_title("● Tocca a te · Bella")
    assert "bella-turn" in (page.locator("link[rel='icon']").get_attribute("href") or "")
    card(page).click()
    expect(page.locator(".slot--win")).to_have_count(1)
    page.keyboard.press("Space")
    expect(page).to_have_title("Tocca a VelaBot · Bella")
    assert "bella-turn" not in (page.locator("link[rel='icon']").get_attribute("href") or "")
    expect(page.locator(".seat--top.seat--turn")).to_be_visible()
    expect(card(page)).to_have_attribute("aria-disabled", "true")
    game.answer()
    said(page, re.compile(r"^VelaBot gioca .*\. Tocca a te\.$"))


def test_who_is_away_is_told_with_the_time_until_the_deal_may_be_claimed(open_page: Open, new_game: NewGame) -> None:
    game = new_game(14, is_slow=True)
    page = opened(open_page)
    card(page).click()
    expect(page.locator(".slot--win")).to_have_count(1)
    page.keyboard.press("Space")
    expect(page.locator(".seat--top.seat--turn")).to_be_visible()
    state = game.state()
    game.extra = {"seats": [seat | {"kind": "human"} for seat in state["seats"]]}
    game.send("state", **game.state())
    game.send("presence", counts=False, seat=1, present=False, left_ms=58_000)
    said(page, "VelaBot is not connected")
    expect(page.locator("[data-bar-text]")).to_have_text(re.compile(r"^VelaBot is not connected: 0:5\d$"))
    expect(page.get_by_role("button", name="Claim the deal")).to_be_hidden()
    game.send("presence", counts=False, seat=1, present=False, left_ms=0)
    page.get_by_role("button", name="Claim the deal").click()
    game.send("presence", counts=False, seat=1, present=True, left_ms=None)
    said(page, "VelaBot is back.")
    expect(page.locator("[data-bar]")).to_be_hidden()
    assert game.received[-1] == {"deal": 1, "ply": state["ply"]}


def test_little_time_is_red_and_said_at_once(open_page: Open, new_game: NewGame) -> None:
    new_game(14, clock=[20_400, 283_000])
    page = opened(open_page, language="it")
    expect(page.locator("#alert")).to_have_text("Restano 20 secondi")
    expect(page.locator(".seat--bottom .clock")).to_have_class(re.compile("clock--low"))
    expect(page.locator(".seat--bottom .clock")).to_have_text(re.compile(r"^0:1\d$"))


def test_the_newest_tab_plays_and_the_other_one_is_veiled(open_page: Open, new_game: NewGame) -> None:
    game = new_game(14)
    first = opened(open_page)
    second = first.context.new_page()
    second.goto(first.url)
    expect(first.get_by_role("button", name="Play here")).to_be_visible()
    first.keyboard.press("1")
    expect(second.locator("[data-veil]")).to_be_hidden()
    first.get_by_role("button", name="Play here").click()
    expect(second.get_by_role("button", name="Play here")).to_be_visible()
    assert game.received == []
    first.keyboard.press("1")
    expect(second.locator(".slot--bottom .card")).to_have_count(1)
    assert len(game.received) == 1


def test_practice_shows_the_hands_and_gives_hints(open_page: Open, new_game: NewGame) -> None:
    game = new_game(14, mode="practice")
    page = opened(open_page)
    page.get_by_role("button", name="Hint").click()
    said(page, re.compile(r"^Hint: .+\. It takes points\.$"))
    expect(page.locator("ul.hand .is-hinted")).to_have_count(1)
    assert page.locator(".seat--top img[data-card='']").count() > 1
    page.keyboard.press("h")
    expect(page.locator(".seat--top .backs--open img")).to_have_count(2)
    assert game.deal is not None
    label = page.locator(".seat--top [role='img']").first.get_attribute("aria-label") or ""
    assert " of " in label
    assert opened(open_page).get_by_role("button", name="Undo").is_visible()


def test_outside_practice_there_is_no_help(open_page: Open, new_game: NewGame) -> None:
    new_game(14, mode="rated")
    page = opened(open_page)
    for name in ("Undo", "Hint", "Show the hands"):
        assert page.get_by_role("button", name=name).count() == 0
    page.keyboard.press("u")
    page.keyboard.press("h")
    assert page.locator(".backs--open").count() == 0


def test_giving_up_asks_first(open_page: Open, new_game: NewGame) -> None:
    game = new_game(14)
    page = opened(open_page)
    page.get_by_role("button", name="Resign", exact=True).click()
    page.get_by_role("button", name="Play on").click()
    assert game.received == []
    page.get_by_role("button", name="Resign", exact=True).click()
    with page.expect_response("**/resign"):
        page.get_by_role("button", name="Resign the deal").click()
    assert game.received == [{"deal": 1, "scope": "deal"}]


def test_four_seats_play_with_signals(open_page: Open, new_game: NewGame) -> None:
    game = new_game(12, rules="n=4 signals=auto")
    page = opened(open_page, language="it")
    said_by = page.locator(".seat--top .signals")
    expect(said_by).to_contain_text(re.compile("Il compagno ha"))
    assert page.locator(".seat .signals:visible").count() == 1
    assert page.locator("[data-points]").count() == 2
    card(page).click()
    expect(page.locator(".slot .card")).to_have_count(4)
    expect(page.locator(".slot--win")).to_have_count(1)
    page.keyboard.press("Space")
    expect(page.locator(".slot--win")).to_have_count(0)
    assert len(game.received) == 1


def test_a_spectator_sees_the_table_and_no_hand(open_page: Open, new_game: NewGame) -> None:
    new_game(13, you=None, to_turn=False)
    page = opened(open_page)
    assert page.locator("ul.hand").count() == 0
    assert page.locator(".backs img:not([data-card=''])").count() == 0
    page.keyboard.press("p")
    said(page, re.compile(r"^Luna M\. \d+, VelaBot \d+\. \d+ cards in the stock\.$"))


def test_a_reload_in_mid_trick_shows_the_same_table(open_page: Open, new_game: NewGame) -> None:
    new_game(14)
    page = opened(open_page)
    look = "[...document.querySelectorAll('[data-board] img')].map((one) => one.dataset.card)"
    before = evaluate(page, look)
    page.reload()
    expect(page.locator(".play")).to_have_class(re.compile("is-live"))
    assert evaluate(page, look) == before
