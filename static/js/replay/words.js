// Sentences of the replay in the language of the page (templates/games/_replay_strings.html).
import { data, fill } from '../dom.js';
import { cardName } from '../cards.js';
import { pointsOf } from '../engine.js';

const strings = data('replay-strings');
const plurals = new Intl.PluralRules(document.documentElement.lang);

/** A sentence with its `{names}` filled in. */
export const say = (key, values) => fill(strings[key], values);

/** The singular or plural form for `n`. */
export const count = (key, n) => fill(strings[key][plurals.select(n)] ?? strings[key].other, { n });

export const stockText = (n) => (n ? count('stock', n) : say('stock_empty'));

/** "Three of swords, 10 points, trump" */
export const spoken = (card, trump) =>
  [cardName(card), count('points', pointsOf(card)), ...(card[1] === trump ? [say('trump')] : [])].join(', ');

/** A finished deal in a sentence: won, drawn, or awarded and why. */
export function resultText(deal, position) {
  if (deal.winnerSide === null) return say('drawn');
  const name = deal.sideNames[deal.winnerSide];
  if (deal.termination in strings.endings) return say('awarded', { name, reason: strings.endings[deal.termination] });
  const others = position.totals.filter((_, side) => side !== deal.winnerSide);
  return say('won', { name, points: [position.totals[deal.winnerSide], ...others].join('–') });
}
