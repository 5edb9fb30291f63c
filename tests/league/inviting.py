"""What tests of challenges and practice need: people, house bots, offers."""

from typing import Any

from accounts.models import User
from bots.house import HOUSE
from bots.models import BotVersion
from games.clocks import DEFAULT, NO_CLOCK
from games.engine import Rules
from games.models import Match, MatchMode, Visibility
from games.services.deals import start_match
from league.models import Invitation, InvitationKind
from league.services import invitations
from league.services.invitations import InvitationOrder, Wish
from league.services.seating import Sitter, make_match
from tests.factories import make_version


def make_house_bots() -> dict[str, BotVersion]:
    """The three levels, qualified: rows only, no code that plays well."""
    made = {level: make_version(HOUSE[level]) for level in ("principiante", "medio", "esperto")}
    for version in made.values():
        version.bot.is_house = True
        version.bot.save(update_fields=["is_house"])
    return made


def offer(by: User, kind: InvitationKind = InvitationKind.LINK, *wishes: Wish, **fields: Any) -> Invitation:
    """An invitation by this person; to anybody unless said otherwise."""
    wishes = wishes or (Wish(),)
    order = {"rules": Rules.preset("fantacarte", len(wishes) + 1), "clock": DEFAULT, "mode": MatchMode.CASUAL} | fields
    return invitations.make(by=by.player, order=InvitationOrder(kind=kind, wishes=wishes, **order))


def practise(user: User, version: BotVersion) -> Match:
    """A game of practice of this person against any bot, begun."""
    match = make_match(
        rules=Rules(),
        clock=NO_CLOCK,
        mode=MatchMode.PRACTICE,
        visibility=Visibility.UNLISTED,
        sitters=[Sitter(user.player), Sitter(version.bot.player, version)],
    )
    return start_match(match=match)


def made_match(invitation: Invitation) -> Match:
    """The match that came of it."""
    invitation.refresh_from_db()
    assert invitation.match is not None
    return invitation.match
