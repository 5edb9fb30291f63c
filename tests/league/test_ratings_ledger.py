"""The ledger only grows, and whoever changes it all the same is found: by row and field."""

import random
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import Error, connection, transaction
from django.db.models import F

from league.models import HeadToHead, RatedMatch, RatingCurrent, RatingEvent, RatingPeriod, RatingPool
from league.services.ratings import amendments, periods, rebuild
from tests.factories import make_version
from tests.league.playing import everything, undone
from tests.league.rated import play_period, some_pairs

pytestmark = pytest.mark.django_db
REASON = "The second account of a player."
#: Every column that a row consists of, and how its value is spoilt.
SPOILT = {
    **dict.fromkeys(("score", "before", "k", "e", "delta", "floor", "after", "v"), "{} + 1"),
    "n": "{} + 10",
    **dict.fromkeys(
        ("kind", "match", "subject", "opp", "reason"),
        "overlay({0} placing CASE substr({0}, 2, 1) WHEN '9' THEN '8' ELSE '9' END from 2)",
    ),
    "prev_hash": "translate({}, '0123456789abcdef', '123456789abcdef0')",
    "hash": "translate({}, '0123456789abcdef', '123456789abcdef0')",
}


@pytest.fixture
def pool(db):
    """A pool with three periods and some forty rows."""
    rng = random.Random(11)
    versions = [make_version() for _number in range(4)]
    for number in range(3):
        play_period(some_pairs(versions, 8, rng), ref=str(number), rng=rng)
    periods.sweep()
    return RatingPool.objects.get()


def _forced(statement: str) -> None:
    """What only the owner of the table can do: the trigger off, the statement, the trigger on."""
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("ALTER TABLE league_ratingevent DISABLE TRIGGER USER")
        cursor.execute(statement)
        assert cursor.rowcount > 0, statement
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("ALTER TABLE league_ratingevent ENABLE TRIGGER USER")


def _checked(pool: RatingPool) -> rebuild.Check:
    return rebuild.check(pool=RatingPool.objects.get(pk=pool.pk))


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE league_ratingevent SET delta = delta",
        "DELETE FROM league_ratingevent",
        "TRUNCATE league_ratingevent",
        "TRUNCATE league_ratingpool CASCADE",
    ],
)
def test_the_ledger_refuses_whatever_is_not_an_insert(pool, statement):
    before = everything()
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("SET LOCAL bella.flush = off")
    with pytest.raises(Error, match="append-only"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement)
    assert everything() == before


def test_a_sound_ledger_is_found_sound(pool):
    found = _checked(pool)
    assert found == rebuild.Check(pool.code, pool.next_seq - 1, pool.last_hash)
    assert found.is_identical
    assert found.rows > 30


@pytest.mark.parametrize("column", SPOILT)
def test_a_digit_that_is_changed_anywhere_is_found_by_its_row(pool, column):
    rng = random.Random(column)
    for seq in {1, pool.next_seq - 1, *(rng.randrange(1, pool.next_seq) for _try in range(3))}:
        with undone():
            value = SPOILT[column].format(column)
            _forced(f"UPDATE league_ratingevent SET {column} = {value} WHERE seq = {seq}")
            found = _checked(pool)
        assert (found.problem, found.seq, found.rows) == ("row_differs", seq, seq - 1)
        assert [one.field for one in found.fields] == [column]
    assert _checked(pool).is_identical


def test_a_row_moved_to_another_period_or_place_is_found(pool):
    event = RatingEvent.objects.get(seq=1)
    other = RatingPeriod.objects.exclude(pk=event.period_id).first()
    with undone():
        _forced(f"UPDATE league_ratingevent SET period_id = {other.pk} WHERE seq = 1")
        found = _checked(pool)
    assert (found.problem, found.seq, [one.field for one in found.fields]) == ("row_differs", 1, ["period"])
    with undone():
        _forced("UPDATE league_ratingevent SET seq = 9999 WHERE seq = 5")
        found = _checked(pool)
    assert (found.problem, found.seq) == ("row_differs", 5)


def test_rows_that_are_missing_or_too_many_are_found(pool):
    last = pool.next_seq - 1
    with undone():
        _forced(f"DELETE FROM league_ratingevent WHERE seq = {last}")
        assert (_checked(pool).problem, _checked(pool).seq) == ("row_missing", last)
    with undone():
        fields = [field.column for field in RatingEvent._meta.fields if field.column not in ("id", "seq")]
        columns = ", ".join(fields)
        _forced(
            f"INSERT INTO league_ratingevent (seq, {columns}) SELECT {last + 1}, "
            f"{columns.replace('subject', chr(39) + 'v:999999' + chr(39))} FROM league_ratingevent WHERE seq = {last}"
        )
        assert (_checked(pool).problem, _checked(pool).seq) == ("row_too_many", last + 1)


@pytest.mark.parametrize(
    ("model", "field", "problem"),
    [
        (RatingPool, "next_seq", "head_differs"),
        (RatingCurrent, "rating_m", "current_differs"),
        (RatingCurrent, "n", "current_differs"),
        (RatingCurrent, "last_seq", "current_differs"),
        (HeadToHead, "won_a", "head_to_head_differs"),
        (HeadToHead, "drawn", "head_to_head_differs"),
    ],
)
def test_a_cache_that_was_changed_is_found(pool, model, field, problem):
    model.objects.filter(pk=model.objects.first().pk).update(**{field: F(field) + 1})
    assert _checked(pool).problem == problem


def test_a_result_that_was_changed_behind_the_ledgers_back_is_found(pool):
    event = RatingEvent.objects.filter(score__in=(0, 1_000_000)).order_by("-seq").first()
    match = RatedMatch.objects.get(match__code=event.match).match
    type(match).objects.filter(pk=match.pk).update(winner_side=1 - match.winner_side)
    found = _checked(pool)
    assert found.problem == "row_differs"
    assert RatingEvent.objects.get(seq=found.seq).match == event.match
    assert "score" in [one.field for one in found.fields]


def test_old_revisions_stay_as_they_were(pool):
    old = list(RatingEvent.objects.order_by("seq").values())
    match = RatedMatch.objects.filter(state="rated").order_by("pk").first().match
    amendments.annul(matches=[match], actor=None, reason=REASON)
    assert list(RatingEvent.objects.filter(revision=1).order_by("seq").values()) == old
    pool.refresh_from_db()
    assert pool.current_revision == 2
    assert _checked(pool).rows == len(old) - 2


# ---- the command


def _said(*arguments: str) -> str:
    output = StringIO()
    call_command("ratings", "rebuild", *arguments, stdout=output)
    return output.getvalue()


def test_the_command_says_that_everything_is_identical(pool):
    rows = pool.next_seq - 1
    assert _said("--check") == f"bot-1v1: identical: {rows} rows, hash {pool.last_hash}\n"
    assert _said("--pool", "bot-1v1", "--check", "--from", "11") == (
        f"bot-1v1: identical: {rows - 10} rows, hash {pool.last_hash}\n"
    )
    assert _said("--check", "--from", "9999") == f"bot-1v1: identical: 0 rows, hash {pool.last_hash}\n"


def test_the_command_names_the_first_row_that_differs_and_fails(pool):
    stored = RatingEvent.objects.get(seq=3)
    _forced("UPDATE league_ratingevent SET after = after + 7 WHERE seq IN (3, 5)")
    output = StringIO()
    with pytest.raises(CommandError, match=r"1 of 1 pools differ"):
        call_command("ratings", "rebuild", "--check", stdout=output)
    assert output.getvalue() == (
        f"bot-1v1: DIFFERENT: row_differs, row 3\n  after: stored {stored.after + 7}, computed {stored.after}\n"
    )
    with pytest.raises(CommandError):
        call_command("ratings", "rebuild", "--check", "--from", "4", stdout=StringIO())
    assert "identical" in _said("--check", "--from", "6")


def test_the_command_writes_a_new_revision_with_the_same_hash(pool):
    assert _said() == f"bot-1v1: revision 2, {pool.next_seq - 1} rows, hash {pool.last_hash}\n"
    assert "identical" in _said("--check")


@pytest.mark.parametrize(
    "arguments", [("--pool", "no-such-pool"), ("--from", "3"), ("--check", "--from", "0"), ("--check", "--from", "x")]
)
def test_the_command_refuses_what_makes_no_sense(pool, arguments):
    before = everything()
    with pytest.raises(CommandError):
        call_command("ratings", "rebuild", *arguments, stdout=StringIO())
    assert everything() == before
