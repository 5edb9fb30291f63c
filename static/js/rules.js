// Cards and rules as text: what every page with cards needs. Cards are codes, rank then suit ("3S").

export const SUITS = 'DCSB';
export const STRENGTH = '24567FCR3A';
export const POINTS = { A: 11, 3: 10, R: 4, C: 3, F: 2 };

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
