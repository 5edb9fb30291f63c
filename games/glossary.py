"""The words of the table: what a page of ours means by each."""

from dataclasses import dataclass

from django.utils.translation import gettext as _


@dataclass(frozen=True, slots=True)
class Word:
    """A word with its meaning; `anchor` is its place on the page and the same in every language."""

    anchor: str
    term: str
    text: str


def words() -> list[Word]:
    """All words in the reader's language, in its alphabetical order."""
    found = [
        Word(
            "trump", _("Trump"), _("The suit that beats the other three: that of the card turned up under the stock.")
        ),
        Word("trick", _("Trick"), _("One card from each player. Who takes it leads the next one.")),
        Word("deal", _("Deal"), _("One pass through the deck: 20 tricks, 120 points.")),
        Word(
            "match",
            _("Match"),
            _("Deals until somebody has won what the rules ask for; mostly two, the best of three."),
        ),
        Word("bella", _("Bella"), _("The third deal of a match that stands at one all: the one that decides.")),
        Word(
            "load", _("Load"), _("An ace or a three: worth eleven and ten points, so two thirds of the deck's points.")
        ),
        Word("plain", _("Plain card"), _("A card without points: 2, 4, 5, 6, 7. Most useful when it is not a trump.")),
        Word("figure", _("Figure"), _("Knave, knight or king: two, three and four points.")),
        Word("stock", _("Stock"), _("The cards that are still to be drawn; the last of them is the upcard.")),
        Word("upcard", _("Upcard"), _("The card turned up under the stock. It names the trump and is drawn last.")),
        Word(
            "dealer",
            _("Dealer"),
            _("Who deals; the other one leads the first trick. After each deal the dealer changes."),
        ),
        Word("draw", _("Drawn deal"), _("60 points each: the deal counts for nobody and is played again.")),
        Word(
            "last-three",
            _("Last three"),
            _("The tricks after the stock is gone: who remembers what was played knows all cards."),
        ),
        Word("side", _("Side"), _("The player, or the two partners, that a card's points go to.")),
        Word(
            "elo",
            _("Elo"),
            _("How strong a player is, from the results of matches: 100 points more win about 64 matches of 100."),
        ),
        Word(
            "provisional",
            _("Provisional"),
            _("A rating from fewer than 20 rated matches, written with a question mark: it still moves fast."),
        ),
        Word(
            "mirrored",
            _("Mirrored matches"),
            _("Two matches with the same decks in which the players exchange seats, so that both hold the same cards."),
        ),
        Word(
            "seed",
            _("Seed"),
            _("The 32 bytes from which every deck of a match is shuffled; published when the match is over."),
        ),
        Word(
            "commitment",
            _("Commitment"),
            _("A fingerprint of the seed, published before the first card: nobody can choose another seed afterwards."),
        ),
        Word("partner", _("Partner"), _("Who sits opposite you at a table of four: your cards count together.")),
        Word("sign", _("Sign"), _("What a partner tells of the own hand, where the rules allow it.")),
        Word("lead", _("Lead"), _("The first card of a trick. Who took the last trick leads; the suit led decides.")),
        Word(
            "flag", _("Flag"), _("The end of your time: it loses the deal, and the next one starts with full clocks.")
        ),
        Word("hand", _("Hand"), _("The three cards that you hold; after each trick you draw one, until none is left.")),
        Word("fault", _("Fault"), _("A bot that crashes, is too slow or answers nonsense loses that deal.")),
    ]
    return sorted(found, key=lambda word: word.term.casefold())
