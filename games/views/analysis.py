"""The analysis of a match, asked for by its replay."""

from django.http import Http404, HttpRequest, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from games.errors import AnalysisNotYet
from games.models import Match
from games.selectors.analysis import RETRY_AFTER_S, made_by_deal
from games.selectors.visibility import can_see_match
from games.services import analysis


@never_cache
@require_safe
def as_json(request: HttpRequest, code: str) -> JsonResponse:
    """`{"deals": [{number, method, luck, plays}]}`; 202 while it is being made, 409 before the cards are open."""
    match = Match.objects.filter(code=code.upper()).first()
    if match is None or not can_see_match(match, request.user):
        raise Http404
    try:
        is_made = analysis.want(match=match)
    except AnalysisNotYet as error:
        return JsonResponse({"code": error.code, "message": str(error)}, status=error.status)
    if not is_made:
        return JsonResponse({"deals": []}, status=202, headers={"Retry-After": RETRY_AFTER_S})
    return JsonResponse({"deals": [{"number": number} | made for number, made in made_by_deal(match).items()]})
