"""Logs of matches: who reads them and when, what stands in them, how long they are kept."""

import json
from dataclasses import replace
from datetime import timedelta

import pytest
from django.utils import timezone

from bots.arena.reports import LogPart
from bots.models import BotMate, DealLog
from bots.selectors import logs as selectors
from bots.services import logs
from games.models import Match
from tests.accounts.factories import make_user
from tests.bots.honest_worker import send
from tests.bots.runs_fixtures import queued, worker_of
from tests.factories import bot_match_spec, make_bot_match, make_version

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_valkey")]


@pytest.fixture
def pair():
    return make_version("VelaBot"), make_version("Maestrale")


def logged(report, seat: int = 0):
    """A true report with times that tell the plays apart, a note at the first play and logs of one seat."""
    plays = len(report.think_cpu_us)
    parts = (LogPart(ply=None, text="hello\n"), LogPart(ply=0, text="zero \x1b[31m<b>\n"), LogPart(ply=1, text="one\n"))
    return replace(
        report,
        think_cpu_us=tuple(1_000 + 100 * ply for ply in range(plays)),
        think_wall_us=tuple(2_000 + 100 * ply for ply in range(plays)),
        notes=("tengo il tre", *(None,) * (plays - 1)) if plays else (),
        logs=tuple(parts if index == seat else () for index in (0, 1)),
    )


def played(versions, *, fault_after: int | None = None, rules: str = "n=2 format=deals:1", **fields) -> Match:
    match, worker = queued(make_bot_match(versions, rules=rules, **fields))
    send(worker.started())
    while not worker.is_over:
        assert send(logged(worker.deal(fault_after=fault_after))).is_accepted
    send(worker.end())
    worker.finish()
    match.refresh_from_db()
    return match


def test_the_owner_reads_each_question_with_its_price_note_and_log(client, pair):
    match = played(pair)
    deal = match.deals.get()
    client.force_login(pair[0].bot.owner)
    page = client.get(f"/matches/{match.code}/logs/").context["page"]
    (log,) = page.seats
    assert (page.number, log.before, log.bank_left_ms, log.fault) == (1, "hello\n", 3_000, None)
    assert len(log.questions) == 20
    first_of_seat_0 = deal.dealer == 1  # the eldest hand leads
    ply = 0 if first_of_seat_0 else 1
    question = log.questions[0]
    assert (question.ply, question.trick, question.cpu_us, question.wall_us) == (
        ply,
        1,
        1_000 + 100 * ply,
        2_000 + 100 * ply,
    )
    assert question.card == deal.plays[2 * ply : 2 * ply + 2]
    assert question.card in question.hand
    assert len(question.hand) == 3
    assert question.lying == (() if ply == 0 else (deal.plays[:2],))
    assert (question.note, question.text) == (("tengo il tre", "zero \x1b[31m<b>\n") if ply == 0 else ("", "one\n"))


def test_what_a_bot_wrote_is_shown_as_text(client, pair):
    match = played(pair)
    client.force_login(pair[0].bot.owner)
    html = client.get(f"/matches/{match.code}/logs/").content.decode()
    assert "<b>\n" not in html
    if match.deals.get().dealer == 1:
        assert "zero \\x1b[31m&lt;b&gt;" in html


def test_who_may_read_a_log(client, pair):
    match = played(pair)
    one, other = pair
    mate, asked = make_user(), make_user()
    BotMate.objects.create(bot=one.bot, user=mate, accepted_at=timezone.now())
    BotMate.objects.create(bot=one.bot, user=asked)
    for user, status, seats in (
        (None, 403, ()),
        (make_user(), 403, ()),
        (asked, 403, ()),
        (one.bot.owner, 200, (0,)),
        (other.bot.owner, 200, (1,)),
        (mate, 200, (0,)),
        (make_user(is_staff=True), 200, (0, 1)),
    ):
        client.logout()
        if user:
            client.force_login(user)
        answer = client.get(f"/matches/{match.code}/logs/")
        assert answer.status_code == status, user
        assert client.get(f"/matches/{match.code}/logs.jsonl").status_code == status, user
        if status == 200:
            assert tuple(log.seat.index for log in answer.context["page"].seats) == seats
    client.force_login(one.bot.owner)
    assert client.get("/matches/NOSUCH/logs/").status_code == 404


def test_a_private_match_is_unknown_to_others(client, pair):
    match = played(pair, visibility="private")
    client.force_login(make_user())
    assert client.get(f"/matches/{match.code}/logs/").status_code == 404
    client.force_login(pair[0].bot.owner)
    assert client.get(f"/matches/{match.code}/logs/").status_code == 200


def test_nothing_is_shown_before_the_set_is_over(client, pair):
    from bots.services import dispatch
    from bots.services import matches as bot_matches
    from games.services.matches import mirrored

    spec = bot_match_spec(*pair, rules="n=2 format=deals:1")
    one, two = mirrored(spec.match)
    first, second = bot_matches.create_many(
        specs=[replace(spec, match=one), replace(spec, match=two, versions=spec.versions[::-1])]
    )
    dispatch.fill()
    client.force_login(pair[0].bot.owner)
    for match, is_open in ((first, False), (second, True)):
        answer = client.get(f"/matches/{first.code}/logs/")
        assert (answer.status_code, answer.context["is_open"], answer.context["page"]) == (200, False, None)
        worker = worker_of(match)
        send(worker.started())
        send(logged(worker.deal()))
        send(worker.end())
        answer = client.get(f"/matches/{first.code}/logs/")
        assert answer.context["is_open"] is is_open
        assert client.get(f"/matches/{first.code}/logs.jsonl").status_code == (200 if is_open else 404)


def test_a_fault_is_shown_with_its_question_at_the_failing_card(client, pair):
    match = played(pair, fault_after=6, rules="n=2 format=deals:1")
    deal = match.deals.get()
    loser = deal.fault_seat
    client.force_login(pair[loser].bot.owner)
    answer = client.get(f"/matches/{match.code}/logs/?d=1&c=6")
    (log,) = answer.context["page"].seats
    last = log.questions[-1]
    assert (last.ply, last.card, last.cpu_us) == (6, None, None)
    html = answer.content.decode()
    assert '"type":"play"'.replace('"', "&quot;") in html
    assert f'id="c{loser}-6" class="log__here"' in html
    assert f"/matches/{match.code}/replay/?d=1&amp;c=6" in html
    assert "bella ask bot.py" in html
    client.force_login(pair[1 - loser].bot.owner)
    other = client.get(f"/matches/{match.code}/logs/?d=1").context["page"].seats[0]
    assert (other.fault, len(other.questions)) == (None, 3)


def test_faults_since_the_last_upload_are_listed_for_who_runs_the_bot(client, pair):
    match = played(pair, fault_after=-1)
    bot = pair[0].bot
    address = f"/my/bots/{bot.player.slug}/faults/"
    client.force_login(bot.owner)
    answer = client.get(address)
    assert [fault.match for fault in answer.context["faults"]] == [match]
    assert f"/matches/{match.code}/logs/?d=1" in answer.content.decode()
    assert client.get(f"{address}?v=all").context["version"] is None
    assert len(client.get(f"{address}?v=all").context["faults"]) == 1
    client.force_login(pair[1].bot.owner)
    assert client.get(address).status_code == 404
    client.logout()
    assert client.get(address).status_code == 404


def test_a_log_is_removed_after_ninety_days_and_its_page_says_so(client, pair):
    match, kept = played(pair), played(pair)
    DealLog.objects.filter(deal__match=match).update(created_at=timezone.now() - timedelta(days=90, seconds=1))
    match.deals.update(finished_at=timezone.now() - timedelta(days=91))
    assert logs.sweep() == 1
    assert logs.sweep() == 0
    assert DealLog.objects.get().deal.match == kept
    client.force_login(pair[0].bot.owner)
    page = client.get(f"/matches/{match.code}/logs/").context["page"]
    assert page.expired_at == match.deals.get().finished_at + timedelta(days=90)
    assert len(page.seats[0].questions) == 20
    assert page.seats[0].questions[0].cpu_us is None
    assert (
        b"The log expired on" in client.get(f"/matches/{match.code}/logs/", headers={"accept-language": "en"}).content
    )


def test_the_download_is_what_went_over_the_pipe(client, pair):
    match = played(pair, rules="n=2 format=deals:2")
    client.force_login(pair[0].bot.owner)
    answer = client.get(f"/matches/{match.code}/logs.jsonl")
    lines = [json.loads(line) for line in answer.content.decode().splitlines()]
    kinds = [line["message"].get("type") or ("ready" if "ready" in line["message"] else "card") for line in lines]
    deal = ["play", "card"] * 20 + ["deal_over"]
    assert kinds == ["start", "ready", *deal, *deal, "end"]
    numbers = [line["message"]["n"] for line in lines if line.get("to") and "n" in line["message"]]
    assert numbers == list(range(1, 42))
    plays = [line for line in lines if line["message"].get("type") == "play"]
    for asked, answered in zip(plays, [line for line in lines if "card" in line["message"]], strict=True):
        assert answered["message"]["card"] in asked["message"]["hand"]
        assert (answered["deal"], answered["ply"]) == (asked["deal"], asked["ply"])
        assert answered["cpu_us"] == 1_000 + 100 * asked["ply"]
    assert lines[-2]["message"]["points"] == match.deals.get(number=2).points


def test_the_download_of_a_deal_that_ended_by_a_fault(client, pair):
    match = played(pair, fault_after=6, rules="n=2 format=deals:2")
    for seat, version in enumerate(pair):
        client.force_login(version.bot.owner)
        lines = [json.loads(line) for line in client.get(f"/matches/{match.code}/logs.jsonl").content.splitlines()]
        faults = [line for line in lines if line.get("fault")]
        assert len(faults) == match.deals.filter(fault_seat=seat).count()
        starts = [line for line in lines if line.get("message", {}).get("type") == "start"]
        assert len(starts) == match.deals.count()  # every deal after a fault has a fresh process


def test_think_times_are_those_of_the_versions_own_moves(pair):
    played(pair)
    one, other = (selectors.think_times(version) for version in pair)
    assert (one.moves, one.deals, other.moves) == (20, 1, 20)
    assert max(one.max_us, other.max_us) == 1_000 + 100 * 39
    assert one.p50_us < one.p95_us <= one.max_us
    assert selectors.think_times(make_version()) is None
