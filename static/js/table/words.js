// Sentences of the table in the language of the page (templates/league/_table_strings.html).
import { data, fill } from '../dom.js';
import { cardName } from '../cards.js';
import { pointsOf } from '../rules.js';

const strings = data('table-strings');
const plurals = new Intl.PluralRules(document.documentElement.lang);

/** A sentence with its `{names}` filled in. */
export const say = (key, values) => fill(strings[key], values);

/** One of a group of sentences, `otherwise` where there is none: `named('endings', 'flag')`. */
export const named = (group, key, otherwise = '') => strings[group][key] ?? otherwise;

/** The singular or plural form for `n`. */
export const count = (key, n) => fill(strings[key][plurals.select(n)] ?? strings[key].other, { n });

export const stockText = (n) => (n ? count('stock', n) : say('stock_empty'));

/** "Three of swords, 10 points, trump" */
export const spoken = (card, trump) =>
  [cardName(card), count('points', pointsOf(card)), ...(card[1] === trump ? [say('trump')] : [])].join(', ');

/** Time left: "4:09", below ten seconds "9.4". */
export function clockText(leftMs) {
  const left = Math.max(0, leftMs);
  if (left < 10000) return `${Math.floor(left / 1000)}.${Math.floor((left % 1000) / 100)}`;
  return `${Math.floor(left / 60000)}:${String(Math.floor(left / 1000) % 60).padStart(2, '0')}`;
}
