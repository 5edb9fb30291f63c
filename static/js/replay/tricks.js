// The list of tricks: drawn anew for another deal or deck, otherwise only the current line moves.
import { all, element, one } from '../dom.js';
import { deck, miniCard } from '../cards.js';
import { trickAt } from './positions.js';
import { count, say, stockText } from './words.js';

function line(trick, i, deal, names, notes) {
  const lost = new Map(notes.filter((note) => note.isExact && Math.ceil(note.ply / deal.n) === i + 1).map((note) => [note.seat, note.lost]));
  return element(
    'li',
    {},
    element(
      'a',
      { class: 'trick', href: `?d=${deal.number}&c=${trick.ply}`, 'data-ply': trick.ply },
      element('span', { class: 'trick__number' }, i + 1),
      ...trick.cards.map((played, seat) =>
        element(
          'span',
          {},
          played ? miniCard(played.card, { wins: played.wins, isTrump: played.card[1] === deal.trump }) : null,
          lost.has(seat) ? element('span', { class: 'trick__lost', title: count('lost', lost.get(seat)) }, `−${lost.get(seat)}`) : null,
        ),
      ),
      element('span', { class: 'trick__gain' }, trick.gained ? `+${trick.gained}` : '·'),
      element('span', { class: 'trick__total' }, trick.totals.join('–')),
      element(
        'span',
        { class: 'visually-hidden' },
        trick.winner === null ? say('unfinished') : say('takes', { name: names[trick.winner], points: trick.gained }),
      ),
    ),
  );
}

/** Scrolls inside the list alone: the page stays where it is. */
function bringIntoView(list, entry) {
  const top = entry.offsetTop - list.offsetTop;
  if (top < list.scrollTop || top + entry.offsetHeight > list.scrollTop + list.clientHeight) {
    list.scrollTop = top - list.clientHeight / 2 + entry.offsetHeight / 2;
  }
}

export function drawTricks(list, deal, position, names, notes) {
  const drawn = `${deck()} ${deal.number}${deal.analysis ? ' analysed' : ''}`;
  if (list.dataset.drawn !== drawn) {
    list.dataset.drawn = drawn;
    list.replaceChildren(...deal.tricks.map((trick, i) => line(trick, i, deal, names, notes)));
  }
  const current = trickAt(position.ply, deal.n);
  all('.trick', list).forEach((entry, i) => {
    if (i !== current) entry.removeAttribute('aria-current');
    else {
      entry.setAttribute('aria-current', 'true');
      bringIntoView(list, entry);
    }
  });
  if (current < 0) list.scrollTop = 0;
  one('[data-stock-text]').textContent = stockText(position.stock);
}
