"""The pages to learn from: what stands on them, in both languages and every deck."""

import re

import pytest

from games import faces, glossary
from games.engine.presets import PRESETS
from games.learn import pages

pytestmark = pytest.mark.django_db

PAGES = ["", "first-game", "rules", "how-to-play", "scoring", "tips", "pairs", "presets", "glossary"]


def html(client, name, language="en", **query):
    address = f"/learn/{name}/" if name else "/learn/"
    answer = client.get(address, query, headers={"accept-language": language})
    assert answer.status_code == 200
    return answer.content.decode()


def test_the_index_leads_to_every_page_of_its_list(client):
    text = html(client, "")
    for page in pages.ALL:
        assert f'href="{page.url}"' in text
        assert client.get(page.url).status_code == 200
    assert [page.url for page in pages.ALL[:3]] == ["/learn/first-game/", "/learn/rules/", "/learn/how-to-play/"]


def test_a_page_that_the_site_has_not_is_left_out():
    gone = pages.Page("games:nowhere", pages.FIRST_GAME.title, pages.FIRST_GAME.text)
    assert pages.known((gone, pages.FIRST_GAME)) == [pages.FIRST_GAME]


@pytest.mark.parametrize("name", PAGES)
def test_the_menu_marks_learn_and_ids_are_unique(client, name):
    text = html(client, name)
    assert re.search(r'<a href="/learn/" aria-current="page">Learn</a>', text)
    ids = re.findall(r'\bid="([^"]+)"', text)
    assert len(ids) == len(set(ids))
    assert "style=" not in text
    assert "<script>" not in text


@pytest.mark.parametrize("name", PAGES[1:])
def test_a_page_leads_to_the_others_and_not_to_itself(client, name):
    more = html(client, name).partition('class="more')[2].partition("</nav>")[0]
    assert re.findall(r'href="([^"]+)"', more) == [page.url for page in pages.ALL if page.url != f"/learn/{name}/"]


@pytest.mark.parametrize("deck", faces.DECKS)
@pytest.mark.parametrize("name", ["first-game", "rules", "how-to-play", "scoring", "tips", "pairs"])
def test_pages_are_drawn_with_the_chosen_deck(client, name, deck):
    client.cookies["deck"] = deck
    pictures = set(re.findall(r'<img class="card" src="[^"]*/cards/(\w+)/', html(client, name)))
    assert pictures == {deck}


@pytest.mark.parametrize("name", ["rules", "how-to-play", "scoring", "tips", "pairs"])
def test_each_page_that_tells_a_rule_has_positions_with_a_hidden_answer(client, name):
    text = html(client, name)
    shown, answers = text.count('<figure class="position">'), text.count("<summary>Show the answer</summary>")
    assert shown == answers == {"rules": 3, "how-to-play": 1, "scoring": 2, "tips": 6, "pairs": 3}[name]
    assert "<details open" not in text


def test_a_word_opens_its_meaning_and_leads_to_its_anchor(client):
    text = html(client, "rules")
    word = next(word for word in glossary.words() if word.anchor == "trump")
    assert f'popovertarget="word-{word.anchor}">{word.term}</button>' in text
    assert re.search(rf'id="word-{word.anchor}" popover>.*?{re.escape(word.text)}', text, re.DOTALL)
    assert f'href="/learn/glossary/#{word.anchor}"' in text
    assert f'id="{word.anchor}"' in html(client, "glossary")


def test_scoring_adds_up_to_the_whole_deck(client):
    totals = [int(found) for found in re.findall(r'<td class="right num">(\d+)</td></tr>', html(client, "scoring"))]
    assert totals == [44, 40, 16, 12, 8]
    assert "<b>120</b>" in html(client, "scoring")


def test_the_clocks_are_those_of_the_site(client):
    text = html(client, "how-to-play")
    rows = re.findall(
        r'<th scope="row">(\w+)</th><td class="right num">(\d+) min</td><td class="right num">\+ (\d+) s', text
    )
    assert rows == [("Fast", "1", "3"), ("Normal", "3", "5"), ("Slow", "10", "10")]


def test_rules_of_a_table_are_told_in_words(client):
    plain = html(client, "rules")
    assert "The rules of this table" not in plain
    text = html(client, "rules", rules="n=4 redraw=A3 signals=signs")
    assert "The rules of this table" in text
    assert "4 seats, 2 sides." in text
    assert "An ace or a three turned up under the stock is put back" in text
    assert "From trick 2 on each may make one sign a trick" in text


@pytest.mark.parametrize("code", ["n=7", "x", "n=2 n=2", "<b>", "n=2 " * 200, "\u202e", "n=2 first_dealer=seat:9"])
def test_rules_that_are_none_are_refused_in_words_and_not_repeated(client, code):
    text = html(client, "rules", rules=code)
    assert "The address names rules that this site does not know." in text
    assert "<b>" not in text.partition('id="table"')[2].partition("</section>")[0]


def test_the_first_game_stands_there_without_a_script(client):
    text = html(client, "first-game")
    steps = text.partition('class="guided__list"')[2].partition("</ol>")[0]
    assert re.findall(r"<h2>([^<]+)</h2>", steps) == ["Strength", "Trump", "Loads", "The draw", "The last three"]
    assert text.count('<figure class="position">') == 5
    assert "You win your first deal, 67 to 53." in text
    assert 'href="/account/signup/"' in text.partition("data-end")[2]


def test_who_is_signed_in_is_not_asked_to_sign_up(client, django_user_model):
    person = django_user_model.objects.create_user(email="lara@example.org", password="una carta in più")
    client.force_login(person)
    assert "/account/signup/" not in html(client, "first-game").partition("data-end")[2]


def test_there_are_as_many_presets_as_the_index_says(client):
    assert len(PRESETS) == 7
    assert "Seven ways to play Briscola" in html(client, "")


@pytest.mark.parametrize("name", PAGES)
def test_pages_are_read_alone(client, name):
    assert client.post(f"/learn/{name}/" if name else "/learn/").status_code == 405
