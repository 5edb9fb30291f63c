"""Uploads: what is accepted, what is refused and with which code, and the identity of the content."""

import hashlib
import io
import stat
import struct
import zipfile
import zlib
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bots.arena import Archive, ArchiveError, unpack, unpack_stored
from bots.arena.archive import MAX_STORED

GOOD = b"def play(view):\n    return view.hand[0]\n"
FILE = stat.S_IFREG | 0o644
BOT = ("bot.py", GOOD, FILE)


def pack(*entries: tuple[str, bytes, int], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as target:
        for name, data, mode in entries:
            info = zipfile.ZipInfo(name)
            info.external_attr = mode << 16
            info.compress_type = method
            target.writestr(info, data)
    return out.getvalue()


def file(name: str, data: bytes = b"x = 1\n") -> tuple[str, bytes, int]:
    return (name, data, FILE)


def refused(data: bytes, filename: str = "bot.zip") -> ArchiveError:
    with pytest.raises(ArchiveError) as error:
        unpack(data, filename)
    return error.value


def test_one_file_and_a_zip_of_it_are_the_same_bot() -> None:
    single = unpack(GOOD, "mio_bot.py")
    assert single == Archive(files=(("bot.py", GOOD),))
    for other in (
        pack(BOT),
        pack(BOT, method=zipfile.ZIP_STORED),
        pack(("mybot/bot.py", GOOD, FILE)),
        pack(BOT, file("bot.toml", b'entry = "bot.py"\nlanguage = "python"\n')),
        pack(BOT, file("__MACOSX/._bot.py"), file(".DS_Store"), file(".git/config"), file("__pycache__/a.pyc")),
    ):
        assert unpack(other, "bot.zip").sha256 == single.sha256
        assert unpack(other).files == single.files


def test_the_identity_is_this_hash() -> None:
    files = (("a/b.txt", b"12"), ("bot.py", GOOD))
    expected = hashlib.sha256()
    for name, data in files:
        expected.update(struct.pack(">I", len(name)) + name.encode() + struct.pack(">Q", len(data)) + data)
    archive = unpack(pack(*(file(name, data) for name, data in reversed(files))))
    assert archive.files == files
    assert archive.sha256 == expected.hexdigest()
    assert archive.size == 2 + len(GOOD)


def test_the_stored_archive_is_read_again_and_is_canonical() -> None:
    source = (file("lib/a.py"), BOT, file("bot.toml", b'entry = "lib/a.py"'))
    archive = unpack(pack(*source))
    assert archive.entry == "lib/a.py"
    assert archive.stored() == unpack(pack(*reversed(source))).stored()
    again = unpack_stored(archive.stored())
    assert (again.files, again.entry, again.sha256) == (archive.files, archive.entry, archive.sha256)


@pytest.mark.parametrize("folder", ["d" * 50, "\U0001f0a1" * 12 + "dd"], ids=["ascii", "four bytes each"])
def test_the_largest_bot_fits_its_stored_form(folder: str) -> None:
    parts = tuple(file(f"{folder}/{i:060}.dat", bytes([i]) * (16 << 10)) for i in range(63))
    archive = unpack(pack(*parts, file("bot.py", GOOD)))
    assert archive.size > 1_000_000
    assert len(archive.stored()) <= MAX_STORED
    assert unpack_stored(archive.stored()).sha256 == archive.sha256


def test_what_tools_leave_behind_is_ignored_and_listed() -> None:
    names = [
        "__MACOSX/._bot.py",
        ".DS_Store",
        ".git/config",
        ".idea/x.xml",
        "lib/._a.py",
        "Thumbs.db",
        ".vscode/s.json",
    ]
    archive = unpack(pack(BOT, *map(file, names), file("../../.git/evil")))
    assert archive.files == (("bot.py", GOOD),)
    assert archive.ignored == (*names, "../../.git/evil")


@pytest.mark.parametrize(
    ("entries", "code", "named"),
    [
        ([BOT, file("../../evil.py")], "upload.name", "../../evil.py"),
        ([BOT, file("/etc/evil")], "upload.name", "/etc/evil"),
        ([BOT, file("a//b.py")], "upload.name", "a//b.py"),
        ([BOT, file("./b.py")], "upload.name", "./b.py"),
        ([BOT, file("c:b.py")], "upload.name", "c:b.py"),
        ([BOT, file("a\\b.py")], "upload.name", "a\\b.py"),
        ([BOT, file("a\nb.py")], "upload.name", "a\\nb.py"),
        ([BOT, file("x" * 121)], "upload.name", "x" * 120),
        ([BOT, file("\U0001f0a1" * 31)], "upload.name", "\U0001f0a1" * 31),  # 124 bytes
        ([BOT, file("a/b/c/d/e.py")], "upload.name", "a/b/c/d/e.py"),
        ([BOT, file("Bot.PY")], "upload.name_twice", "Bot.PY"),
        ([BOT, file("caf\u00e9.txt"), file("cafe\u0301.txt")], "upload.name_twice", "cafe\u0301.txt"),
        ([BOT, file("lib"), file("lib/a.py")], "upload.name_twice", "lib"),
        ([BOT, ("link", b"/etc/passwd", stat.S_IFLNK | 0o777)], "upload.file_type", "link"),
        ([BOT, ("pipe", b"", stat.S_IFIFO | 0o644)], "upload.file_type", "pipe"),
        ([BOT, file("fast.so", b"text")], "upload.file_type", "fast.so"),
        ([BOT, file("fast.dat", b"\x7fELF\2\1")], "upload.file_type", "fast.dat"),
        ([BOT, file("inner.dat", pack(BOT))], "upload.file_type", "inner.dat"),
        ([BOT, file("tool.dat", b"MZ\x90\0\3")], "upload.file_type", "tool.dat"),
        ([file("other.py")], "upload.no_entry", "bot.py"),
        ([file("a/bot.py"), file("b/bot.py")], "upload.no_entry", "bot.py"),
        ([], "upload.no_entry", "bot.py"),
        ([BOT, file("bot.toml", b'entry = "none.py"')], "upload.no_entry", "none.py"),
        ([BOT, file("bot.toml", b'entry = "bot.py')], "upload.toml", "bot.toml"),
        ([BOT, file("bot.toml", b"threads = 4")], "upload.toml", "bot.toml"),
        ([BOT, file("bot.toml", b'language = "rust"')], "upload.toml", "bot.toml"),
        ([BOT, file("bot.toml", b"entry = 5")], "upload.toml", "bot.toml"),
        ([BOT, file("bot.toml", b"a = " + b"[" * 4000)], "upload.toml", "bot.toml"),
        ([BOT, file("bot.toml", b"\xff\xfe")], "upload.toml", "bot.toml"),
        ([BOT, file("bot.toml", b"#" * 5000)], "upload.toml", "bot.toml"),
        ([BOT, file("big.txt", bytes(30 << 20))], "upload.file_too_large", "big.txt"),
        ([BOT, *(file(f"{i}.txt", bytes(250 << 10)) for i in range(5))], "upload.too_large", ""),
        ([BOT, *(file(f"f{i}.py", b"") for i in range(64))], "upload.too_many_files", ""),
        ([BOT, *(file(f".git/{i}", b"") for i in range(3000))], "upload.too_many_files", ""),
    ],
    ids=lambda value: value if isinstance(value, str) and value.startswith("upload") else None,
)
def test_a_bad_archive_is_refused_with_its_own_code(entries: list, code: str, named: str) -> None:
    error = refused(pack(*entries))
    assert (error.code, error.file) == (code, named)


def test_what_is_no_zip_is_refused() -> None:
    for data in (b"hello", pack(BOT)[:-30], b"", b"PK\x03\x04" + bytes(100)):
        assert refused(data).code == "upload.not_a_zip"


def test_a_wrong_checksum_is_refused() -> None:
    data = pack(BOT, method=zipfile.ZIP_STORED)
    assert refused(data.replace(b"hand[0]", b"hand[1]")).code == "upload.not_a_zip"


def test_an_unusual_compression_and_a_password_are_refused() -> None:
    assert refused(pack(BOT, method=zipfile.ZIP_BZIP2)).code == "upload.compression"
    locked = bytearray(pack(BOT))
    at = locked.index(b"PK\x01\x02")
    locked[at + 8] |= 1
    assert refused(bytes(locked)).code == "upload.compression"


def test_sizes_are_counted_on_the_stream_and_not_read_from_the_header() -> None:
    """The header says 10 bytes; the stream holds 30 MB whose first ten bytes have the checksum that it names."""
    data = bytearray(pack(file("bot.py", bytes(30 << 20))))
    at = data.index(b"PK\x01\x02")
    data[at + 16 : at + 20] = struct.pack("<I", zlib.crc32(bytes(10)))
    data[at + 24 : at + 28] = struct.pack("<I", 10)
    assert refused(bytes(data)).code == "upload.file_too_large"
    small = bytearray(pack(file("bot.py", bytes(100))))
    at = small.index(b"PK\x01\x02")
    small[at + 16 : at + 20] = struct.pack("<I", zlib.crc32(bytes(10)))
    small[at + 24 : at + 28] = struct.pack("<I", 10)
    assert refused(bytes(small)).code == "upload.not_a_zip"


def test_a_single_file_has_limits_too() -> None:
    assert refused(b"#" * ((256 << 10) + 1), "bot.py").code == "upload.file_too_large"
    assert refused(b"#" * ((512 << 10) + 1), "bot.py").code == "upload.too_large"
    assert refused(b"\x7fELF", "bot.py").code == "upload.file_type"
    assert refused(GOOD, "bot.tar.gz").code == "upload.file_type"
    assert unpack(b"", "empty.py").files == (("bot.py", b""),)  # what is missing in it is found by parsing


@given(st.binary(max_size=300) | st.binary(max_size=60).map(lambda tail: pack(BOT)[:-20] + tail), st.booleans())
def test_any_bytes_are_an_archive_or_an_archive_error(data: bytes, is_zip: bool) -> None:
    with suppress(ArchiveError):
        assert unpack(data, "bot.zip" if is_zip else "bot.py").files
