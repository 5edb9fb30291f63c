"""The reader of uploads under fire: any bytes are an archive within the limits or a refusal, in bounded memory."""

import io
import zipfile

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from bots.arena import Archive, ArchiveError, unpack, unpack_stored
from bots.arena.archive import MAX_FILE, MAX_FILES, MAX_NAME, MAX_UNPACKED
from bots.arena.sentences import MESSAGES
from tests.bots.fuzzing import archives, at_most, by_hand, mutated, resident

SEEDS = archives()
#: What may become of an upload.
KINDS = {"accepted", *(code for code in MESSAGES if code.startswith("upload."))}
#: One upload, unpacked, with zipfile's own records of 2,048 entries.
PEAK = 8 << 20
quick = settings(
    max_examples=400,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
u32 = st.integers(0, 0xFFFFFFFF) | st.sampled_from([0, 1, 0xFFFFFFFF])
u16 = st.integers(0, 0xFFFF)


def read(data: bytes) -> str:
    """What becomes of an upload: a code, or `accepted` once everything that must hold of an archive does."""
    try:
        archive = unpack(data, "bot.zip")
    except ArchiveError as error:
        return refusal(error)
    check(archive)
    again = unpack_stored(archive.stored())
    assert (again.files, again.sha256) == (archive.files, archive.sha256)
    return "accepted"


def refusal(error: ArchiveError) -> str:
    assert error.code.startswith("upload.")
    assert len(error.file) <= 10 * MAX_NAME
    assert error.file.isprintable()
    return error.code


def check(archive: Archive) -> None:
    names = [name for name, _ in archive.files]
    assert archive.entry in names
    assert len(names) == len(set(names)) <= MAX_FILES
    assert archive.size <= MAX_UNPACKED
    for name, data in archive.files:
        parts = name.split("/")
        assert len(data) <= MAX_FILE
        assert len(name.encode()) <= MAX_NAME
        assert name.isprintable()
        assert not {"", ".", ".."} & set(parts)
        assert not name.startswith("/")
        assert "\\" not in name
        assert ":" not in name


def test_the_seeds_are_of_many_kinds() -> None:
    seen = {read(data) for data in SEEDS}
    assert seen >= {
        "accepted", "upload.name", "upload.file_type", "upload.file_too_large", "upload.too_many_files", "upload.toml",
        "upload.no_entry", "upload.not_a_zip", "upload.compression", "upload.name_twice",
    }  # fmt: skip


@quick
@given(mutated(SEEDS))
def test_any_damage_is_an_archive_or_a_refusal(data: bytes) -> None:
    assert read(data) in KINDS


@quick
@given(
    names=st.lists(
        st.binary(max_size=30) | st.sampled_from([b"bot.py", b"a/bot.py", b"bot.toml", b"../x"]), max_size=4
    ),
    content=st.binary(max_size=80),
    extra=st.binary(max_size=40),
    lies=st.fixed_dictionaries(
        {},
        optional={
            "flags": u16,
            "method": u16,
            "crc": u32,
            "packed": u32,
            "size": u32,
            "offset": u32,
            "entries": u16,
            "start": u32,
        },
    ),
)
@example(names=[b"bot.py"], content=b"", extra=b"\1\0\x08\0" + b"\xff" * 8, lies={"size": 0xFFFFFFFF})
@example(names=[b"bot.py"], content=b"x", extra=b"", lies={"flags": 0x800, "method": 8})
def test_headers_that_lie_are_an_archive_or_a_refusal(
    names: list[bytes], content: bytes, extra: bytes, lies: dict[str, int]
) -> None:
    assert read(by_hand([(name, content) for name in names], extra=extra, **lies)) in KINDS


@quick
@given(st.binary(max_size=400))
def test_any_bytes_after_a_true_beginning_are_an_archive_or_a_refusal(tail: bytes) -> None:
    read(b"PK\3\4" + tail)
    read(b"PK\5\6" + tail)


def test_memory_is_bounded_for_each_upload() -> None:
    worst = [
        *SEEDS,
        by_hand([(b"%d" % number, b"") for number in range(6_000)]),
        by_hand([(b"a/" * 30_000, b"")] * 8),
        by_hand([(b"bot.py", bytes(1 << 18)), (b"b.py", bytes((1 << 18) - 2_000))]),
    ]
    for data in worst:
        with at_most(PEAK):
            read(data)


def test_memory_is_flat_over_many_uploads() -> None:
    def round_() -> None:
        for data in SEEDS:
            read(data)
            read(data[: len(data) // 2])

    for _ in range(3):
        round_()
    before = resident()
    for _ in range(12):
        round_()
    assert resident() - before <= 3 << 20


def test_what_zipfile_itself_says_of_the_good_ones() -> None:
    """The reader agrees with the library on archives that both take."""
    for data in SEEDS:
        if read(data) == "accepted" and data.startswith(b"PK"):
            with zipfile.ZipFile(io.BytesIO(data)) as source:
                told = {info.filename.rpartition("/")[2]: source.read(info) for info in source.infolist()}
            for name, content in unpack(data, "bot.zip").files:
                assert told[name.rpartition("/")[2]] == content
