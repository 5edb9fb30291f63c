"""Pictures of matches: what they show, when, and that a stranger's name breaks none."""

import struct
import xml.etree.ElementTree as ET

import pytest
from django.core.cache import cache

from games import pictures
from games.pictures import Picture, Side
from games.selectors.pictures import picture_of
from games.views import pictures as views
from tests.factories import make_version
from tests.league.played import faulty_match, played_match

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clean_valkey")]


@pytest.fixture
def match():
    return played_match(make_version("VelaBot"), make_version("Maestrale"))


def size_of(png: bytes) -> tuple[int, int]:
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    return struct.unpack(">II", png[16:24])


def test_the_picture_of_a_match_has_its_score_and_its_deals(client, match):
    picture = picture_of(match)
    assert [side.name for side in picture.sides] == ["VelaBot", "Maestrale"]
    assert [side.number for side in picture.sides] == [str(won) for won in match.score]
    assert [side.is_winner for side in picture.sides] == [match.winner_side == 0, match.winner_side == 1]
    assert picture.deals == tuple(tuple(deal.points) for deal in match.deals.order_by("number"))
    answer = client.get(f"/matches/{match.code}/og.png")
    assert (answer.status_code, answer["Content-Type"]) == (200, "image/png")
    assert size_of(answer.content) == (1200, 630)
    assert len(answer.content) <= 300_000


def test_the_picture_of_a_deal_has_its_points_trick_by_trick(client, match):
    picture = picture_of(match, 1)
    deal = match.deals.get(number=1)
    assert [len(line) for line in picture.lines] == [21, 21]
    assert [line[-1] for line in picture.lines] == deal.points
    assert [side.number for side in picture.sides] == [str(points) for points in deal.points]
    assert (
        client.get(f"/matches/{match.code}/og.png?d=1").content != client.get(f"/matches/{match.code}/og.png").content
    )
    assert client.get(f"/matches/{match.code}/og.png?d=99").status_code == 302


def test_a_deal_that_ended_by_a_fault_has_a_picture_too(client):
    match = faulty_match(make_version(), make_version())
    assert picture_of(match, match.deals.get(fault_seat__isnull=False).number).lines


def test_there_is_none_before_the_end_and_none_of_what_is_not_public(client, match):
    for field, value in (("visibility", "unlisted"), ("visibility", "private")):
        before = getattr(match, field)
        setattr(match, field, value)
        assert picture_of(match) is None
        setattr(match, field, before)
    match.state = "playing"
    assert picture_of(match) is None


def test_one_is_drawn_a_second_and_kept(client, match, monkeypatch):
    other = played_match(make_version(), make_version())
    monkeypatch.setattr(views, "A_SECOND", 1)
    cache.set("og:drawn", 0, 60)  # a long second
    assert client.get(f"/matches/{match.code}/og.png").status_code == 200
    refused = client.get(f"/matches/{other.code}/og.png")
    assert (refused.status_code, refused.url) == (302, refused.url)
    assert refused.url.endswith(".png")
    assert client.get(f"/matches/{match.code}/og.png").status_code == 200


@pytest.mark.parametrize("name", ["<script>&\"'", "a\u202eb", "x" * 60, "Žaneta Ωμέγα Ёлка", "🃏🂡", "]]>"])
def test_any_name_can_be_drawn(name):
    side = Side(name=name, number="2", is_winner=True)
    picture = Picture(title="K7Q2", foot="Bella", sides=(side, side), deals=((60, 60),))
    texts = [one.text for one in ET.fromstring(pictures.svg(picture)).iter("{http://www.w3.org/2000/svg}text")]
    assert all(len(text) <= pictures.LONGEST + 1 for text in texts)
    assert size_of(pictures.png(picture)) == (1200, 630)


def test_pages_name_the_picture(client, match):
    html = client.get(match.get_absolute_url()).content.decode()
    assert f'content="http://testserver/matches/{match.code}/og.png"' in html
    html = client.get(f"/matches/{match.code}/replay/?d=2").content.decode()
    assert f'content="http://testserver/matches/{match.code}/og.png?d=2"' in html
