"""The new-game panel: practice against the house, and a match that others are asked to."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from django import forms
from django.utils.translation import gettext_lazy as _

from accounts.models import Deck
from bots.models import Bot
from games.clocks import NO_CLOCK, PRESETS
from games.engine import Rules, RulesError
from games.engine.presets import PRESETS as RULES
from games.models import MatchMode, Player, Visibility
from games.selectors.presets import presets
from league.models import InvitationKind
from league.selectors.play import LEVELS, house_bot, people_named
from league.services.invitations import InvitationOrder, Wish
from league.services.practice import DEALERS, PracticeOrder

CLOCKS: Final = (
    (PRESETS["fast"], _("Fast: 1 min + 3 s a card")),
    (PRESETS["normal"], _("Normal: 3 min + 5 s a card")),
    (PRESETS["slow"], _("Slow: 10 min + 10 s a card")),
)
LEVEL_NAMES: Final = (("principiante", _("Beginner")), ("medio", _("Intermediate")), ("esperto", _("Expert")))
PERSON: Final = "person"
#: The length of the chosen rules.
AS_RULES: Final = "rules"
#: The order in which people who are named take the seats: the partner first.
SEATS: Final = {2: (1,), 4: (2, 1, 3)}
MOST_NAMES: Final = 200


class PanelForm(forms.Form):
    """What both panels ask; a choice that is not sent is the one that the panel shows at first."""

    players = forms.TypedChoiceField(
        label=_("Table"),
        choices=[("2", _("One against one")), ("4", _("Two against two"))],
        coerce=int,
        widget=forms.RadioSelect,
        initial="2",
    )
    dealer = forms.ChoiceField(
        label=_("Who deals first"),
        choices=[("lot", _("By lot")), ("me", _("I do")), ("other", _("The player after me"))],
        initial="lot",
    )
    deck = forms.ChoiceField(label=_("Deck"), choices=Deck.choices, initial=Deck.NAPOLETANE)

    def __init__(self, data: Mapping[str, Any] | None = None, *, initial: dict[str, Any] | None = None) -> None:
        super().__init__(data, initial=initial, auto_id=f"{type(self).__name__.removesuffix('Form').lower()}_%s")
        if data is not None:
            choices = {name for name, field in self.fields.items() if isinstance(field, forms.ChoiceField)}
            shown = {name: self.get_initial_for_field(self.fields[name], name) for name in choices}
            self.data = {name: value for name, value in shown.items() if value is not None} | dict(data.items())


class PracticeForm(PanelForm):
    """A game against the house."""

    level = forms.ChoiceField(label=_("Level"), choices=LEVEL_NAMES, widget=forms.RadioSelect, initial="medio")
    signals = forms.BooleanField(
        label=_("Partners tell each other their trumps"),
        required=False,
        help_text=_("The site says which trump honours your partner holds, and how many aces and threes besides."),
    )
    first_to = forms.TypedChoiceField(
        label=_("Length"),
        choices=[("2", _("Best of three deals")), ("1", _("A single deal"))],
        coerce=int,
        widget=forms.RadioSelect,
        initial="2",
    )
    clock = forms.ChoiceField(label=_("Clock"), choices=[(NO_CLOCK, _("No clock")), *CLOCKS], initial=NO_CLOCK)
    field_order = ("level", "players", "signals", "first_to", "dealer", "clock", "deck")

    def order(self) -> PracticeOrder:
        """What the service is asked for; precondition: the form is valid."""
        data = self.cleaned_data
        names = ("level", "players", "signals", "dealer", "clock", "first_to")
        return PracticeOrder(**{name: data[name] for name in names})

    @staticmethod
    def initial_of(order: PracticeOrder) -> dict[str, Any]:
        """What the fields show for an order."""
        fields = ("level", "players", "signals", "dealer", "clock", "first_to")
        return {name: value if isinstance(value := getattr(order, name), bool) else str(value) for name in fields}


class InvitationForm(PanelForm):
    """A match with people, or with any bot."""

    #: Where a refusal of the service is shown: code -> field.
    FIELDS = {
        "invitation.self": "names",
        "invitation.twice": "names",
        "invitation.seats": "names",
        "invitation.clock": "clock",
        "match.clock": "clock",
        "invitation.rated": "rated",
        "pair_limit": "rated",
        "no_bot": "bot",
    }

    how = forms.ChoiceField(
        label=_("With whom"),
        choices=[
            ("link", _("Whoever has the link")),
            ("name", _("By name")),
            ("seek", _("Anybody here")),
            ("bot", _("A bot")),
        ],
        widget=forms.RadioSelect,
        initial="link",
    )
    names = forms.CharField(
        label=_("Names"),
        required=False,
        max_length=MOST_NAMES,
        help_text=_("As on their pages; at a table of four the partner first, with commas between them."),
    )
    bot = forms.ChoiceField(label=_("Bot"), required=False)
    seat_1 = forms.ChoiceField(label=_("Opponent after me"), initial=PERSON)
    seat_2 = forms.ChoiceField(label=_("Partner"), initial=PERSON)
    seat_3 = forms.ChoiceField(label=_("Opponent before me"), initial=PERSON)
    preset = forms.ChoiceField(label=_("Rules"), initial="fantacarte")
    length = forms.ChoiceField(
        label=_("Length"),
        choices=[
            ("first_to:2", _("Best of three deals")),
            ("first_to:1", _("A single deal")),
            ("first_to:3", _("Best of five deals")),
            (AS_RULES, _("As the rules say")),
        ],
        initial="first_to:2",
    )
    clock = forms.ChoiceField(
        label=_("Clock"), choices=[*CLOCKS, (NO_CLOCK, _("No clock (against bots)"))], initial=PRESETS["normal"]
    )
    rated = forms.BooleanField(
        label=_("Counts for Elo"),
        required=False,
        help_text=_("Two people, the usual rules, best of three or more. Six matches a day with the same opponent."),
    )
    unlisted = forms.BooleanField(
        label=_("Off the lists"), required=False, help_text=_("Only who has the address of the table can watch.")
    )
    field_order = (
        "how", "names", "bot", "players", "seat_2", "seat_1", "seat_3", "preset", "length", "dealer", "clock", "rated",
        "unlisted", "deck",
    )  # fmt: skip

    def __init__(
        self,
        data: Mapping[str, Any] | None = None,
        *,
        bots: Sequence[Bot],
        initial: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(data, initial=initial)
        self.bots = {bot.player.slug: bot for bot in bots}
        self._choices("bot", [("", "—"), *((slug, bot.player.name) for slug, bot in self.bots.items())])
        self._choices("preset", [(one.name, one.title) for one in presets()])
        for name in ("seat_1", "seat_2", "seat_3"):
            self._choices(name, [(PERSON, _("A person")), *LEVEL_NAMES])

    def _choices(self, name: str, choices: list[Any]) -> None:
        field = self.fields[name]
        assert isinstance(field, forms.ChoiceField)
        field.choices = choices

    def clean(self) -> dict[str, Any]:
        """The rules must exist for so many players, and everybody who is named."""
        data = super().clean() or {}
        if not self.errors:
            self._rules(data)
            self._wishes(data)
        return data

    def _rules(self, data: dict[str, Any]) -> None:
        n = data["players"]
        if n not in RULES[data["preset"]]:
            self.add_error("preset", _("These rules are not for so many players: choose others."))
            return
        changes = {"format": data["length"]} if data["length"] != AS_RULES else {}
        if data["dealer"] != "lot":
            changes["first_dealer"] = DEALERS[data["dealer"]]
        try:
            data["rules"] = replace(Rules.preset(data["preset"], n), **changes)
        except RulesError:
            self.add_error("length", _("These rules cannot be played like that: choose “As the rules say”."))

    def _wishes(self, data: dict[str, Any]) -> None:
        n = data["players"]
        wishes = {seat: self._wish(data, seat) for seat in range(1, n)}
        people = [seat for seat in SEATS[n] if wishes[seat].version is None]
        if data["how"] == "name":
            named = self._named(data["names"])
            if len(named) > len(people):
                self.add_error("names", _("There are more names than free seats."))
            wishes |= {seat: Wish(player) for seat, player in zip(people, named, strict=False)}
            if not named:
                self.add_error("names", _("Write the name of who you want to play with."))
        elif not people and data["how"] != "bot":
            self.add_error("how", _("With bots at all seats nobody is asked: choose “A bot”."))
        data["wishes"] = tuple(wishes[seat] for seat in range(1, n))

    def _wish(self, data: dict[str, Any], seat: int) -> Wish:
        if data["how"] == "bot" and seat == 1:
            if (bot := self.bots.get(data["bot"])) is None:
                self.add_error("bot", _("Choose a bot."))
                return Wish()
            return Wish(bot.player, bot.active_version)
        if data["players"] == 2:  # the only other seat is a person's
            return Wish()
        level = data[f"seat_{seat}"]
        if level == PERSON:
            return Wish()
        bot = house_bot(level)
        if bot is None:
            self.add_error(f"seat_{seat}", _("This bot is not ready to play yet: choose another level."))
            return Wish()
        return Wish(bot.player, bot.active_version)

    def _named(self, text: str) -> list[Player]:
        found = []
        for name in (part.strip() for part in text.split(",")):
            if not name:
                continue
            people = people_named(name)
            if len(people) == 1:
                found.append(people[0])
            elif people:
                said = _(
                    "Several players are called “%(name)s”: write the last part of the address of the right one's page."
                )
                self.add_error("names", said % {"name": name})
            else:
                self.add_error("names", _("No player is called “%(name)s”.") % {"name": name[:40]})
        return found

    def order(self) -> InvitationOrder:
        """What the service is asked for; precondition: the form is valid."""
        data = self.cleaned_data
        is_open = any(wish.player is None for wish in data["wishes"])
        kind = InvitationKind.SEEK if data["how"] == "seek" else InvitationKind.LINK if is_open else InvitationKind.NAME
        return InvitationOrder(
            kind=kind,
            rules=data["rules"],
            clock=data["clock"],
            mode=MatchMode.RATED if data["rated"] else MatchMode.CASUAL,
            visibility=Visibility.UNLISTED if data["unlisted"] else Visibility.PUBLIC,
            wishes=data["wishes"],
        )


def order_of(code: str, clock: str, level: str) -> PracticeOrder:
    """The order by which a game of practice was begun, from what is stored of it."""
    rules = Rules.parse(code)
    dealers = {word: name for name, word in DEALERS.items()}
    return PracticeOrder(
        level=level if level in LEVELS else "medio",
        players=rules.n if rules.n in SEATS else 2,
        signals=rules.signals == "auto",
        dealer=dealers.get(rules.first_dealer, "lot"),
        clock=clock,
        first_to=rules.target if rules.target in (1, 2) else 2,
    )
