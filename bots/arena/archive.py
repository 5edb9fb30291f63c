"""The archive of a bot: a bounded unpack, the rules of what may be in it, its identity and its stored form.

Pure: bytes in, values out. The trusted side calls `unpack` on an upload and stores `Archive.stored()`; the arena calls
`unpack_stored` on what it was sent and compares `Archive.sha256` with the job. Nothing is extracted to a disk here.
"""

import hashlib
import io
import stat
import tomllib
import unicodedata
import zipfile
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath

MAX_ARCHIVE = 512 << 10
MAX_UNPACKED = 1 << 20
MAX_FILE = 256 << 10
MAX_FILES = 64
#: Bytes of a name in UTF-8: no file system takes more than 255 for one part of it.
MAX_NAME = 120
MAX_DEPTH = 4
MAX_TOML = 4 << 10
#: A stored archive is not compressed: its content and, a file, two headers with the name.
MAX_STORED = MAX_UNPACKED + MAX_FILES * (2 * MAX_NAME + 200)
#: Entries of a zip's directory that are looked at, ignored ones included.
MAX_ENTRIES = 2048

LANGUAGES = ("python",)
ENTRY = "bot.py"
MANIFEST = "bot.toml"

_IGNORED = {"__MACOSX", ".DS_Store", "Thumbs.db", ".git", ".idea", ".vscode", ".metadata", "__pycache__"}
_COMPILED = {".pyc", ".pyo", ".so", ".pyd", ".dll", ".dylib", ".exe"}
_PACKED = {".zip", ".gz", ".tar", ".tgz", ".bz2", ".xz", ".7z", ".rar", ".whl", ".egg", ".jar", ".zst"}
_ZIP_MAGICS = (b"PK\x03\x04", b"PK\x05\x06")
#: How programs (ELF, Mach-O) and archives begin.
_MAGICS = (
    *(b"\x7fELF", b"\xfe\xed\xfa\xce", b"\xfe\xed\xfa\xcf", b"\xce\xfa\xed\xfe", b"\xcf\xfa\xed\xfe"),
    *(b"\x1f\x8b", b"BZh", b"\xfd7zXZ", b"7z\xbc\xaf\x27\x1c", b"Rar!\x1a", b"\x28\xb5\x2f\xfd", *_ZIP_MAGICS),
)


class ArchiveError(ValueError):
    """A refused upload. `code` is a dotted code `upload.*`; `file` names the entry, `limit` the bound."""

    def __init__(self, code: str, *, file: str = "", limit: int = 0, detail: str = "") -> None:
        self.code = code
        self.file = file
        self.limit = limit
        self.detail = detail
        super().__init__(code)


@dataclass(frozen=True)
class Archive:
    """The kept files of a bot in name order. `ignored`: what was left out (folders of tools, a default bot.toml)."""

    files: tuple[tuple[str, bytes], ...]
    entry: str = ENTRY
    language: str = "python"
    ignored: tuple[str, ...] = ()

    @cached_property
    def sha256(self) -> str:
        """Identity of the content, hex: the same file as .py or as .zip is the same bot."""
        return content_sha256(self.files)

    @property
    def size(self) -> int:
        """Bytes of all kept files."""
        return sum(len(data) for _, data in self.files)

    def stored(self) -> bytes:
        """The canonical archive: a zip without compression, names in order, no dates. Equal content, equal bytes."""
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as target:
            for name, data in self.files:
                info = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
                info.create_system = 3
                info.external_attr = (stat.S_IFREG | 0o644) << 16
                target.writestr(info, data)
        return out.getvalue()


def content_sha256(files: Iterable[tuple[str, bytes]]) -> str:
    """SHA-256 over the files in the order of their names, each as length and name, length and bytes."""
    digest = hashlib.sha256()
    for name, data in sorted(files, key=lambda item: item[0].encode()):
        encoded = name.encode()
        digest.update(len(encoded).to_bytes(4, "big") + encoded + len(data).to_bytes(8, "big"))
        digest.update(data)
    return digest.hexdigest()


def unpack(data: bytes, filename: str = "") -> Archive:
    """Read an upload: one `.py` file or a zip. `filename` is what the sender calls it.

    Raises ArchiveError with the code of the first rule that is broken.
    """
    if len(data) > MAX_ARCHIVE:
        raise ArchiveError("upload.too_large", limit=MAX_ARCHIVE)
    suffix = PurePosixPath(filename.lower()).suffix
    if suffix == ".zip" or data.startswith(_ZIP_MAGICS):
        return _read_zip(data)
    if suffix not in ("", ".py"):
        raise ArchiveError("upload.file_type", file=filename[:MAX_NAME])
    return _archive({ENTRY: _checked(ENTRY, data)}, ())


def unpack_stored(data: bytes) -> Archive:
    """Read what `Archive.stored` wrote, with the same checks. Raises ArchiveError."""
    if len(data) > MAX_STORED:
        raise ArchiveError("upload.too_large", limit=MAX_STORED)
    return _read_zip(data)


def _read_zip(data: bytes) -> Archive:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as source:
            infos = source.infolist()
    except (zipfile.BadZipFile, zipfile.LargeZipFile, ValueError, OSError, NotImplementedError, zlib.error) as error:
        raise ArchiveError("upload.not_a_zip", detail=str(error)[:200]) from None
    if len(infos) > MAX_ENTRIES:
        raise ArchiveError("upload.too_many_files", limit=MAX_FILES)
    kept: list[zipfile.ZipInfo] = []
    ignored: list[str] = []
    for info in infos:
        if _is_ignored(info.orig_filename):
            ignored.append(_shown(info.orig_filename))
            continue
        _check_name(info.orig_filename)
        if not info.is_dir():
            kept.append(info)
    names = _strip_top([info.orig_filename for info in kept])
    for name in names:
        if len(name.encode()) > MAX_NAME or name.count("/") >= MAX_DEPTH:
            raise ArchiveError("upload.name", file=_shown(name))
    _check_twins(names)
    if len(kept) > MAX_FILES:
        raise ArchiveError("upload.too_many_files", limit=MAX_FILES)
    files: dict[str, bytes] = {}
    left = MAX_UNPACKED
    for name, info in zip(names, kept, strict=True):
        files[name] = _checked(name, _read_entry(data, name, info, left))
        left -= len(files[name])
    return _archive(files, tuple(ignored[:MAX_FILES]))


def _archive(files: dict[str, bytes], ignored: tuple[str, ...]) -> Archive:
    entry, language = ENTRY, "python"
    manifest = files.get(MANIFEST)
    if manifest is not None:
        entry, language = _read_manifest(manifest)
        if (entry, language) == (ENTRY, "python"):
            del files[MANIFEST]
            ignored = (*ignored, MANIFEST)
    if entry not in files:
        raise ArchiveError("upload.no_entry", file=entry)
    return Archive(tuple(sorted(files.items(), key=lambda item: item[0].encode())), entry, language, ignored)


def _read_manifest(data: bytes) -> tuple[str, str]:
    """Entry and language of a bot.toml."""
    if len(data) > MAX_TOML:
        raise ArchiveError("upload.toml", file=MANIFEST, limit=MAX_TOML)
    try:
        values = tomllib.loads(data.decode())
    except (ValueError, RecursionError) as error:
        raise ArchiveError("upload.toml", file=MANIFEST, detail=str(error)[:200]) from None
    if unknown := sorted(set(values) - {"language", "entry"}):
        raise ArchiveError("upload.toml", file=MANIFEST, detail=unknown[0][:60])
    language, entry = values.get("language", "python"), values.get("entry", ENTRY)
    if language not in LANGUAGES:
        raise ArchiveError("upload.toml", file=MANIFEST, detail="language")
    if type(entry) is not str or not entry.endswith(".py"):
        raise ArchiveError("upload.toml", file=MANIFEST, detail="entry")
    return entry, language


def _is_ignored(name: str) -> bool:
    return any(part in _IGNORED or part.startswith("._") for part in name.split("/"))


def _check_name(name: str) -> None:
    """A name that means the same file on every system, inside the archive's own folder."""
    parts = name.removesuffix("/").split("/")
    # `orig_filename`, as zipfile cuts a name at NUL; surrogates cannot be written in UTF-8 and are not printable.
    if not name.isprintable() or "\\" in name or ":" in name or any(part in ("", ".", "..") for part in parts):
        raise ArchiveError("upload.name", file=_shown(name))


def _strip_top(names: list[str]) -> list[str]:
    """Without the one folder that holds everything, where there is one."""
    tops = {name.partition("/")[0] for name in names}
    if len(tops) == 1 and all("/" in name for name in names):
        return [name.partition("/")[2] for name in names]
    return names


def _check_twins(names: list[str]) -> None:
    """No two names that one file system would take for one, and no file that is also a folder."""
    seen: set[str] = set()
    folders: set[str] = set()
    for name in names:
        folded = unicodedata.normalize("NFC", name).casefold()
        if folded in seen:
            raise ArchiveError("upload.name_twice", file=_shown(name))
        seen.add(folded)
        folders.update(str(parent) for parent in PurePosixPath(folded).parents)
    if both := sorted(seen & folders):
        raise ArchiveError("upload.name_twice", file=_shown(both[0]))


def _read_entry(data: bytes, name: str, info: zipfile.ZipInfo, left: int) -> bytes:
    """The bytes of an entry, at most `left`. Sizes are counted on the stream: the header's figures are the sender's."""
    kind = stat.S_IFMT(info.external_attr >> 16)
    if kind not in (0, stat.S_IFREG):
        raise ArchiveError("upload.file_type", file=_shown(name))
    if info.flag_bits & 0x1 or info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise ArchiveError("upload.compression", file=_shown(name))
    header = data[info.header_offset : info.header_offset + 30]
    if len(header) != 30 or not header.startswith(b"PK\x03\x04"):
        raise ArchiveError("upload.not_a_zip", file=_shown(name))
    begin = info.header_offset + 30 + int.from_bytes(header[26:28], "little") + int.from_bytes(header[28:30], "little")
    packed = data[begin : begin + info.compress_size]
    if len(packed) != info.compress_size:
        raise ArchiveError("upload.not_a_zip", file=_shown(name))
    content = packed
    if info.compress_type == zipfile.ZIP_DEFLATED:
        content = _inflate(name, packed)
    if len(content) > MAX_FILE:
        raise ArchiveError("upload.file_too_large", file=_shown(name), limit=MAX_FILE)
    if len(content) > left:
        raise ArchiveError("upload.too_large", limit=MAX_UNPACKED)
    if len(content) != info.file_size or zlib.crc32(content) != info.CRC:
        raise ArchiveError("upload.not_a_zip", file=_shown(name))
    return content


def _inflate(name: str, packed: bytes) -> bytes:
    """One deflate stream, never more than one byte over the limit."""
    inflater = zlib.decompressobj(-zlib.MAX_WBITS)
    try:
        content = inflater.decompress(packed, MAX_FILE + 1)
    except zlib.error:
        raise ArchiveError("upload.not_a_zip", file=_shown(name)) from None
    if len(content) <= MAX_FILE and not inflater.eof:
        raise ArchiveError("upload.not_a_zip", file=_shown(name))
    return content


def _checked(name: str, content: bytes) -> bytes:
    """The content, when it may be part of a bot: source and data, nothing compiled or packed."""
    if len(content) > MAX_FILE:
        raise ArchiveError("upload.file_too_large", file=_shown(name), limit=MAX_FILE)
    is_program = content.startswith(b"MZ") and b"\0" in content[:128]
    if PurePosixPath(name.lower()).suffix in _COMPILED | _PACKED or content.startswith(_MAGICS) or is_program:
        raise ArchiveError("upload.file_type", file=_shown(name))
    return content


def _shown(name: str) -> str:
    """A name for a message: bounded, its control characters escaped."""
    return ascii(name[:MAX_NAME])[1:-1] if not name.isprintable() else name[:MAX_NAME]
