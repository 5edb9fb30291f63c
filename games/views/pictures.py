"""The picture of a match for links to it: `/matches/<code>/og.png`."""

from typing import Final

from django.core.cache import cache
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.templatetags.static import static
from django.views.decorators.http import require_safe

from games import pictures
from games.models import Match
from games.selectors.pictures import picture_of
from games.selectors.visibility import can_see_match

#: Pictures are drawn again when they are asked for after this; a finished match has always the same one.
KEPT_S: Final = 7 * 24 * 3600
#: One picture takes half a second of a core: so many are drawn in a second, others get the site's own meanwhile.
A_SECOND: Final = 1
_DEFAULT: Final = "img/og-default.png"


@require_safe
def picture(request: HttpRequest, code: str) -> HttpResponse:
    """The picture of the match, or of deal `d`; the site's own where there is none (yet)."""
    match = Match.objects.filter(code=code.upper()).first()
    if match is None or not can_see_match(match, request.user):
        raise Http404
    wanted = request.GET.get("d", "")
    number = int(wanted) if wanted.isascii() and wanted.isdigit() and len(wanted) < 5 else None
    key = f"og:{match.code}:{number}"
    data: bytes | None = cache.get(key)
    if data is None:
        found = picture_of(match, number)
        if found is None or not _may_draw():
            answer: HttpResponse = redirect(static(_DEFAULT))
            answer.headers["Cache-Control"] = "public, max-age=10"
            return answer
        data = pictures.png(found)
        cache.set(key, data, KEPT_S)
    return HttpResponse(data, content_type="image/png", headers={"Cache-Control": f"public, max-age={KEPT_S}"})


def _may_draw() -> bool:
    """Whether this second has room for one more."""
    cache.add("og:drawn", 0, 1)
    try:
        return int(cache.incr("og:drawn")) <= A_SECOND
    except ValueError:  # the second ended between the two
        return True
