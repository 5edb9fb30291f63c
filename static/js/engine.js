// The rules of Briscola as far as a finished deal needs them: what was dealt, who took, which points.
import { deckOf, pointsOf, RecordError, STRENGTH } from './rules.js';

export * from './rules.js';

const CODE = /^[24567FCR3A][DCSB]$/;

/** "AD3C" -> ["AD", "3C"]. */
export function parseCards(text) {
  const cards = text.match(/../g) ?? [];
  if (text.length % 2 || !cards.every((card) => CODE.test(card))) throw new RecordError('card.code', text);
  return cards;
}

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
