"""Long lists: queries and time of ranking and history with 1,000 bots, at 1,000 and at 100,000 matches.

    python -m config.devservices test -- python -m benchmarks.pages [--matches 100000]

A database of its own is filled by SQL with finished tournaments of 500 matches each, first with 1,000 matches, then
with the rest. Times are those of the fastest request (other work of the machine only adds) of somebody who is not
signed in, through every middleware, in this process; both sizes in the same run. Exit status 1 when a page takes more
than 6 queries, or at the larger size more than twice the time of the smaller one.
"""

import argparse
import os
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import django
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

BOTS = 1_000
SMALL = 1_000
A_ROUND = 500
MOST_QUERIES, MOST_RATIO = 6, 2.0
#: Asked at both sizes; the first two must hold the figures, the others show what filters and later pages cost.
PAGES = (
    "/rankings/",
    "/matches/",
    "/matches/?player=bot-7",
    "/matches/?league=bench",
    "/matches/?result=fault",
    "/bots/",
)
HELD = 2

PEOPLE = """
INSERT INTO accounts_user (id, password, is_superuser, email, name, is_staff, is_active, date_joined, language, theme,
                           deck, time_zone)
SELECT n, '!', false, 'u' || n || '@example.org', 'Author ' || n, false, true, now(), '', 'auto', 'napoletane',
       'Europe/Rome' FROM generate_series(1, {bots}) n;
INSERT INTO games_player (id, kind, name, slug, user_id, created_at)
SELECT n, 'human', 'Author ' || n, 'author-' || n, n, now() FROM generate_series(1, {bots}) n;
INSERT INTO games_player (id, kind, name, slug, created_at)
SELECT {bots} + n, 'bot', 'Bot ' || n, 'bot-' || n, now() FROM generate_series(1, {bots}) n;
INSERT INTO bots_bot (id, player_id, owner_id, language, is_house, about, created_at)
SELECT n, {bots} + n, n, 'python', false, '', now() FROM generate_series(1, {bots}) n;
INSERT INTO bots_botversion (id, bot_id, number, sha256, archive, filename, entry, size, notes, state, report,
                             activates, created_at)
SELECT n, n, 1, md5(n::text) || md5((-n)::text), 'bots/' || n, 'bot.py', 'bot.py', 1, '', 'qualified', '[]', true,
       now()
FROM generate_series(1, {bots}) n;
UPDATE bots_bot SET active_version_id = id;
INSERT INTO league_league (id, name, slug, about, state, audience, joining, visibility, rules, bots_per_owner,
                           created_at)
VALUES (1, 'Bench', 'bench', '', 'open', 'bots', 'open', 'public', 'n=2', 2, now());
INSERT INTO league_membership (league_id, player_id, role, state, reason, since)
SELECT 1, {bots} + n, 'member', 'active', '', now() FROM generate_series(1, {bots}) n;
INSERT INTO league_ratingpool (id, code, population, format, params, algo_version, current_revision, next_period,
                               next_seq, last_hash)
VALUES (1, 'bot-1v1', 'bot', '1v1', '{{}}', 'bella-elo-1', 1, 1, 1, repeat('0', 64));
INSERT INTO league_ratingcurrent (pool_id, subject, version_id, rating_m, n, last_seq, last_day)
SELECT 1, 'v:' || n, n, 1500000 + (n * 7919 % 200000) - 100000, CASE WHEN n % 10 = 0 THEN 5 ELSE 200 END, 0,
       current_date
FROM generate_series(1, {bots}) n;
"""

#: Tournament t holds matches a..b: one round; it was played (last - t) hours ago, so both sides of 30 days are there.
TOURNAMENT = """
INSERT INTO league_tournament (id, league_id, code, name, about, state, rules, rated, control, release_every_s,
                               min_entries, seed, seed_commitment, deal_seed, deal_seed_commitment, created_at, reason)
VALUES ({t}, 1, 'T{t:06}', 'Cup {t}', '', 'finished', 'n=2', true, 'automatic', 0, 2, '', '', '', '', now(), '');
INSERT INTO league_stage (id, tournament_id, "order", format, params, best_of, encounter, mirrored, encounter_scoring,
                          state)
VALUES ({t}, {t}, 1, 'round_robin', '{{}}', 3, 1, false, 'outcome', 'finished');
INSERT INTO league_round (id, stage_id, number, state, input_hash) VALUES ({t}, {t}, 1, 'finished', '');
INSERT INTO league_ratingperiod (id, pool_id, seq, kind, ref, state, day, opened_at, closed_at)
VALUES ({t}, 1, {t}, 'round', '{t}', 'closed', current_date - {age_h} / 24, now(), now());
INSERT INTO games_match (id, code, rules, mode, visibility, state, clock, shuffle, commitment, seed, salt, first_dealer,
    mirror_index, rerun, live_seq, finish_seq, "group", on_hold, score, winner_side, outcome, termination, void_reason,
    created_at, started_at, finished_at)
SELECT n, lpad(upper(to_hex(n)), 8, '0'), 'n=2 tie_dealer=next', 'league', 'public', 'finished', 'none', 'bella-1',
    repeat('0', 64), '', '', 0, 0, 0, 0, n, 't:{t}', false, '{{2,1}}', n % 2, 'won', 'normal', '', now(), now(),
    now() - {age_h} * interval '1 hour' + n * interval '1 microsecond'
FROM generate_series({a}, {b}) n;
INSERT INTO games_seat (id, match_id, index, side, player_id, shown)
SELECT 2 * n + side, n, side, side, {bots} + 1 + ((2 * n + side) * ({t} * 2 + 1) % {bots}),
       '{{"version": "v1", "rating": 1500, "provisional": false}}'
FROM generate_series({a}, {b}) n, generate_series(0, 1) side;
INSERT INTO bots_botseat (seat_id, version_id)
SELECT id, player_id - {bots} FROM games_seat WHERE match_id BETWEEN {a} AND {b};
INSERT INTO league_pairing (id, stage_id, round_id, board, state, reason, manual)
SELECT n, {t}, {t}, n - {a}, 'final', '{{}}', false FROM generate_series({a}, {b}) n;
INSERT INTO league_pairingmatch (pairing_id, match_id, number, replaced)
SELECT n, n, 1, false FROM generate_series({a}, {b}) n;
INSERT INTO league_ratedmatch (match_id, pool_id, period_id, state, reason)
SELECT n, 1, {t}, 'rated', '' FROM generate_series({a}, {b}) n;
INSERT INTO games_deal (match_id, number, dealer, deck, turned, plays, think_ms, ready, points, unplayed, winner_side,
                        termination, signs, finished_at)
SELECT n, number, number % 2, repeat('AD', 40), '', repeat('AD', 40), '{{}}', '{{}}', '{{70,50}}', 0, 0, 'normal', '[]',
       now()
FROM generate_series({a}, {b}) n, generate_series(1, 3) number;
INSERT INTO league_ratingevent (pool_id, revision, seq, period_id, kind, match, subject, opp, score, before, n, k, e,
                                delta, floor, after, reason, v, prev_hash, hash, created_at)
SELECT 1, 1, 2 * match_id + index - 1, {t}, 'match', lpad(upper(to_hex(match_id)), 8, '0'), 'v:' || player_id - {bots},
       '', 0, 1500000, 20, 8, 500000, 4000, 0, 1504000, 'rated', 1, repeat('0', 64), repeat('0', 64), now()
FROM games_seat WHERE match_id BETWEEN {a} AND {b};
INSERT INTO bots_fault (match_id, number, seat, version_id, kind, detail, request, answer, exit, stderr_tail,
                        created_at)
SELECT n, 1, 0, 1 + n % {bots}, 'crash', '', '', '', '', '', now() FROM generate_series({a}, {b}) n WHERE n % 97 = 0;
"""


@contextmanager
def scratch() -> Iterator[None]:
    """A migrated database that is dropped afterwards."""
    old = str(connection.settings_dict["NAME"])
    connection.settings_dict.setdefault("TEST", {})["NAME"] = f"bench_pages_{os.getpid()}"
    connection.creation.create_test_db(verbosity=0, autoclobber=True, serialize=False)
    try:
        yield
    finally:
        connection.creation.destroy_test_db(old, verbosity=0)


def fill(first: int, last: int, total: int) -> None:
    """Add matches `first`..`last`, a tournament for each 500."""
    with connection.cursor() as cursor:
        for start in range(first, last + 1, A_ROUND):
            t = start // A_ROUND + 1
            end = min(start + A_ROUND - 1, last)
            age_h = (total // A_ROUND - t) * 12 + 1
            cursor.execute(TOURNAMENT.format(t=t, a=start, b=end, age_h=age_h, bots=BOTS).replace("%", "%%"), [])
        cursor.execute("UPDATE league_ratingpool SET next_seq = %s", [2 * last + 2])
        cursor.execute("VACUUM ANALYZE")


def measured(client: Client, address: str, requests: int) -> tuple[int, float]:
    """Queries of a page, and the milliseconds of the fastest request."""
    for _ in range(3):
        answer = client.get(address)
        assert answer.status_code == 200, (address, answer.status_code)
    with CaptureQueriesContext(connection) as captured:
        client.get(address)
    queries = len(captured)
    times = []
    for _ in range(requests):
        began = time.perf_counter()
        client.get(address)
        times.append(1000 * (time.perf_counter() - began))
    return queries, min(times)


def main(arguments: Sequence[str] | None = None) -> int:
    """Fill, measure, fill more, measure again; 1 when a figure is missed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--matches", type=int, default=100_000, help="the larger size (default: 100,000)")
    parser.add_argument("--requests", type=int, default=40, help="timed requests of a page (default: 40)")
    chosen = parser.parse_args(arguments)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.test")
    django.setup()
    with scratch():
        client = Client(headers={"accept-language": "en"})
        with connection.cursor() as cursor:
            cursor.execute(PEOPLE.format(bots=BOTS))
        fill(1, SMALL, SMALL)
        small = {address: measured(client, address, chosen.requests) for address in PAGES}
        began = time.monotonic()
        fill(SMALL + 1, chosen.matches, chosen.matches)
        print(f"{BOTS:,} bots; {chosen.matches:,} matches made in {time.monotonic() - began:.0f} s")
        large = {address: measured(client, address, chosen.requests) for address in PAGES}
    print(f"{'page':<26} {'queries':>9} {SMALL:>9,} {chosen.matches:>9,}  ratio")
    missed = False
    for address in PAGES:
        (queries, before), (more, after) = small[address], large[address]
        held = address in PAGES[:HELD]
        is_met = max(queries, more) <= MOST_QUERIES and after <= MOST_RATIO * before
        missed |= held and not is_met
        verdict = (
            (f"must be <= {MOST_RATIO}, queries <= {MOST_QUERIES}: " + ("met" if is_met else "MISSED")) if held else ""
        )
        print(
            f"{address:<26} {queries:>4}/{more:<4} {before:>6.1f} ms {after:>6.1f} ms  {after / before:4.2f}  {verdict}"
        )
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
