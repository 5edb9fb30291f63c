// The shuffle "bella-1": a Fisher-Yates walk over an HMAC-SHA-256 stream, the same as games.engine. Nothing else is random.
import { STRENGTH, RecordError, deckOf, fullDeck } from './engine.js';
import * as plain from './sha256.js';

const ascii = new TextEncoder();
const FORBIDDEN = { none: '', A3: 'A3', A3R: 'A3R' };
const MOST_ROUNDS = 64;

/** 64 hexadecimal digits -> 32 bytes. */
export function seedBytes(hex) {
  if (!/^[0-9a-f]{64}$/i.test(hex)) throw new RecordError('shuffle.seed');
  return Uint8Array.from(hex.match(/../g), (pair) => parseInt(pair, 16));
}

export const toHex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

/** SHA-256 of the seed: shown before the first card. `subtle` null: the plain module. */
export async function commitment(seed, subtle = globalThis.crypto?.subtle) {
  return toHex(subtle ? new Uint8Array(await subtle.digest('SHA-256', seed)) : plain.sha256(seed));
}

async function authenticator(seed, subtle) {
  if (!subtle) return async (message) => plain.hmac(seed)(message);
  const key = await subtle.importKey('raw', seed, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
  return async (message) => new Uint8Array(await subtle.sign('HMAC', key, message));
}

/** Bytes of HMAC(seed, label || u32(i)), i = 0, 1, 2 ... */
export class Stream {
  constructor(sign, label) {
    this.sign = sign;
    this.label = ascii.encode(label);
    this.blocks = 0;
    this.bytes = [];
  }

  async byte() {
    if (!this.bytes.length) {
      const message = new Uint8Array(this.label.length + 4);
      message.set(this.label);
      new DataView(message.buffer).setUint32(this.label.length, this.blocks);
      this.blocks += 1;
      this.bytes = [...(await this.sign(message))];
    }
    return this.bytes.shift();
  }

  /** A number 0..n-1 without bias, 1 <= n <= 256. */
  async below(n) {
    for (;;) {
      const byte = await this.byte();
      if (byte < 256 - (256 % n)) return byte % n;
    }
  }

  async permute(cards) {
    for (let i = cards.length - 1; i > 0; i -= 1) {
      const j = await this.below(i + 1);
      [cards[i], cards[j]] = [cards[j], cards[i]];
    }
    return cards;
  }
}

/** Turns back forbidden upcards; false when everything must be shuffled anew. */
async function redraw(rules, deck, turned, stream) {
  const at = rules.hand * rules.n;
  while (FORBIDDEN[rules.redraw].includes(deck[at][0])) {
    if (rules.redraw === 'A3R' && turned.length === 1) return false;
    if (turned.length === MOST_ROUNDS) throw new RecordError('shuffle.exhausted');
    const [old] = deck.splice(at, 1);
    turned.push(old);
    const hidden = deck.length - at - 1;
    deck.splice(at + 1 + (await stream.below(hidden + 1)), 0, old);
  }
  return true;
}

/**
 * The deck of one deal.
 * @returns {Promise<{deck: string[], turned: string[], attempt: number}>}
 */
export async function shuffled(rules, seed, salt, number, subtle = globalThis.crypto?.subtle) {
  const sign = await authenticator(seed, subtle);
  for (let attempt = 0; attempt < MOST_ROUNDS; attempt += 1) {
    const stream = new Stream(sign, `bella-1:${salt}:deal:${number}:${attempt}`);
    const deck = await stream.permute(deckOf(rules));
    const turned = [];
    if (await redraw(rules, deck, turned, stream)) return { deck, turned, attempt };
  }
  throw new RecordError('shuffle.exhausted');
}

/** The seat that deals first. */
export async function firstDealer(rules, seed, salt, subtle = globalThis.crypto?.subtle) {
  const rule = String(rules.first_dealer);
  if (rule.startsWith('seat:')) return Number(rule.slice(5));
  const stream = new Stream(await authenticator(seed, subtle), `bella-1:${salt}:dealer`);
  if (rule === 'random') return stream.below(rules.n);
  const cards = await stream.permute(fullDeck());
  let seats = Array.from({ length: rules.n }, (_, seat) => seat);
  for (let next = 0; seats.length > 1; ) {
    const drawn = seats.map((seat) => ({ seat, strength: STRENGTH.indexOf(cards[next++][0]) }));
    const strengths = drawn.map((draw) => draw.strength);
    const wanted = rule === 'lowest' ? Math.min(...strengths) : Math.max(...strengths);
    seats = drawn.filter((draw) => draw.strength === wanted).map((draw) => draw.seat);
  }
  return seats[0];
}
