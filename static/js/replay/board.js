// Draws one position on the table. Only what changed is touched, so that a picture that stays does not blink.
import { all, element, one } from '../dom.js';
import { deck, miniCard, picture } from '../cards.js';
import { resultText, say, spoken, stockText, count } from './words.js';

const HEAP = 3;

function keepOrReplace(parent, key, children) {
  const drawn = `${deck()} ${key}`;
  if (parent.dataset.drawn === drawn) return;
  parent.dataset.drawn = drawn;
  parent.replaceChildren(...children());
}

function drawHand(list, cards, trump, isHidden) {
  keepOrReplace(list, isHidden ? `hidden ${cards.length}` : cards.join(' '), () =>
    cards.map((card) =>
      element(
        'li',
        { class: !isHidden && card[1] === trump ? 'hand__card hand__card--trump' : 'hand__card' },
        isHidden ? picture('', say('face_down')) : picture(card, spoken(card, trump)),
      ),
    ),
  );
}

function drawStock(board, deal, position) {
  const box = one('[data-stock]', board);
  keepOrReplace(box, `${deal.upcard} ${position.stock}`, () => [
    element(
      'div',
      { class: 'stock__cards', role: 'img', 'aria-label': `${stockText(position.stock)}, ${say('trump')}: ${spoken(deal.upcard, deal.trump)}` },
      element('span', { class: position.stock ? 'stock__upcard' : 'stock__upcard is-gone' }, picture(deal.upcard, '')),
      position.stock > 1 ? element('span', { class: 'stock__pile' }, picture('', '')) : null,
      position.stock ? element('span', { class: 'stock__count num', 'aria-hidden': 'true' }, position.stock) : null,
    ),
    element('span', { class: 'stock__trump', 'aria-hidden': 'true' }, '★ ', miniCard(deal.upcard)),
  ]);
}

function drawSlot(slot, played, trump, name) {
  slot.classList.toggle('slot--lead', Boolean(played?.isLead));
  slot.classList.toggle('slot--win', Boolean(played?.wins));
  keepOrReplace(slot, `${played?.card ?? '-'} ${name}`, () => [
    ...(played ? [picture(played.card, spoken(played.card, trump))] : []),
    element('span', { class: 'slot__name' }, name),
  ]);
}

function drawHeap(heap, taken, perTrick) {
  keepOrReplace(heap, String(taken), () => {
    heap.setAttribute('aria-label', count('taken', taken));
    return [
      ...Array.from({ length: Math.min(HEAP, Math.floor(taken / perTrick)) }, () => picture('', '')),
      element('span', { class: 'heap__count num', 'aria-hidden': 'true' }, taken),
    ];
  });
}

/** The sentence over the table: who takes, or how the deal ended; empty in the middle of a trick. */
export function bannerText(deal, position, names) {
  if (position.ply === deal.last && deal.termination) return resultText(deal, position);
  return position.trick ? say('takes', { name: names[position.trick.winner], points: position.trick.gained }) : '';
}

export function drawBoard(board, deal, position, names, areHandsHidden) {
  position.hands.forEach((cards, seat) => drawHand(one(`[data-hand="${seat}"]`, board), cards, deal.trump, areHandsHidden));
  drawStock(board, deal, position);
  for (const slot of all('[data-slot]', board)) {
    const seat = Number(slot.dataset.slot);
    const played = position.table.find((candidate) => candidate.seat === seat);
    drawSlot(slot, played, deal.trump, names[seat]);
  }
  position.taken.forEach((taken, seat) => drawHeap(one(`[data-heap="${seat}"]`, board), taken, deal.n));
  position.points.forEach((points, seat) => {
    one(`[data-points="${seat}"]`, board).textContent = points;
    one(`[data-seat="${seat}"]`, board).classList.toggle('seat--turn', position.turn === seat);
  });
  const banner = one('[data-banner]', board);
  banner.textContent = bannerText(deal, position, names);
  banner.hidden = banner.textContent === '';
}

/** Where a card of a hand lies now, to let it fly from there; null when it is not on the table. */
export const placeOf = (board, seat, card) =>
  one(`[data-hand="${seat}"] [data-card="${card}"]`, board)?.getBoundingClientRect() ?? null;

/** Lets the card in a slot come from `from`; nothing happens where motion is not wanted. */
export function fly(board, seat, from, milliseconds) {
  const card = one(`[data-slot="${seat}"] .card`, board);
  if (!card || !from || matchMedia('(prefers-reduced-motion: reduce)').matches) return;
  const to = card.getBoundingClientRect();
  const move = `translate(${from.left - to.left}px, ${from.top - to.top}px) scale(${from.width / to.width})`;
  card.animate(
    [
      { transform: move, transformOrigin: '0 0' },
      { transform: 'none', transformOrigin: '0 0' },
    ],
    { duration: milliseconds, easing: 'cubic-bezier(0.2, 0.7, 0.25, 1)' },
  );
}

