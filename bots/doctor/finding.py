"""One line of the doctor's report."""

from dataclasses import dataclass
from enum import StrEnum


class Mark(StrEnum):
    """How it stands: FAIL is what keeps the site from working or people from being safe."""

    OK = "ok"
    WARN = "WARN"
    FAIL = "FAIL"


@dataclass(frozen=True, slots=True)
class Finding:
    """What was looked at, how it stands, what was seen, and what to do unless it is well."""

    mark: Mark
    subject: str
    text: str
    advice: str = ""


def ok(subject: str, text: str) -> Finding:
    """All is well."""
    return Finding(Mark.OK, subject, text)


def warn(subject: str, text: str, advice: str) -> Finding:
    """It works, but should be known."""
    return Finding(Mark.WARN, subject, text, advice)


def fail(subject: str, text: str, advice: str) -> Finding:
    """It does not work, or is not safe."""
    return Finding(Mark.FAIL, subject, text, advice)


def shown(finding: Finding) -> str:
    """As it is printed: one line, and the advice below it."""
    line = f"{finding.mark:<5} {finding.subject}: {finding.text}"
    return f"{line}\n      -> {finding.advice}" if finding.advice else line


def first_line(error: BaseException) -> str:
    """What an error says, in one line of bounded length."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:300]
