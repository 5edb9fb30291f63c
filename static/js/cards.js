// Names, letters and pictures of cards in the viewer's deck. The tables come from the page (`card_tables`, games/templatetags/cards.py).
import { data, element, fill } from './dom.js';

const tables = data('card-tables');

export const deck = () => document.documentElement.dataset.deck;

export const cardName = (card) => {
  const face = tables[deck()];
  return fill(tables.pattern, { rank: face.ranks[card[0]], suit: face.suits[card[1]] });
};

export const suitName = (suit) => tables[deck()].suits[suit];

export const letter = (card) => tables[deck()].letters[card[0]];

export const pictureUrl = (card) => tables[deck()].urls[card];

/** A picture of a card; `card` "" is the back, `alt` "" where a name stands beside it. */
export function picture(card, alt) {
  const [width, height] = tables[deck()].size;
  return element('img', {
    class: 'card',
    src: pictureUrl(card),
    alt,
    width,
    height,
    'data-card': card,
    draggable: 'false',
    decoding: 'async',
  });
}

/** Mark and letter: the card in text, where a picture would be too small. */
export const miniCard = (card, { wins = false, isTrump = false } = {}) =>
  element(
    'span',
    { class: wins ? 'mini mini--win' : 'mini' },
    element('i', { class: `suit suit--${card[1]}`, role: 'img', 'aria-label': suitName(card[1]) }),
    element('b', {}, letter(card)),
    isTrump ? element('i', { class: 'mini__trump', 'aria-hidden': 'true' }, '★') : null,
  );
