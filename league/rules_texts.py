"""The format of a stage in words: what a player reads before entering."""

from django.utils.translation import gettext, ngettext

from games.rules_texts import Fact
from league.models import Stage


def format_facts(stage: Stage) -> list[Fact]:
    """How the entries of a stage meet, one fact a line."""
    cycles = (
        gettext("Round robin, twice: everybody meets everybody two times.")
        if stage.params.get("double")
        else gettext("Round robin: everybody meets everybody once.")
    )
    matches = ngettext("%(count)d match", "%(count)d matches", stage.encounter) % {"count": stage.encounter}
    if stage.mirrored:
        mirrored = gettext("Mirrored: each pair of matches is played with the same decks and exchanged seats.")
    else:
        mirrored = gettext("Not mirrored: every match has a deck of its own, the seats alternate.")
    return [
        Fact(gettext("Format"), cycles),
        Fact(gettext("Pairing"), f"{matches}. {mirrored}"),
        Fact(gettext("Points"), _scoring(stage)),
    ]


def _scoring(stage: Stage) -> str:
    if stage.encounter_scoring == "share":
        return gettext("Every match counts: 1 point for a win, ½ for a draw.")
    return gettext("Who wins more matches wins the pairing: 1 point; ½ each when they are equal.")
