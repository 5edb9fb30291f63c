"""Pages of leagues, tournaments, matches, players and rankings."""

from django.urls import path, register_converter

from league.views import (
    bots,
    entering,
    home,
    invitations,
    joining,
    leagues,
    matches,
    organise,
    organise_members,
    organise_setup,
    organise_tournaments,
    play,
    players,
    rankings,
    rulings,
    status,
    table,
    tournaments,
)


class CodeConverter:
    """The code of a tournament or a match."""

    regex = "[0-9a-zA-Z]{4,12}"

    def to_python(self, value: str) -> str:
        """As it is."""
        return value

    def to_url(self, value: str) -> str:
        """As it is."""
        return value


register_converter(CodeConverter, "code")

app_name = "league"
home_urls = [
    path("", home.home, name="home"),
    path("now/", home.now, name="now"),
]
leagues_urls = [
    path("leagues/", leagues.index, name="leagues"),
    path("leagues/new/", leagues.new, name="league-new"),
    path("leagues/<slug:slug>/", leagues.league, name="league"),
    path("leagues/<slug:slug>/members/", leagues.members, name="league-members"),
    path("leagues/<slug:slug>/tournaments/", leagues.league_tournaments, name="league-tournaments"),
    path("leagues/<slug:slug>/log/", leagues.log, name="league-log"),
    path("leagues/<slug:slug>/join/", joining.join, name="join"),
    path("leagues/<slug:slug>/leave/", joining.leave, name="leave"),
]
tournaments_urls = [
    path("tournaments/", tournaments.index, name="tournaments"),
    path("tournaments/<code:code>/", tournaments.tournament, name="tournament"),
    path("tournaments/<code:code>/standings.csv", tournaments.csv, name="tournament-csv"),
    path("tournaments/<code:code>/standings/<int:entry>/", tournaments.explained, name="tournament-explained"),
    path("tournaments/<code:code>/rounds/", tournaments.rounds, name="tournament-rounds"),
    path("tournaments/<code:code>/matches/", tournaments.matches, name="tournament-matches"),
    path("tournaments/<code:code>/entries/", entering.entries, name="tournament-entries"),
    path("tournaments/<code:code>/enter/", entering.enter, name="enter"),
    path("tournaments/<code:code>/entries/<int:entry>/withdraw/", entering.withdraw, name="withdraw"),
    path("tournaments/<code:code>/rules/", tournaments.rules, name="tournament-rules"),
    path("tournaments/<code:code>/log/", tournaments.log, name="tournament-log"),
]
_LEAGUE = "organise/<slug:slug>/"
_MEMBER = _LEAGUE + "members/<slug:player>/"
_TOURNAMENT = _LEAGUE + "tournaments/<code:code>/"
organise_urls = [
    path("organise/", organise.index, name="organise"),
    path("organise/matches/<code:code>/rerun/", rulings.rerun, name="match-rerun"),
    path(_LEAGUE, organise.dashboard, name="organise-league"),
    path(_LEAGUE + "settings/", organise.settings, name="organise-settings"),
    path(_LEAGUE + "invitation/", organise.invitation, name="organise-invitation"),
    path(_LEAGUE + "league/<slug:name>/", organise.deed, name="organise-league-deed"),
    path(_LEAGUE + "members/", organise_members.members, name="organise-members"),
    path(_MEMBER + "role/", organise_members.role, name="organise-role"),
    path(_MEMBER + "<slug:name>/", organise_members.deed, name="organise-member-deed"),
    path(_LEAGUE + "tournaments/new/", organise_setup.new, name="organise-tournament-new"),
    path(_TOURNAMENT, organise_tournaments.control, name="organise-tournament"),
    path(_TOURNAMENT + "settings/", organise_setup.settings, name="organise-tournament-settings"),
    path(_TOURNAMENT + "preview/", organise_setup.preview, name="organise-preview"),
    path(_TOURNAMENT + "rounds/<int:number>/release/", organise_tournaments.release, name="organise-release"),
    path(_TOURNAMENT + "entries/<int:entry>/refuse/", organise_tournaments.refuse_entry, name="organise-refuse-entry"),
    path(_TOURNAMENT + "<slug:name>/", organise_tournaments.deed, name="organise-tournament-deed"),
]
matches_urls = [
    path("matches/", matches.index, name="matches"),
    path("matches/export.csv", matches.as_csv, name="matches-csv"),
    path("matches/export.json", matches.as_json, name="matches-json"),
    path("matches/<code:code>/", matches.match, name="match"),
    path("matches/<code:code>/replay/", matches.replay, name="replay"),
    path("matches/<code:code>/table/", table.table, name="table"),
]
_INVITATION = "play/invitations/<slug:code>/"
play_urls = [
    path("practice/", play.practice, name="practice"),
    path("play/", play.play, name="play"),
    path("play/open/", play.open_now, name="play-open"),
    path("play/keep/", play.keep, name="keep-games"),
    path("play/invitations/", invitations.make, name="invitation-make"),
    path(_INVITATION, invitations.invitation, name="invitation"),
    path(_INVITATION + "accept/", invitations.accept, name="invitation-accept"),
    path(_INVITATION + "decline/", invitations.decline, name="invitation-decline"),
    path(_INVITATION + "withdraw/", invitations.withdraw, name="invitation-withdraw"),
    path("matches/<code:code>/rematch", invitations.rematch, name="rematch"),
]
rankings_urls = [
    path("rankings/", rankings.index, name="rankings"),
    path("rankings/export.csv", rankings.as_csv, name="rankings-csv"),
    path("rankings/export.json", rankings.as_json, name="rankings-json"),
]
players_urls = [
    path("bots/", bots.index, name="bots"),
    path("bots/<slug:slug>/", bots.bot, name="bot"),
    path("players/<slug:slug>/", players.player, name="player"),
    path("status/", status.status, name="status"),
]

urlpatterns = [
    *home_urls,
    *leagues_urls,
    *tournaments_urls,
    *organise_urls,
    *play_urls,
    *matches_urls,
    *rankings_urls,
    *players_urls,
]
