// The state of the table and what each event of the match makes of it. Pure: nothing here touches the page.
import { deckOf, parseRules } from '../rules.js';

const HELD = ['signals', 'known', 'clock', 'offers'];

/** What the table draws: the server's `State` with its rules read, and the finished trick that is still on view. */
export function openState(sent) {
  const rules = parseRules(sent.rules);
  const state = { ...sent, rules, n: rules.n, hand: sent.hand ?? [], finished: null, mine: sent.you ?? 0 };
  state.points = bySide(state, sent.points);
  state.won = bySide(state, sent.won);
  return state;
}

export const sideOf = (state, seat) => state.rules.sides[seat];

/** Numbers a seat as numbers a side; numbers a side stay as they are. */
export function bySide({ rules }, numbers) {
  const sides = Math.max(...rules.sides) + 1;
  if (numbers.length === sides) return [...numbers];
  return Array.from({ length: sides }, (_, side) => numbers.reduce((sum, number, seat) => sum + (rules.sides[seat] === side ? number : 0), 0));
}

export const trumpOf = (state) => state.upcard?.[1] ?? null;

/** The other sides' best number against the viewer's: `[mine, theirs]`. */
export function mineFirst(state, numbers) {
  const mine = sideOf(state, state.mine);
  return [numbers[mine], Math.max(...numbers.filter((_, side) => side !== mine))];
}

/** The finished deal that the table still shows, null while one is in play. */
export const overDeal = (state) => state.deals.find((deal) => deal.number === state.deal) ?? null;

/** No deal has been dealt yet. */
export const isWaiting = (state) => !state.result && state.deal === null;

/** Whose turn it would be to follow in an unfinished trick. */
const following = (state, seat) => (state.trick.length < state.n ? (seat + 1) % state.n : null);

function held(state, event) {
  const kept = Object.fromEntries(HELD.filter((name) => event[name] !== undefined).map((name) => [name, event[name]]));
  return { ...state, ...kept, seq: event.seq ?? state.seq };
}

/** A card is played; also by the viewer, before the server has answered. */
export function played(state, event) {
  const next = held(state, event);
  next.trick = [...state.trick, { seat: event.seat, card: event.card }];
  next.ply = event.ply + 1;
  next.hands = state.hands.map((size, seat) => (seat === event.seat ? size - 1 : size));
  if (event.seat === state.you) next.hand = state.hand.filter((card) => card !== event.card);
  const known = next.known?.[event.seat];
  if (known) next.known = { ...next.known, [event.seat]: known.filter((card) => card !== event.card) };
  next.turn = event.turn === undefined ? following(next, event.seat) : next.trick.length === state.n ? null : event.turn;
  return next;
}

/** The trick is complete: who took it is on view, nobody has drawn. */
export function shownTrick(state, event) {
  return {
    ...state,
    finished: { lead: state.trick[0].seat, cards: state.trick.map((card) => card.card), winner: event.winner, points: event.points },
    turn: null,
  };
}

/** The trick is taken and cards are drawn. */
export function taken(state, event) {
  const next = held(state, event);
  const side = sideOf(state, event.winner);
  next.last = state.finished;
  next.tricks = [...state.tricks, state.finished];
  next.finished = null;
  next.trick = [];
  next.won = state.won.map((cards, i) => cards + (i === side ? state.n : 0));
  next.points = bySide(state, event.totals);
  next.stock = event.stock;
  next.hands = event.hands;
  next.turn = event.turn;
  if (event.drew && state.you !== null) next.hand = [...state.hand, event.drew];
  return next;
}

/** A deal begins. */
export function started(state, event) {
  const next = held(state, event);
  const { n, rules } = state;
  const zeros = Array(Math.max(...rules.sides) + 1).fill(0);
  return {
    ...next,
    deal: event.deal,
    dealer: event.dealer,
    upcard: event.upcard,
    turn: event.turn,
    hand: event.hand ?? [],
    hands: event.hands ?? Array(n).fill(rules.hand),
    stock: event.stock ?? deckOf(rules).length - n * rules.hand,
    ply: 0,
    trick: [],
    finished: null,
    last: null,
    tricks: [],
    won: [...zeros],
    points: [...zeros],
    ready: [],
    signs: [],
    known: event.known ?? {},
    next_at_ms: null,
    pause: null,
  };
}

/** A deal is over. */
export function dealOver(state, event, now) {
  const points = bySide(state, event.points);
  const counts = /^(first_to|deals)/.test(state.rules.format);
  const score = state.score.map((value, side) => value + (counts ? Number(side === event.winner_side) : points[side]));
  return {
    ...held(state, event),
    turn: null,
    finished: null,
    points,
    ready: [],
    deals: [
      ...state.deals.filter((deal) => deal.number !== event.deal),
      { number: event.deal, points, winner_side: event.winner_side, termination: event.termination },
    ],
    score: event.score ?? score,
    next_at_ms: event.next_in_ms == null ? null : now + event.next_in_ms,
  };
}

/** What needs no motion: presence, clock, ready, the end of the match, ratings, rematch. */
export function noted(state, name, event, now) {
  const next = held(state, event);
  if (name === 'clock') next.clock = { left_ms: event.left_ms, running: event.running, as_of_ms: event.as_of_ms };
  else if (name === 'presence') {
    next.seats = state.seats.map((seat) =>
      seat.index === event.seat ? { ...seat, present: event.present, claimAt: event.present || event.left_ms == null ? null : now + event.left_ms } : seat,
    );
  } else if (name === 'result') next.result = event;
  else if (name === 'rating') next.ratings = event.seats;
  else if (name === 'rematch') next.rematch = event;
  else if (name === 'ready') next.ready = event.ready ?? [...state.ready, event.seat];
  else if (name === 'sign') next.signs = [...(state.signs ?? []), event];
  return next;
}
