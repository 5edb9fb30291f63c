// The rules of Briscola as far as a finished deal needs them: what was dealt, who took, which points. Cards are codes, rank then suit ("3S").

export const SUITS = 'DCSB';
export const STRENGTH = '24567FCR3A';
export const POINTS = { A: 11, 3: 10, R: 4, C: 3, F: 2 };
const CODE = /^[24567FCR3A][DCSB]$/;

/** What is wrong with a record; `code` is stable, `detail` names the place. */
export class RecordError extends Error {
  constructor(code, detail = '') {
    super(`${code} ${detail}`.trim());
    this.code = code;
    this.detail = detail;
  }
}

export const pointsOf = (card) => POINTS[card[0]] ?? 0;

/** All cards in ascending order: suit * 10 + strength. */
export const fullDeck = () => [...SUITS].flatMap((suit) => [...STRENGTH].map((rank) => rank + suit));

/** "AD3C" -> ["AD", "3C"]. */
export function parseCards(text) {
  const cards = text.match(/../g) ?? [];
  if (text.length % 2 || !cards.every((card) => CODE.test(card))) throw new RecordError('card.code', text);
  return cards;
}

function defaults(n) {
  const pairs = n === 4 || n === 6;
  return {
    n,
    removed: n === 3 ? ['2C'] : n === 6 ? ['2D', '2C', '2S', '2B'] : [],
    sides: Array.from({ length: n }, (_, seat) => (pairs ? seat % 2 : seat)),
    redraw: 'none',
    tie: 'draw',
    tie_dealer: 'same',
    format: 'first_to:2',
    max_deals: 0,
    first_dealer: 'random',
    first_lead: 'after',
    stop_at_61: 'no',
    hand: 3,
    trump: 'upcard',
  };
}

/**
 * Rules from their code ("n=3 removed=2D redraw=A3R") or from the object with the same names.
 * Names that change nothing in a finished deal (signals, direction ...) are kept as they are.
 */
export function parseRules(source) {
  if (typeof source !== 'string') return { ...defaults(source.n ?? 2), ...source };
  const pairs = source.split(' ').map((part) => part.split('='));
  if (pairs[0][0] !== 'n' || pairs.some((pair) => pair.length !== 2)) throw new RecordError('rules.code', source);
  const rules = defaults(Number(pairs[0][1]));
  for (const [name, value] of pairs.slice(1)) {
    const list = value === '-' ? [] : value.split(',');
    if (name === 'removed') rules.removed = list;
    else if (name === 'sides') rules.sides = list.map(Number);
    else rules[name] = /^\d+$/.test(value) ? Number(value) : value;
  }
  return rules;
}

/** The cards that these rules play with, ascending. */
export const deckOf = (rules) => fullDeck().filter((card) => !rules.removed.includes(card));

/** Index of the card that takes: the highest trump, else the highest of the suit that was led. */
export function winnerOf(cards, trump) {
  const suit = cards.some((card) => card[1] === trump) ? trump : cards[0][1];
  let best = -1;
  cards.forEach((card, i) => {
    if (card[1] === suit && (best < 0 || STRENGTH.indexOf(card[0]) > STRENGTH.indexOf(cards[best][0]))) best = i;
  });
  return best;
}

/** One deal, played card by card. Refuses what the rules refuse and is then unchanged. */
export class Deal {
  constructor(rules, deck, dealer) {
    const wanted = deckOf(rules);
    if (deck.length !== wanted.length || wanted.some((card) => !deck.includes(card))) throw new RecordError('record.deck');
    if (!Number.isInteger(dealer) || dealer < 0 || dealer >= rules.n) throw new RecordError('record.dealer', dealer);
    const n = rules.n;
    this.rules = rules;
    const dealt = rules.hand * n;
    /** Null in a deal without a trump (briscolone). */
    this.upcard = rules.trump === 'upcard' ? deck[dealt] : null;
    this.stock = this.upcard ? [...deck.slice(dealt + 1), this.upcard] : deck.slice(dealt);
    this.leader = (dealer + (rules.first_lead === 'before' ? n - 1 : 1)) % n;
    this.turn = this.leader;
    this.hands = Array.from({ length: n }, () => []);
    for (let i = 0; i < dealt; i += 1) this.hands[(this.leader + i) % n].push(deck[i]);
    this.table = [];
    this.points = Array(n).fill(0);
    this.taken = Array(n).fill(0);
    this.tricks = [];
    this.over = false;
  }

  /** A suit; null without a trump. */
  get trump() {
    return this.upcard ? this.upcard[1] : null;
  }

  /** Points by side. */
  get totals() {
    const totals = Array(Math.max(...this.rules.sides) + 1).fill(0);
    this.points.forEach((points, seat) => (totals[this.rules.sides[seat]] += points));
    return totals;
  }

  /** The side that won on points, null while it is even. */
  get winnerSide() {
    const totals = this.totals;
    const best = Math.max(...totals);
    const leaders = totals.flatMap((points, side) => (points === best ? [side] : []));
    if (leaders.length === 1) return leaders[0];
    return this.rules.tie === 'last_trick' && this.tricks.length ? this.rules.sides[this.tricks.at(-1).winner] : null;
  }

  play(card) {
    if (this.over) throw new RecordError('play.deal_over', card);
    const hand = this.hands[this.turn];
    const place = hand.indexOf(card);
    if (place < 0) throw new RecordError('play.not_in_hand', card);
    hand.splice(place, 1);
    this.table.push({ seat: this.turn, card });
    if (this.table.length < this.rules.n) {
      this.turn = (this.turn + 1) % this.rules.n;
      return;
    }
    this.#take();
  }

  #take() {
    const cards = this.table.map((played) => played.card);
    const winner = this.table[winnerOf(cards, this.trump)].seat;
    const gained = cards.reduce((sum, card) => sum + pointsOf(card), 0);
    this.points[winner] += gained;
    this.taken[winner] += cards.length;
    this.tricks.push({ leader: this.leader, cards: this.table, winner, gained, totals: this.totals });
    this.table = [];
    this.leader = this.turn = winner;
    for (let i = 0; i < this.rules.n && this.stock.length; i += 1) this.hands[(winner + i) % this.rules.n].push(this.stock.shift());
    const stopped = this.rules.stop_at_61 === 'auto' && Math.max(...this.totals) > 60;
    this.over = stopped || this.hands.every((hand) => hand.length === 0);
  }
}
