"""Learning the game: a first game, rules, table, scoring, tips, pairs, words."""

from typing import Any, Final

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import pgettext
from django.views.decorators.http import require_safe

from accounts.templatetags.viewer import viewer
from games import clocks, faces, glossary
from games.engine import Rules, RulesError
from games.learn import first_game as guided
from games.learn import pages
from games.learn.examples import examples
from games.rules_texts import facts
from games.selectors.presets import presets

#: Longest code of rules that is read from an address.
CODE_LENGTH: Final = 300


def _page(request: HttpRequest, template: str, *, name: str, title: str, lede: str, **more: Any) -> HttpResponse:
    """A page of this part of the site, in the viewer's deck."""
    context = {
        "section": "learn",
        "title": title,
        "lede": lede,
        "breadcrumb": [(_("Learn"), reverse("games:learn")), (title, "")],
        "pages": pages.known(pages.ALL),
        "this_page": name,
        "deck": _deck(request),
    }
    return render(request, template, context | more)


def _deck(request: HttpRequest) -> str:
    return viewer({"request": request}).deck


@require_safe
def index(request: HttpRequest) -> HttpResponse:
    """All that can be learnt here."""
    groups = [{"title": title, "pages": pages.known(group)} for title, group in pages.GROUPS]
    return _page(
        request,
        "games/learn_index.html",
        name="games:learn",
        title=_("Learn Briscola"),
        lede=_("Start with a game: the rules come with the cards."),
        breadcrumb=[(_("Learn"), "")],
        first=pages.FIRST_GAME,
        groups=[group for group in groups if group["pages"]],
    )


@require_safe
def first_game(request: HttpRequest) -> HttpResponse:
    """The guided first game; without a script an illustrated list."""
    deck = _deck(request)
    return _page(
        request,
        "games/learn_first_game.html",
        name="games:first-game",
        title=_("Your first game"),
        lede=_("Five tricks of one deal, one idea each. Choose a card; a wrong one costs nothing."),
        steps=guided.steps(deck),
        script=guided.script(deck),
    )


@require_safe
def rules(request: HttpRequest) -> HttpResponse:
    """The rules in brief; with `?rules=<code>` also those of that table, in words."""
    ranks = [(rank, faces.POINTS.get(rank, 0)) for rank in faces.STRENGTH]
    return _page(
        request,
        "games/rules.html",
        name="games:rules",
        title=_("The rules of Briscola"),
        lede=_("In three minutes: what is played here, for two."),
        ranks=ranks,
        examples=examples("same_suit", "trump", "other_suit", deck=_deck(request)),
        table=_table(request.GET.get("rules", "")),
    )


def _table(code: str) -> dict[str, Any] | None:
    """The rules that an address names, in words; None when it names none."""
    if not code:
        return None
    try:
        found = Rules.parse(code[:CODE_LENGTH])
    except RulesError:
        return {"facts": []}
    return {"facts": facts(found.code), "code": found.code}


@require_safe
def how_to_play(request: HttpRequest) -> HttpResponse:
    """The table of the site: cards, keys, clocks, what can be done beside playing."""
    paces = {"fast": pgettext("pace", "Fast"), "normal": pgettext("pace", "Normal"), "slow": pgettext("pace", "Slow")}
    times = [(name, clocks.parse_clock(code)) for name, code in clocks.PRESETS.items()]
    return _page(
        request,
        "games/learn_how_to_play.html",
        name="games:how-to-play",
        title=_("How the table works"),
        lede=_("One tap plays a card. Everything else is here."),
        examples=examples("marks", deck=_deck(request)),
        clocks=[
            (paces[name], clock.bank_ms // 60_000, clock.increment_ms // 1000)
            for name, clock in times
            if clock is not None
        ],
        free_trick_s=clocks.FREE_TRICK_MS // 1000,
    )


@require_safe
def scoring(request: HttpRequest) -> HttpResponse:
    """What cards, deals and matches count."""
    worth = [(rank, faces.POINTS[rank], 4 * faces.POINTS[rank]) for rank in faces.STRENGTH if rank in faces.POINTS]
    return _page(
        request,
        "games/learn_scoring.html",
        name="games:scoring",
        title=_("Scoring"),
        lede=_("120 points lie in the deck: who has more than half wins the deal."),
        worth=[(rank, faces.rank_names(_deck(request))[rank], points, total) for rank, points, total in worth],
        whole=sum(total for _rank, _points, total in worth),
        examples=examples("count", "last_three", deck=_deck(request)),
    )


@require_safe
def tips(request: HttpRequest) -> HttpResponse:
    """Habits of good players, each with a position."""
    return _page(
        request,
        "games/learn_tips.html",
        name="games:tips",
        title=_("Tips"),
        lede=_("Six habits. Think first, then open the answer: the engine worked it out."),
        examples=examples("plain", "load_home", "trump_for_load", "lead", "upcard", "last_three", deck=_deck(request)),
    )


@require_safe
def pairs(request: HttpRequest) -> HttpResponse:
    """Four at a table: partners, what changes, signals."""
    return _page(
        request,
        "games/learn_pairs.html",
        name="games:pairs",
        title=_("In pairs"),
        lede=_("Two against two: your partner sits opposite, and your points are one heap."),
        examples=examples("give_partner", "save_trick", "told", deck=_deck(request)),
        signs=_signs(),
        honours=[faces.rank_letters(_deck(request))[rank] for rank in "A3RCF"],
    )


def _signs() -> list[tuple[str, str]]:
    """Traditional gestures, as (what it tells, what is seen); regions differ."""
    return [
        (_("Ace of trumps"), _("lips pressed together")),
        (_("Three of trumps"), _("mouth twisted to one side")),
        (_("King of trumps"), _("eyes raised")),
        (_("Knight of trumps"), _("tip of the tongue")),
        (_("Knave of trumps"), _("a shoulder raised")),
    ]


@require_safe
def other_rules(request: HttpRequest) -> HttpResponse:
    """The presets: rules of the sources and variants, each with what it sets."""
    return _page(
        request,
        "games/presets.html",
        name="games:presets",
        title=_("Rules of other tables"),
        lede=_(
            "Briscola is played in many ways. Each of these can be played to the letter; its code names it in records"
            " and on the command line."
        ),
        presets=presets(),
    )


@require_safe
def words(request: HttpRequest) -> HttpResponse:
    """The words of the table, each with an anchor."""
    return _page(
        request,
        "games/glossary.html",
        name="games:glossary",
        title=_("The words of the table"),
        lede=_("What players say, and what this site means by it."),
        words=glossary.words(),
    )
