// Checks a finished match from its record alone: the seed against the commitment, every deck against the seed, every card against the rules.
import { Deal, RecordError, parseCards, parseRules } from './engine.js';
import { commitment, firstDealer, seedBytes, shuffled } from './shuffle.js';

/**
 * @typedef {object} Check
 * @property {"commitment"|"dealer"|"deck"|"play"|"outcome"} kind
 * @property {number|null} deal number of the deal, null for the whole match
 * @property {boolean} passed
 * @property {string} detail what was found, in codes; empty when it passed
 */

const PLAYED = new Set(['normal', 'claim', 'auto', '']);
const same = (a, b) => a.length === b.length && a.every((value, i) => value === b[i]);

async function checked(kind, deal, test) {
  try {
    const detail = await test();
    return { kind, deal, passed: !detail, detail: detail ?? '' };
  } catch (error) {
    if (!(error instanceof RecordError)) throw error;
    return { kind, deal, passed: false, detail: error.message };
  }
}

async function deckIsFromSeed(rules, seed, salt, deal, subtle) {
  const drawn = await shuffled(rules, seed, salt, deal.number, subtle);
  if (!same(drawn.deck, parseCards(deal.deck))) return `deck ${drawn.deck.join('')}`;
  return same(drawn.turned, turnedOf(deal)) ? null : `turned ${drawn.turned.join('')}`;
}

const turnedOf = (deal) => (Array.isArray(deal.turned) ? deal.turned : parseCards(deal.turned ?? ''));

/** Replays the cards: all legal, and the points (one a seat) and the winner as stored. */
export function playIsLegal(rules, deal) {
  const table = new Deal(rules, parseCards(deal.deck), deal.dealer);
  for (const card of parseCards(deal.plays)) table.play(card);
  if (!same(table.points, deal.points)) return `points ${table.points.join('-')}`;
  const termination = deal.termination ?? '';
  if (termination === 'normal' && !table.over) return 'unfinished';
  // A deal that ends by a fault or on the clock is awarded; only the points that were banked can be checked.
  if (PLAYED.has(termination) && deal.winner_side !== undefined && table.winnerSide !== deal.winner_side) {
    return `winner ${table.winnerSide}`;
  }
  return null;
}

/** The winner of a deal that was awarded: with two sides the one that is not at fault. */
function awardIsRight(rules, deal) {
  if (PLAYED.has(deal.termination ?? '') || Math.max(...rules.sides) !== 1) return null;
  const winner = 1 - rules.sides[deal.fault_seat];
  return deal.winner_side === winner ? null : `winner ${winner}`;
}

/** The side that has most, null when it is not alone. */
function leaderOf(totals) {
  const most = Math.max(...totals);
  return totals.filter((total) => total === most).length === 1 ? totals.indexOf(most) : null;
}

/** Points by side as they count for the match: an awarded deal is 120 for its winner. */
function countedPoints(rules, deal, sides) {
  const totals = Array(sides).fill(0);
  if (PLAYED.has(deal.termination ?? '')) deal.points.forEach((points, seat) => (totals[rules.sides[seat]] += points));
  else if (deal.winner_side !== null) totals[deal.winner_side] = 120;
  return totals;
}

/** The side that the format makes the winner of these deals, null: nobody. */
function winnerOfMatch(rules, wins, points) {
  const [format, target] = rules.format.split(':');
  if (format === 'first_to') {
    const winner = wins.findIndex((won) => won >= Number(target));
    return winner < 0 ? null : winner;
  }
  if (format === 'deals') return leaderOf(wins);
  return format === 'race' && Math.max(...points) < Number(target) ? null : leaderOf(points);
}

/** Deals won by side against the outcome; only what the outcome states is compared. */
function outcomeIsRight(rules, match) {
  const { outcome } = match;
  const sides = Math.max(...rules.sides) + 1;
  const wins = Array(sides).fill(0);
  const points = Array(sides).fill(0);
  for (const deal of match.deals) {
    if (deal.winner_side !== null) wins[deal.winner_side] += 1;
    countedPoints(rules, deal, sides).forEach((counted, side) => (points[side] += counted));
  }
  if (outcome.wins && !same(wins, outcome.wins)) return `wins ${wins.join('-')}`;
  if ((outcome.termination ?? 'normal') !== 'normal') return null;
  const expected = winnerOfMatch(rules, wins, points);
  return expected === (outcome.winner_side ?? null) ? null : `winner ${expected}`;
}

/** Dealer after a deal: the next seat; after a drawn deal as the rules say. */
const nextDealer = (rules, deal) =>
  deal.winner_side === null && rules.tie_dealer === 'same' ? deal.dealer : (deal.dealer + 1) % rules.n;

/**
 * All checks of a match, in order. Deals whose deck is not shown are left out.
 * @param {object} match the replay data (or the JSON record) of the match; `seed` must be known
 * @param {SubtleCrypto|null} [subtle] null: without the browser's cryptography
 * @returns {AsyncGenerator<Check>}
 */
export async function* verify(match, subtle = globalThis.crypto?.subtle) {
  const rules = parseRules(match.rules);
  const salt = match.salt ?? '';
  const seed = seedBytes(match.seed);
  yield checked('commitment', null, async () => {
    const found = await commitment(seed, subtle);
    return found === match.commitment ? null : found;
  });
  yield checked('dealer', null, async () => {
    let expected = await firstDealer(rules, seed, salt, subtle);
    if (match.first_dealer !== undefined && match.first_dealer !== null && match.first_dealer !== expected) return `first ${expected}`;
    for (const deal of match.deals) {
      if (deal.dealer !== expected) return `deal ${deal.number}: ${expected}`;
      expected = nextDealer(rules, deal);
    }
    return null;
  });
  for (const deal of match.deals.filter((candidate) => candidate.deck)) {
    yield checked('deck', deal.number, () => deckIsFromSeed(rules, seed, salt, deal, subtle));
    yield checked('play', deal.number, async () => playIsLegal(rules, deal) ?? awardIsRight(rules, deal));
  }
  if (match.outcome && typeof match.outcome === 'object' && match.deals.every((deal) => deal.deck)) {
    yield checked('outcome', null, async () => outcomeIsRight(rules, match));
  }
}

/** `verify` as a list. */
export async function verifyAll(match, subtle = globalThis.crypto?.subtle) {
  const checks = [];
  for await (const check of verify(match, subtle)) checks.push(check);
  return checks;
}
