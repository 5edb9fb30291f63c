// What the tests ask of the site's modules. Each function takes plain data and returns plain data.
import { Deal, RecordError, parseCards, parseRules } from '../../static/js/engine.js';
import { openDeal } from '../../static/js/replay/positions.js';
import { sha256 } from '../../static/js/sha256.js';
import { commitment, firstDealer, seedBytes, shuffled, toHex } from '../../static/js/shuffle.js';
import { verifyAll } from '../../static/js/verify.js';

// The second way is the one of a browser without crypto.subtle.
const WAYS = [globalThis.crypto.subtle, null];

const both = async (compute) => {
  const [native, plain] = await Promise.all(WAYS.map(compute));
  if (JSON.stringify(native) !== JSON.stringify(plain)) throw new Error(`native ${JSON.stringify(native)}, plain ${JSON.stringify(plain)}`);
  return native;
};

export const digests = (messages) => messages.map((hex) => toHex(sha256(Uint8Array.from(hex.match(/../g) ?? [], (pair) => parseInt(pair, 16)))));

/** cases: {rules, seed, salt, numbers} -> {commitment, dealer, deals: [{deck, turned, attempt}]} */
export const shuffles = (cases) =>
  Promise.all(
    cases.map(({ rules, seed, salt, numbers }) =>
      both(async (subtle) => {
        const bytes = seedBytes(seed);
        const parsed = parseRules(rules);
        const deals = [];
        for (const number of numbers) {
          const { deck, turned, attempt } = await shuffled(parsed, bytes, salt, number, subtle);
          deals.push({ deck: deck.join(''), turned: turned.join(''), attempt });
        }
        return { commitment: await commitment(bytes, subtle), dealer: await firstDealer(parsed, bytes, salt, subtle), deals };
      }),
    ),
  );

/** matches -> what each check says: "deck:2" passed, "-deck:2" failed */
export const verdicts = (matches) =>
  Promise.all(
    matches.map((match) =>
      both(async (subtle) => {
        try {
          const checks = await verifyAll(match, subtle);
          return checks.map((check) => `${check.passed ? '' : '-'}${check.kind}${check.deal === null ? '' : `:${check.deal}`}`);
        } catch (error) {
          if (!(error instanceof RecordError)) throw error;
          return [error.code];
        }
      }),
    ),
  );

/** The positions of every deal of a match, as the replay draws them. */
export const positions = (match) => {
  const rules = parseRules(match.rules);
  return match.deals.map((deal) => {
    const opened = openDeal(rules, deal, match.seats);
    return { positions: opened.positions, tricks: opened.tricks, tricksInAll: opened.tricksInAll };
  });
};

/** plays that are refused -> code of the refusal */
export const refusals = (cases) =>
  cases.map(({ rules, deck, dealer, plays }) => {
    try {
      const deal = new Deal(parseRules(rules), parseCards(deck), dealer);
      for (const card of parseCards(plays)) deal.play(card);
      return null;
    } catch (error) {
      if (!(error instanceof RecordError)) throw error;
      return error.code;
    }
  });
