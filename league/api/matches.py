"""Matches: the list with its filters, one with its deals, the receipt of its Elo."""

from typing import Any

from django.db.models import QuerySet
from django.http import Http404
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api.views import ApiList, ApiView, answer
from games.models import Match as MatchRow
from games.selectors import records
from league.api.finding import find_match, named
from league.api.serializers import matches as shapes
from league.models import League, Tournament
from league.selectors import leagues, match_lists, matches, profiles, tournaments
from league.selectors.ratings import receipt


class Matches(ApiList):
    """Matches, the newest first: the public ones, and the private ones of your leagues.

    Of one `league` or `tournament` the unlisted ones as well. Practice and tests are on no list.
    """

    serializer_class = shapes.MatchInList
    query_class = shapes.MatchQuery
    queryset = MatchRow.objects.none()

    def get_queryset(self) -> QuerySet[MatchRow]:
        """Those that this reader may find, narrowed."""
        asked, viewer = self.asked(), self.request.user
        within: list[League | Tournament] = []
        if asked["league"]:
            within.append(named(leagues.visible(viewer), "league", slug=asked["league"]))
        if asked["tournament"]:
            within.append(named(tournaments.visible(viewer), "tournament", code=asked["tournament"].lower()))
        rows = match_lists.shown(viewer, within=within)
        if asked["player"]:
            rows = match_lists.of_player(rows, named(profiles.players(), "player", slug=asked["player"]))
        if asked["round"]:
            rows = rows.filter(pairing_match__pairing__round__number=asked["round"])
        if asked["board"]:
            rows = rows.filter(pairing_match__pairing__board=asked["board"] - 1)
        rows = rows.filter(state=asked["state"]) if asked["state"] else rows
        return matches.with_lines(rows)

    @extend_schema(operation_id="matches")
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return super().get(request, *args, **kwargs)


class Match(ApiView):
    """A match with its deals. Cards come when the deal is over, in a mirrored set when the whole set is."""

    @extend_schema(responses=shapes.Match, operation_id="match")
    def get(self, request: Request, code: str) -> Response:
        rows = MatchRow.objects.filter(pk=find_match(request, code).pk)
        found = matches.with_lines(rows).defer(None).get()
        bundle = records.bundle(found, request.user)
        if bundle is None:
            raise Http404
        open_deals = {deal["number"]: deal for deal in bundle["deals"]}
        deals = [
            {**shapes.DealHead(deal).data, "cards": _cards(open_deals.get(deal.number))}
            for deal in found.deals.order_by("number")
        ]
        return Response(
            {
                **shapes.MatchHead(found).data,
                "mirror": _mirror(found),
                "deals": deals,
                "seed": bundle.get("seed"),
                "hidden": bundle.get("hidden", {}),
            }
        )


def _cards(shown: dict[str, Any] | None) -> dict[str, Any] | None:
    return shapes.Cards(shown).data if shown else None


def _mirror(match: MatchRow) -> dict[str, Any] | None:
    if match.mirror_set is None:
        return None
    twins = MatchRow.objects.filter(mirror_set=match.mirror_set, rerun=match.rerun).exclude(pk=match.pk)
    return {"index": match.mirror_index, "twins": list(twins.order_by("mirror_index").values_list("code", flat=True))}


class Receipt(ApiView):
    """Whether a match counts for Elo, and the arithmetic; 404 for matches that are never rated."""

    @extend_schema(responses=shapes.Receipt, operation_id="match_receipt")
    def get(self, request: Request, code: str) -> Response:
        found = receipt(find_match(request, code))
        if found is None:
            raise Http404
        return answer(shapes.Receipt, found)
