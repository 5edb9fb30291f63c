"""The sentences behind the codes of checks and uploads: what happened, and what to do about it.

Reports carry codes and parameters; the site shows `gettext(MESSAGES[code]) % params`, the command line
the English text.
"""

from typing import Final


def gettext_noop(text: str) -> str:
    """Marks a sentence for the catalogues."""
    return text


MESSAGES: Final[dict[str, str]] = {
    # uploads: parameters file, limit (bytes or files), detail
    "upload.too_large": gettext_noop("The archive is too large: %(limit)s bytes at most."),
    "upload.too_many_files": gettext_noop("The archive holds too many files: %(limit)s at most."),
    "upload.file_too_large": gettext_noop("%(file)s is too large: %(limit)s bytes at most."),
    "upload.no_entry": gettext_noop("%(file)s is not in the archive."),
    "upload.toml": gettext_noop("bot.toml cannot be read: %(detail)s."),
    "upload.name": gettext_noop("%(file)s is not a name that a file may have."),
    "upload.name_twice": gettext_noop("%(file)s stands in the archive twice."),
    "upload.compression": gettext_noop("%(file)s is encrypted or compressed in an unusual way."),
    "upload.not_a_zip": gettext_noop("This is no zip archive, or it is damaged."),
    "upload.file_type": gettext_noop("%(file)s is a file of a kind that a bot may not have."),
    "upload.syntax": gettext_noop("%(file)s, line %(line)s: %(detail)s"),
    "upload.no_form": gettext_noop("%(file)s must define exactly one of play, Bot and main; it defines: %(found)s."),
    # checks
    "check.syntax_ok": gettext_noop("The files can be read."),
    "check.form_ok": gettext_noop("The bot has the form %(form)s."),
    "check.start_ok": gettext_noop("The bot starts in %(ms)s ms."),
    "check.games_ok": gettext_noop("%(deals)s deals without a fault: %(won)s won, %(drawn)s drawn, %(lost)s lost."),
    "check.cold_ok": gettext_noop("%(requests)s requests answered by a fresh process each."),
    "check.reproducible": gettext_noop("The same seed gives the same plays."),
    "check.not_reproducible": gettext_noop("The same seed gives other plays: the bot cannot be reproduced."),
    "check.machine": gettext_noop("Our machine failed here: this is not the bot's fault."),
    "check.deadline": gettext_noop("The check took too long and was broken off."),
    "verdict.qualified": gettext_noop("The version is qualified."),
    "verdict.rejected": gettext_noop("The version is rejected."),
    "verdict.again": gettext_noop("The check is to be repeated."),
    # faults: parameters detail, exit
    "fault.timeout": gettext_noop("The bot used more time than it has (%(detail)s)."),
    "fault.crash": gettext_noop("The bot ended by itself (%(exit)s): %(detail)s"),
    "fault.illegal": gettext_noop("The bot played a card that it does not hold: %(detail)s."),
    "fault.protocol": gettext_noop("The bot's answer cannot be read: %(detail)s."),
    "fault.memory": gettext_noop("The bot used more memory than it has."),
    "fault.output": gettext_noop("The bot wrote too much: %(detail)s."),
}

WHAT_TO_DO: Final[dict[str, str]] = {
    "fix.syntax": gettext_noop("Correct that line and upload the file again."),
    "fix.form": gettext_noop(
        "Define one function play(view), or one class Bot with a method play, or main; rename the others."
    ),
    "fix.timeout": gettext_noop(
        "Think less: a move has 100 ms of processor time, and a deal a bank for what is above."
    ),
    "fix.crash": gettext_noop("Read the end of the log: it names the line that failed. Correct it and upload again."),
    "fix.illegal": gettext_noop("Return one of view.legal."),
    "fix.protocol": gettext_noop("Return a card as text, such as AD, and write everything else to the log."),
    "fix.memory": gettext_noop("Keep less in memory: the start message says how much there is."),
    "fix.output": gettext_noop("Print less, and only to the log."),
    "fix.seed": gettext_noop(
        "Take every random number from the start message's seed if you want games that can be repeated."
    ),
    "fix.again": gettext_noop("Nothing: it is repeated by itself."),
    "fix.archive": gettext_noop("Pack the bot again: one Python file, or a zip with bot.py at its top."),
}
