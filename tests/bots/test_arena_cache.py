"""The cache of bots that the arena keeps."""

from collections.abc import Iterator

import pytest

from bots import house
from bots.arena import Archive, BotFilesError, unpack
from bots.arena.cache import BotCache
from bots.sandbox import Sandbox, start_sandbox
from tests.bots.arena_driver import FIRST


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with start_sandbox() as started:
        yield started


def test_the_cache_fetches_a_bot_once_and_drops_the_one_that_was_not_used_for_longest(sandbox: Sandbox) -> None:
    archives = [unpack(f"# {number}\n{FIRST}".encode()) for number in range(3)]
    stored = {archive.sha256: archive.stored() for archive in archives}
    fetched: list[str] = []

    def fetch(sha256: str) -> bytes | None:
        fetched.append(sha256)
        return stored.get(sha256)

    cache = BotCache(sandbox.store, fetch, most=2)
    one, two, three = (archive.sha256 for archive in archives)
    first = cache.folder(one)
    assert (first / "bot.py").read_bytes() == archives[0].files[0][1]
    cache.folder(two)
    assert cache.folder(one) == first
    cache.folder(three)
    assert fetched == [one, two, three]
    assert first.exists()
    cache.folder(two)
    assert fetched == [one, two, three, two]
    assert not first.exists()


def test_the_cache_takes_nothing_but_what_was_asked_for(sandbox: Sandbox) -> None:
    right = unpack(house.source("medio"))
    other = unpack(house.source("greedy")).stored()
    unsafe = Archive(files=(("../bot.py", b"x = 1\n"),)).stored()
    for answer, reason in ((None, "no_files"), (other, "wrong_files"), (unsafe, "wrong_files"), (b"x", "wrong_files")):
        cache = BotCache(sandbox.store, lambda _, answer=answer: answer)
        with pytest.raises(BotFilesError) as refused:
            cache.folder(right.sha256)
        assert refused.value.reason == reason
