"""Addresses of the API of what leagues add: bots, players, leagues, tournaments, matches, rankings."""

from django.urls import path, re_path

from league.api import leagues, matches, players, tournaments

_LEAGUE = "leagues/<slug:slug>/"
_TOURNAMENT = "tournaments/<slug:code>/"

urlpatterns = [
    path("bots/", players.Bots.as_view(), name="bots"),
    path("bots/<slug:slug>/", players.Bot.as_view(), name="bot"),
    path("players/", players.Players.as_view(), name="players"),
    path("players/<slug:slug>/", players.Player.as_view(), name="player"),
    path("players/<slug:slug>/history/", players.History.as_view(), name="player-history"),
    path("rankings/", players.Rankings.as_view(), name="rankings"),
    re_path(r"^rankings/(?P<pool>[-a-zA-Z0-9_:]{1,80})/$", players.Ranking.as_view(), name="ranking"),
    path("leagues/", leagues.Leagues.as_view(), name="leagues"),
    path(_LEAGUE, leagues.League.as_view(), name="league"),
    path(_LEAGUE + "members/", leagues.Members.as_view(), name="league-members"),
    path(_LEAGUE + "members/<slug:bot>/", leagues.Member.as_view(), name="league-member"),
    path(_LEAGUE + "eligibility/", leagues.LeagueEligibility.as_view(), name="league-eligibility"),
    path("tournaments/", tournaments.Tournaments.as_view(), name="tournaments"),
    path(_TOURNAMENT, tournaments.Tournament.as_view(), name="tournament"),
    path(_TOURNAMENT + "standings/", tournaments.Standings.as_view(), name="tournament-standings"),
    path(_TOURNAMENT + "rounds/", tournaments.Rounds.as_view(), name="tournament-rounds"),
    path(_TOURNAMENT + "rounds/<int:number>/", tournaments.Round.as_view(), name="tournament-round"),
    path(_TOURNAMENT + "entries/", tournaments.Entries.as_view(), name="tournament-entries"),
    path(_TOURNAMENT + "entries/<int:entry>/", tournaments.Entry.as_view(), name="tournament-entry"),
    path(_TOURNAMENT + "eligibility/", tournaments.TournamentEligibility.as_view(), name="tournament-eligibility"),
    path("matches/", matches.Matches.as_view(), name="matches"),
    path("matches/<slug:code>/", matches.Match.as_view(), name="match"),
    path("matches/<slug:code>/receipt/", matches.Receipt.as_view(), name="match-receipt"),
]
