"""What an operator asks first when something is wrong: each part of the installation looked at, in plain lines."""

from collections.abc import Iterator

from bots.doctor import machine, services, site
from bots.doctor.finding import Finding, Mark, shown

__all__ = ["Finding", "Mark", "examine", "shown"]


def examine() -> Iterator[Finding]:
    """Every finding as it is made; what only tables can tell is left out where there are none."""
    yield from machine.look()
    has_tables = False
    for finding in services.look():
        has_tables |= (finding.subject, finding.mark) == ("migrations", Mark.OK)
        yield finding
    if has_tables:
        yield from site.look()
    yield site.mails()
