"""A league with a person of every role, a private one, and a tournament that has been played: what pages are shown."""

from dataclasses import dataclass

from django.test import Client

from accounts.models import User
from games.models import Match
from league.models import League, Membership, Tournament
from league.services import leagues, memberships, tournaments
from league.services.tournaments import RoundRobinSettings
from tests.accounts.factories import make_user
from tests.league.playing import make_tournament, play_all

REASON = "The power went out at the desk."


@dataclass
class World:
    """`people` by the name of what they are; None is nobody."""

    league: League
    tournament: Tournament
    draft: Tournament
    people: dict[str, User | None]
    match: Match

    def client(self, who: str) -> Client:
        """A browser in which that person is signed in, speaking English."""
        client = Client(headers={"Accept-Language": "en"})
        if (user := self.people[who]) is not None:
            client.force_login(user)
        return client

    def bot_owner(self, number: int = 0) -> User:
        """The author of one of the bots that play."""
        entry = self.tournament.entries.order_by("pk")[number]
        return entry.members.get().player.bot.owner


def give_role(league: League, owner: User, user: User, role: str) -> Membership:
    """Make a person a member with a role."""
    membership = memberships.join(league=league, player=user.player, actor=user, code=league.invitation_code or "")
    return leagues.appoint(league=league, actor=owner, member=membership, role=role)


def make_world(*, is_played: bool = True, joining: str = "", **fields: object) -> World:
    """Everything once; `fields` are those of the league, `joining` what it is in the end."""
    owner = make_user()
    league = leagues.create(owner=owner, name=f"Lega {owner.pk}", **fields)  # type: ignore[arg-type]
    league = leagues.publish(league=league, actor=owner)
    people: dict[str, User | None] = {"nobody": None, "stranger": make_user(), "owner": owner}
    for role in ("member", "arbiter", "organiser"):
        user = make_user()
        give_role(league, owner, user, role)
        people[role] = user
    people["admin"] = make_user(is_staff=True)
    settings = RoundRobinSettings(encounter=2)
    tournament, _organiser = make_tournament(3, league=league, settings=settings)
    tournaments.start(tournament=tournament, actor=owner)
    if is_played:
        play_all(tournament)
    if joining:
        league = leagues.update(league=league, actor=owner, joining=joining)
    tournament.refresh_from_db()
    draft = tournaments.create(league=league, actor=owner, name="Bozza", settings=settings)
    match = Match.objects.filter(pairing_match__pairing__stage__tournament=tournament).order_by("pk").first()
    assert match is not None
    return World(league, tournament, draft, people, match)
