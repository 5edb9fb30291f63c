// From a record to the positions of the replay: one for each number of cards played. The server draws the first one in the same way
// (games/selectors/replay.py).
import { Deal, parseCards } from '../engine.js';

/**
 * @typedef {object} Played
 * @property {number} seat
 * @property {string} card
 * @property {boolean} isLead
 * @property {boolean} wins
 *
 * @typedef {object} Position
 * @property {number} ply cards played
 * @property {string[][]} hands by seat
 * @property {number} stock cards in the stock, upcard included
 * @property {Played[]} table
 * @property {number[]} points by seat
 * @property {number[]} totals points by side
 * @property {number[]} taken cards by seat
 * @property {number|null} turn seat to play, null after a trick and at the end
 * @property {{winner: number, gained: number}|null} trick the trick that has just ended
 *
 * @typedef {object} Trick
 * @property {number} ply position after it
 * @property {(Played|null)[]} cards by seat
 * @property {number|null} winner
 * @property {number} gained
 * @property {number[]} totals by side
 */

const inTrick = (table, winner) => table.map(({ seat, card }, place) => ({ seat, card, isLead: place === 0, wins: seat === winner }));

function positionOf(deal, ply, last, before) {
  const shown = ply > 0 && deal.table.length === 0 ? deal.tricks.at(-1) : null;
  return {
    ply,
    // Until the next card is played the finished trick lies on the table and nobody has drawn.
    hands: shown ? before.hands : deal.hands.map((hand) => [...hand]),
    stock: shown ? before.stock : deal.stock.length,
    table: shown ? inTrick(shown.cards, shown.winner) : inTrick(deal.table, null),
    points: [...deal.points],
    totals: deal.totals,
    taken: [...deal.taken],
    turn: shown || ply === last ? null : deal.turn,
    trick: shown ? { winner: shown.winner, gained: shown.gained } : null,
  };
}

function rowOf(cards, ply, winner, gained, totals, n) {
  const bySeat = Array(n).fill(null);
  for (const played of inTrick(cards, winner)) bySeat[played.seat] = played;
  return { ply, cards: bySeat, winner, gained, totals };
}

/** Everything that the page needs of one deal; `source` is a deal of the replay data with a deck. */
export function openDeal(rules, source, seats) {
  const plays = parseCards(source.plays);
  const deal = new Deal(rules, parseCards(source.deck), source.dealer);
  const positions = [positionOf(deal, 0, plays.length, null)];
  const players = [];
  plays.forEach((card, i) => {
    const before = { hands: deal.hands.map((hand) => hand.filter((held) => held !== card)), stock: deal.stock.length };
    players.push(deal.turn);
    deal.play(card);
    positions.push(positionOf(deal, i + 1, plays.length, before));
  });
  const tricks = deal.tricks.map((trick, i) => rowOf(trick.cards, (i + 1) * rules.n, trick.winner, trick.gained, trick.totals, rules.n));
  if (deal.table.length) tricks.push(rowOf(deal.table, plays.length, null, 0, deal.totals, rules.n));
  const sides = Math.max(...rules.sides) + 1;
  return {
    number: source.number,
    n: rules.n,
    plays,
    players,
    positions,
    tricks,
    tricksInAll: (deal.stock.length + deal.hands.flat().length + deal.table.length) / rules.n + deal.tricks.length,
    upcard: deal.upcard,
    trump: deal.trump,
    last: plays.length,
    termination: source.termination,
    winnerSide: source.winner_side,
    thinkMs: source.think_ms ?? [],
    sides: rules.sides,
    points: source.points,
    analysis: source.analysis ?? null,
    sideNames: Array.from({ length: sides }, (_, side) =>
      seats
        .filter((seat) => seat.side === side)
        .map((seat) => seat.name)
        .join(' + '),
    ),
  };
}

/** Row of the trick list that a position belongs to; -1 at the start. */
export const trickAt = (ply, n) => Math.ceil(ply / n) - 1;
