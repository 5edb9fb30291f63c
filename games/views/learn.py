"""Learning the game: rules and words."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from games import faces, glossary
from games.selectors.presets import presets


def _crumbs(label: str) -> list[tuple[str, str]]:
    return [(label, "")]


@require_safe
def rules(request: HttpRequest) -> HttpResponse:
    """The rules in brief, in the viewer's deck."""
    ranks = [(rank, faces.POINTS.get(rank, 0)) for rank in faces.STRENGTH]
    context = {"ranks": ranks, "breadcrumb": _crumbs(_("Rules"))}
    return render(request, "games/rules.html", context)


@require_safe
def other_rules(request: HttpRequest) -> HttpResponse:
    """The presets: rules of the sources and variants, each with what it sets."""
    context = {"presets": presets(), "breadcrumb": [(_("Rules"), "../rules/"), (_("Rules of other tables"), "")]}
    return render(request, "games/presets.html", context)


@require_safe
def words(request: HttpRequest) -> HttpResponse:
    """The words of the table, each with an anchor."""
    context = {"words": glossary.words(), "breadcrumb": [(_("Rules"), "../rules/"), (_("Words"), "")]}
    return render(request, "games/glossary.html", context)
