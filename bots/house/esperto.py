"""Esperto: counts cards, imagines hundreds of deals that fit what it saw, plays each to its end, and takes the best.

For each card of its hand the same imagined deals ("worlds") are played on with the habits of Medio until the stock is
gone; the last three tricks of two players are then exact. With an empty stock nothing is imagined: the best card is
searched. The number of worlds follows from the position, so the same seed gives the same game; only where they take too
long, on a slow machine, the clock ends it.
"""

from random import Random
from time import process_time

from games.engine import CardError, SolverError, card_code, card_int, solve
from games.engine.cards import BEATS, NO_TRUMP, POINTS, SUITS
from games.engine.ending import GAINS, points_of, value

#: What the worlds of a move may cost together, and what one costs: microseconds of a usual core, as measured.
BUDGET_US = 32_000
MOST = 1000
#: CPU seconds after which no more are imagined, of the 100 ms that a move has; but so many at least.
STOP_S = 0.07
FEWEST = 24
#: Worlds between two looks at the clock.
BLOCK = 8
#: What winning counts against a point more or less.
WIN, POINT = 0.3, 1 / 120

KEEP_TRUMP = (2.60, 2.70, 2.80, 2.90, 3.10, 14.34, 7.66, 13.32, 9.00, 12.00)
KEEP_OTHER = (0, 0, 0, 0.10, 0.20, 0.50, 0.18, 0.70, 0.04, 0.50)
RISK_TRUMP = (-0.03, -0.03, -0.03, -0.03, -0.03, 0.77, 0.97, 1.17, 4.77, -0.23)
RISK_OTHER = (0.45, 0.45, 0.45, 0.55, 0.65, 3.51, 4.31, 5.11, 17.28, 8.45)


class Habits:
    """Medio's values under one trump, looked up by card (and by the card that it answers)."""

    def __init__(self, trump):
        beats = BEATS[trump]
        is_trump = [card // 10 == trump for card in range(40)]
        self.keep = [(KEEP_TRUMP if is_trump[card] else KEEP_OTHER)[card % 10] for card in range(40)]
        risk = [(RISK_TRUMP if is_trump[card] else RISK_OTHER)[card % 10] for card in range(40)]
        self.lead = [-risk[card] - self.keep[card] for card in range(40)]
        self.beats = beats
        #: answers[led][card]: with two players, the value of answering a card.
        self.answers = [
            [
                (1 if beats[led * 40 + card] else -1) * (POINTS[led] + POINTS[card]) - self.keep[card]
                for card in range(40)
            ]
            for led in range(40)
        ]


_habits = {}


def habits_of(trump):
    """The tables of a trump, made once."""
    if trump not in _habits:
        _habits[trump] = Habits(trump)
    return _habits[trump]


class Seen:
    """What the seat knows, in numbers: hands where they are known, how many cards are not."""

    def __init__(self, view):
        self.view = view
        self.n = view.rules.n
        self.seat = view.seat
        self.sides = view.sides
        self.trump = SUITS.index(view.trump) if view.trump else NO_TRUMP
        self.hand = [card_int(card) for card in view.hand]
        self.table = [card_int(card) for _, card in view.table]
        self.known = {seat: [card_int(card) for card in cards] for seat, cards in view.known.items()}
        self.unseen = [card_int(card) for card in view.unseen()]
        self.upcard = [card_int(view.upcard)] if view.upcard_in_stock else []
        self.stock_cards = [card_int(card) for card in view.stock_cards]
        self.points = list(view.points)

    def world(self, rng):
        """One way in which the hidden cards may lie: hands by seat, stock in drawing order."""
        hidden = self.unseen[:]
        rng.shuffle(hidden)
        hands = [self.known.get(seat, [])[:] for seat in range(self.n)]
        hands[self.seat] = self.hand[:]
        sizes = self.view.hand_sizes
        # partners who told something first: what they hold is nobody else's
        for seat in self.view.signals:
            hands[seat] += self._told(seat, sizes[seat] - len(hands[seat]), hidden)
        for hand, size in zip(hands, sizes, strict=True):
            while len(hand) < size:
                hand.append(hidden.pop())
        return hands, self.stock_cards[:] or [*hidden, *self.upcard]

    def _told(self, seat, room, hidden):
        """The cards of a partner who says which trump honours and how many other carichi are in the hand."""
        ranks, carichi = self.view.signals[seat]
        have = set(self.known.get(seat, []))
        told = [card_int(rank + SUITS[self.trump]) for rank in ranks] if self.trump != NO_TRUMP else []
        hand = [card for card in told if card not in have and card in hidden][:room]
        loads = [card for card in hidden if card // 10 != self.trump and POINTS[card] >= 10]
        missing = carichi - sum(card // 10 != self.trump and POINTS[card] >= 10 for card in have)
        hand += loads[: max(0, min(missing, room - len(hand)))]
        plain = [
            card
            for card in hidden
            if (card % 10 < 5 if card // 10 == self.trump else POINTS[card] < 10) and card not in hand
        ]
        hand += plain[: max(0, room - len(hand))]
        for card in hand:
            hidden.remove(card)
        return hand


def play_two(habits, gains, mine, other, stock, lead, card, turn_is_leader, banked):
    """Points of the player on turn less the other's at the end of a deal of two, when `card` is played now."""
    answers, leads, beats = habits.answers, habits.lead.__getitem__, habits.beats
    mine.remove(card)
    difference = banked
    if turn_is_leader:
        reply = max(other, key=answers[card].__getitem__)
        other.remove(reply)
        is_mine = not beats[card * 40 + reply]
        points = POINTS[card] + POINTS[reply]
    else:
        is_mine = beats[lead * 40 + card]
        points = POINTS[card] + POINTS[lead]
    at, size = 0, len(stock)
    while True:
        difference += points if is_mine else -points
        first, second = (mine, other) if is_mine else (other, mine)
        if at < size:
            first.append(stock[at])
            second.append(stock[at + 1])
            at += 2
        if at >= size and len(first) <= 3:
            rest = points_of(value(tuple(first), tuple(second), gains))
            return difference + rest if is_mine else difference - rest
        led = max(first, key=leads)
        first.remove(led)
        reply = max(second, key=answers[led].__getitem__)
        second.remove(reply)
        points = POINTS[led] + POINTS[reply]
        if beats[led * 40 + reply]:
            is_mine = not is_mine


def choose(habits, sides, seat, table, leader, hand, scale):
    """Medio's card of a hand, with any number of seats; `scale` = what keeping a card counts."""
    if not table:
        risk, keep = habits.lead, habits.keep
        return max(hand, key=lambda card: risk[card] + keep[card] * (1 - scale))
    beats, n = habits.beats, len(sides)
    best, winner = table[0], leader
    lying = POINTS[best]
    for step in range(1, len(table)):
        lying += POINTS[table[step]]
        if beats[best * 40 + table[step]]:
            best, winner = table[step], (leader + step) % n
    sign = -1 if sides[winner] == sides[seat] else 1
    row, keep = best * 40, habits.keep
    return max(
        hand,
        key=lambda card: (1 if beats[row + card] else -1) * sign * (lying + POINTS[card]) - keep[card] * scale,
    )


def play_many(habits, sides, hands, stock, leader, table, card, points):
    """Points by side at the end of a deal of any number of seats, when the seat on turn plays `card` now."""
    n, beats = len(sides), habits.beats
    at = 0
    while True:
        seat = (leader + len(table)) % n
        if card is None:
            card = choose(habits, sides, seat, table, leader, hands[seat], 1.0 if at < len(stock) else 0.5)
        hands[seat].remove(card)
        table.append(card)
        card = None
        if len(table) < n:
            continue
        best, winner = table[0], leader
        for step in range(1, n):
            if beats[best * 40 + table[step]]:
                best, winner = table[step], (leader + step) % n
        points[sides[winner]] += sum(POINTS[lying] for lying in table)
        leader, table = winner, []
        if at < len(stock):
            for step in range(n):
                hands[(leader + step) % n].append(stock[at + step])
            at += n
        if not hands[leader]:
            return points


def worth(own, other):
    """How good an end is: won or not, and by how much."""
    return WIN * (1.0 if own > other else 0.5 if own == other else 0.0) + (own - other) * POINT


def imagined(seen, rng, worlds=None):
    """The sum of the worths of each card of the hand over worlds: so many of them, or what the move can afford."""
    habits = habits_of(seen.trump)
    totals = dict.fromkeys(seen.hand, 0.0)
    end = process_time() + STOP_S
    for made in range(affordable(seen.view) if worlds is None else worlds):
        if worlds is None and made >= FEWEST and made % BLOCK == 0 and process_time() > end:
            break
        hands, stock = seen.world(rng)
        for card in totals:
            totals[card] += outcome(seen, habits, hands, stock, card)
    return totals


def affordable(view):
    """How many worlds a move can have: each costs by the cards that are still to be played."""
    cost = 20 + 3 * view.stock // 2 if view.rules.n == 2 else 10 + 5 * (sum(view.hand_sizes) + view.stock)
    return min(MOST, BUDGET_US // cost)


def outcome(seen, habits, hands, stock, card):
    """The worth of a card in one world."""
    view, seat = seen.view, seen.seat
    own_side = seen.sides[seat]
    if seen.n == 2:
        banked = seen.points[own_side] - seen.points[1 - own_side]
        lead = seen.table[0] if seen.table else None
        difference = play_two(
            habits, GAINS[seen.trump], hands[seat][:], hands[1 - seat][:], stock, lead, card, lead is None, banked
        )
        return worth(60 + difference / 2, 60 - difference / 2)
    points = play_many(
        habits, seen.sides, [hand[:] for hand in hands], stock, view.leader, seen.table[:], card, seen.points[:]
    )
    return worth(points[own_side], max(taken for side, taken in enumerate(points) if side != own_side))


def searched(view):
    """The exact best card where the seat can know all hands, else None."""
    if view.stock or view.rules.n != 2:
        return None
    try:
        return solve(view).best[0]
    except (SolverError, CardError):
        return None


def best_card(view, rng, worlds=None):
    """The card to play; with `worlds` always the same for the same chance."""
    if len(view.legal) == 1:
        return view.legal[0]
    card = searched(view)
    if card is not None:
        return card
    totals = imagined(Seen(view), rng, worlds)
    return card_code(max(totals, key=totals.get))


class Bot:
    """One match; worlds are drawn from its seed and the position, so a move needs no memory."""

    def start(self, match):
        """Remember the seed, and make the tables before the first move counts."""
        self.seed = match.seed
        for trump in range(NO_TRUMP + 1):
            habits_of(trump)

    def play(self, view):
        """The answer to one request."""
        return best_card(view, Random(f"{self.seed}:{view.deal}:{len(view.tricks)}:{view.seat}"))
