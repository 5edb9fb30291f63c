"""Seeds and mutations for fuzzing: good and bad examples, and what happens to them on their way."""

import contextlib
import gc
import io
import runpy
import stat
import struct
import tracemalloc
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from hypothesis import strategies as st

HOSTILE = Path(__file__).parent.parent / "hostile"
FILE = stat.S_IFREG | 0o644

#: What bots answered, or might, to request 23.
ANSWERS = [
    b'{"n":23,"card":"AD"}',
    b'{"n":23,"card":"AD"}\r',
    b' {"card":"3C", "n": 23, "note": "tengo il tre \\u00e8"} ',
    b'{"n":23,"ready":true}',
    b'{"n":23.0,"card":"AD"}',
    b'{"n":true,"card":"AD"}',
    b'{"n":1e400,"card":"AD"}',
    b'{"n":NaN,"card":"AD"}',
    b'{"n":23,"n":23,"card":"AD"}',
    b'{"n":23,"card":"AD","note":"\\ud800\\u0000"}',
    b'{"n":23,"card":["AD"]}',
    b'{"n":' + b"9" * 4000 + b"}",
    b"[" * 2000 + b"]" * 2000,
    b'{"a":' * 600 + b"1" + b"}" * 600,
    b'{"n":23,"card":"' + b"\\u0041" * 600 + b'"}',
    b'\xef\xbb\xbf{"n":23,"card":"AD"}',
    '{"n":23,"card":"AD"}'.encode("utf-16"),
    b"",
    b"\0" * 100,
    b"x" * 5000,
]


def zip_of(*entries: tuple[str, bytes, int], method: int = zipfile.ZIP_DEFLATED, comment: bytes = b"") -> bytes:
    """A zip of (name, data, mode) entries."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as target:
        target.comment = comment
        for name, data, mode in entries:
            info = zipfile.ZipInfo(name)
            info.external_attr, info.compress_type = mode << 16, method
            target.writestr(info, data)
    return out.getvalue()


def archives() -> list[bytes]:
    """Uploads that are fine, hostile or odd; none above 512 KiB."""
    bot = ("bot.py", b"def play(view):\n    return view.legal[0]\n", FILE)
    hostile = runpy.run_path(str(HOSTILE / "make_uploads.py"))["CASES"]
    found = [data for data, _ in hostile.values()]
    found += [
        zip_of(bot, ("bot.toml", b'language = "python"\nentry = "bot.py"\n', FILE)),
        zip_of(bot, ("bot.toml", b"x = " + b"[" * 2000, FILE)),
        zip_of(bot, ("a/b/c/d.py", b"x = 1\n" * 1000, FILE), comment=b"a comment"),
        zip_of(bot, method=zipfile.ZIP_STORED),
        zip_of(bot, method=zipfile.ZIP_LZMA),
        zip_of(bot, method=zipfile.ZIP_BZIP2),
        zip_of(*((f"n{number}.py", b"", FILE) for number in range(1500)), bot),
        zip_of(("bot.py", bytes(200_000), FILE)),
        zip_of(bot, ("data.txt", bytes(range(256)) * 900, FILE)),
        by_hand([(b"bot.py", bot[1])], extra=struct.pack("<HHQQQ", 1, 24, 1 << 60, 1 << 60, 0)),
        by_hand([(b"bot.py", bot[1])] * 2),
        by_hand([(b"\xff\xfe.py", bot[1]), (b"bot.py", bot[1])]),
        by_hand([(b"bot.py\0.txt", bot[1])]),
        by_hand([(b"n" * 60_000, b"")] * 3),
    ]
    return [data for data in found if len(data) <= 512 << 10]


def by_hand(files: Iterable[tuple[bytes, bytes]], *, extra: bytes = b"", **lies: int) -> bytes:
    """A zip of stored files whose headers say what `lies` tell: flags, method, crc, packed, size, offset, entries."""
    body, directory, count = b"", b"", 0
    for name, data in files:
        flags, method = lies.get("flags", 0), lies.get("method", 0)
        crc, packed = lies.get("crc", zlib.crc32(data)), lies.get("packed", len(data))
        size, offset = lies.get("size", len(data)), lies.get("offset", len(body))
        common = struct.pack("<HHHHHIIIHH", 20, flags, method, 0, 33, crc, packed, size, len(name), len(extra))
        body += b"PK\3\4" + common + name + extra + data
        tail = struct.pack("<HHHII", 0, 0, 0, FILE << 16, offset)
        directory += b"PK\1\2" + struct.pack("<H", 0x31E) + common + tail + name + extra
        count += 1
    entries = lies.get("entries", count)
    end = struct.pack("<HHHHIIH", 0, 0, entries, entries, len(directory), lies.get("start", len(body)), 0)
    return body + directory + b"PK\5\6" + end


@st.composite
def mutated(draw: Callable[..., int], seeds: list[bytes]) -> bytes:
    """A seed with some bytes changed, cut out, put in, doubled, or the end of another one behind it."""
    data = bytearray(draw(st.sampled_from(seeds)))
    for _ in range(draw(st.integers(0, 6))):
        at = draw(st.integers(0, len(data)))
        match draw(st.sampled_from(["byte", "end byte", "cut", "insert", "double", "splice", "word"])):
            case "byte":
                data[at : at + 1] = bytes([draw(st.integers(0, 255))])
            case "end byte":  # headers of a zip stand at its end
                data[max(0, len(data) - at % 200) :][:1] = bytes([draw(st.integers(0, 255))])
                if data:
                    data[-1 - at % min(200, len(data))] = draw(st.integers(0, 255))
            case "cut":
                del data[at : at + draw(st.integers(1, 64))]
            case "insert":
                data[at:at] = draw(st.binary(max_size=16))
            case "double":
                data[at:at] = data[at : at + draw(st.integers(1, 64))]
            case "splice":
                data[at:] = draw(st.sampled_from(seeds))[-draw(st.integers(1, 300)) :]
            case "word":
                extreme = draw(st.sampled_from([0, 1, 0x7FFF, 0xFFFF, 0x7FFFFFFF, 0xFFFFFFFF]))
                data[at : at + 4] = struct.pack("<I", extreme)
    return bytes(data)


@contextlib.contextmanager
def at_most(limit: int) -> Iterator[None]:
    """What Python holds in the block beyond what it held before never passes `limit` bytes."""
    gc.collect()
    tracemalloc.start()
    try:
        yield
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak <= limit, f"{peak} bytes"


def resident() -> int:
    """Bytes of memory that this process holds now."""
    gc.collect()
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096
