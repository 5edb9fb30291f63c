"""A small site for the tests of the API: people, bots, a public and a private league, tournaments in each state."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django.test import Client

from accounts.models import ApiToken, User
from accounts.services import tokens
from bots.models import BotVersion
from games.models import Match
from league.models import Entry, League, Tournament
from league.services import entries, memberships, tournaments
from league.services.tournaments import RoundRobinSettings
from tests.accounts.factories import make_user
from tests.bots import uploading
from tests.factories import make_version
from tests.league.playing import make_league, make_tournament, play_all

SHORT = RoundRobinSettings(encounter=2)


def token_of(user: User, *scopes: str) -> str:
    """A new token; with every scope unless some are named."""
    return tokens.create(user=user, name="test", scopes=scopes or ApiToken.Scope.values, days=1)[1]


@dataclass
class Api:
    """A caller of the API: a token, or nobody."""

    secret: str = ""
    client: Client = field(default_factory=lambda: Client(raise_request_exception=True))

    def __call__(self, method: str, path: str, data: Any = None, **more: Any) -> Any:
        """A request to /api/v1/<path>; JSON unless said otherwise."""
        headers = {"accept-language": "en"} | more.pop("headers", {})
        if self.secret:
            headers["authorization"] = f"Bearer {self.secret}"
        kind = more.pop("content_type", "application/json")
        call = getattr(self.client, method.lower())
        if method == "GET":
            return call(f"/api/v1/{path}", data or {}, headers=headers, **more)
        if kind == "multipart":
            return call(f"/api/v1/{path}", data, headers=headers, **more)
        body = {} if data is None and method == "POST" else data
        return call(f"/api/v1/{path}", body if body is not None else "", content_type=kind, headers=headers, **more)

    def get(self, path: str, **query: Any) -> Any:
        """The JSON of a page that exists."""
        response = self("GET", path, query)
        assert response.status_code == 200, (path, response.status_code, response.content[:500])
        return response.json()


def all_rows(api: Api, path: str, **query: Any) -> list[Any]:
    """Every row of a list, page by page, as a client follows them."""
    rows, page = [], api.get(path, **query)
    while True:
        rows += page["results"]
        if page["next"] is None:
            return rows
        page = api.client.get(
            page["next"], headers={"authorization": f"Bearer {api.secret}"} if api.secret else {}
        ).json()


@dataclass
class World:
    """`version` belongs to `owner`; `member` plays in the private league, `other` nowhere."""

    owner: User
    other: User
    member: User
    staff: User
    version: BotVersion
    uploaded: BotVersion
    league: League
    finished: Tournament
    match: Match
    private: League
    private_tournament: Tournament
    private_match: Match
    open: Tournament
    draft: Tournament
    entry: Entry

    @property
    def slug(self) -> str:
        """The owner's bot."""
        return self.version.bot.player.slug

    def places(self) -> Mapping[str, str]:
        """What stands in addresses."""
        return {
            "bot": self.slug,
            "uploaded": self.uploaded.bot.player.slug,
            "league": self.league.slug,
            "private": self.private.slug,
            "finished": self.finished.code,
            "hidden": self.private_tournament.code,
            "open": self.open.code,
            "draft": self.draft.code,
            "match": self.match.code,
            "secret": self.private_match.code,
            "player": self.owner.player.slug,
            "entry": str(self.entry.pk),
        }


def played(tournament: Tournament, organiser: User, of: BotVersion | None = None) -> Match:
    """Play a tournament to its end; its first match, or the first one of a version."""
    tournaments.start(tournament=tournament, actor=organiser)
    play_all(tournament)
    tournament.refresh_from_db()
    assert tournament.state == "finished"
    found = Match.objects.filter(pairing_match__pairing__stage__tournament=tournament).order_by("pk")
    return (found.filter(seats__bot_seat__version=of) if of else found)[0]


def make_world() -> World:
    """Build it by the site's own services; every card of its matches is played."""
    owner, other, member, staff = make_user("Owner"), make_user("Other"), make_user("Member"), make_user(is_staff=True)
    version = make_version(owner=owner)
    league = make_league()
    versions = [version, make_version(), make_version()]
    finished, organiser = make_tournament(league=league, versions=versions, settings=SHORT)
    match = played(finished, organiser, version)
    private = make_league(visibility="private")
    inside = make_version(owner=member)
    hidden, runner = make_tournament(league=private, versions=[inside, make_version(), make_version()], settings=SHORT)
    private_match = played(hidden, runner, inside)
    new = tournaments.create(league=league, actor=organiser, name="Aperto", settings=SHORT)
    tournaments.open_registration(tournament=new, actor=organiser)
    entered = versions[1].bot
    entry = entries.enter(tournament=new, player=entered.player, actor=entered.owner)
    draft = tournaments.create(league=league, actor=organiser, name="Bozza", settings=SHORT)
    uploaded = uploading.qualified(owner, name="Caricato")
    return World(
        owner=owner,
        other=other,
        member=member,
        staff=staff,
        version=version,
        uploaded=uploaded,
        league=league,
        finished=finished,
        match=match,
        private=private,
        private_tournament=hidden,
        private_match=private_match,
        open=new,
        draft=draft,
        entry=entry,
    )


def join(league: League, version: BotVersion) -> None:
    """The bot of a version joins a league."""
    memberships.join(league=league, player=version.bot.player, actor=version.bot.owner)
