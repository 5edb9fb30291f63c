// The table itself: hands, trick, stock, heaps, seats. Each `draw` touches only what changed, so that a picture that stays does not blink.
import { all, element, one } from '../dom.js';
import { cardName, deck, miniCard, picture } from '../cards.js';
import { sideOf, trumpOf } from './state.js';
import { clockText, count, named, say, spoken, stockText } from './words.js';
import { leftOf, serverNow } from './clock.js';

const HEAP = 3;

/** Children are made anew only when the deck or the key is another one; whether they were. */
export function keepOrReplace(parent, key, children) {
  const drawn = `${deck()} ${key}`;
  if (parent.dataset.drawn === drawn) return false;
  parent.dataset.drawn = drawn;
  parent.replaceChildren(...children());
  return true;
}

/** The cards of the own hand in their places: a gap stays until a card is drawn into it, so that no card moves by itself. */
export function placesOf(places, state) {
  const kept = places.map((card) => (state.hand.includes(card) ? card : null));
  for (const card of state.hand) {
    if (kept.includes(card)) continue;
    const gap = kept.indexOf(null);
    if (gap >= 0) kept[gap] = card;
    else kept.push(card);
  }
  const expects = state.stock > 0 || state.trick.length > 0;
  return expects && state.hand.length ? kept.slice(0, Math.max(state.hand.length, state.rules.hand)) : kept.filter((card) => card !== null);
}

/** The own hand: buttons in place. `selected` is raised, `hinted` glows; `isOpen` = a card may be played now. */
export function drawHand(list, places, { trump, selected, hinted, isOpen }) {
  const hadFocus = document.activeElement?.closest('[data-hand]') === list ? Number(document.activeElement.dataset.place) : null;
  keepOrReplace(list, places.map((card) => card ?? '-').join(' '), () =>
    places.map((card, place) =>
      element(
        'li',
        { class: card === null ? 'hand__card hand__card--gap' : card[1] === trump ? 'hand__card hand__card--trump' : 'hand__card' },
        card === null
          ? null
          : element(
              'button',
              { class: 'hand__button', type: 'button', 'data-card': card, 'aria-label': spoken(card, trump), 'data-place': place },
              picture(card, ''),
              element('kbd', { 'aria-hidden': 'true' }, place + 1),
            ),
      ),
    ),
  );
  for (const [place, button] of all('button', list).entries()) {
    button.dataset.place ??= place;
    button.setAttribute('aria-disabled', String(!isOpen));
    button.classList.toggle('is-selected', button.dataset.card === selected);
    button.classList.toggle('is-hinted', button.dataset.card === hinted);
    if (selected === undefined) button.removeAttribute('aria-pressed');
    else button.setAttribute('aria-pressed', String(button.dataset.card === selected));
  }
  if (hadFocus !== null && !list.contains(document.activeElement)) focusPlace(list, hadFocus);
}

/** The card in this place, or the nearest one, gets the focus. */
export function focusPlace(list, place) {
  const buttons = all('button', list);
  const nearest = buttons.toSorted((a, b) => Math.abs(a.dataset.place - place) - Math.abs(b.dataset.place - place))[0];
  nearest?.focus({ preventScroll: true });
}

/** Another hand: backs, or its cards where all of them are known and open. */
function drawBacks(box, state, seat) {
  const size = state.hands[seat];
  const known = state.known?.[seat] ?? [];
  const isOpen = (state.open_hands || (state.rules.open ?? 'none') !== 'none') && size > 0 && known.length === size;
  const cards = isOpen ? known : Array(size).fill('');
  keepOrReplace(box, cards.map((card) => card || '-').join(' '), () => cards.map((card) => picture(card, '')));
  const told = isOpen ? known.map(cardName).join(', ') : count('cards', size);
  box.setAttribute('aria-label', say('hand_of', { name: state.seats[seat].name, cards: told }));
  box.classList.toggle('backs--open', isOpen);
}

function drawStock(box, state) {
  if (!state.upcard) return box.replaceChildren();
  const { upcard, stock } = state;
  return keepOrReplace(box, `${upcard} ${stock}`, () => [
    element(
      'div',
      { class: 'stock__cards', role: 'img', 'aria-label': `${stockText(stock)}, ${say('trump')}: ${spoken(upcard, trumpOf(state))}` },
      element('span', { class: stock ? 'stock__upcard' : 'stock__upcard is-gone' }, picture(upcard, '')),
      stock > 1 ? element('span', { class: 'stock__pile' }, picture('', '')) : null,
      stock ? element('span', { class: 'stock__count num', 'aria-hidden': 'true' }, stock) : null,
    ),
    element('span', { class: 'stock__trump', 'aria-hidden': 'true' }, '★ ', miniCard(upcard)),
  ]);
}

/** The cards on the table by seat: the trick in play, or the finished one while it is on view. */
export function trickCards(state) {
  const done = state.finished;
  if (!done) return state.trick;
  return done.cards.map((card, step) => ({ seat: (done.lead + step) % state.n, card }));
}

function drawSlots(board, state) {
  const cards = trickCards(state);
  for (const slot of all('[data-slot]', board)) {
    const seat = Number(slot.dataset.slot);
    const played = cards.find((candidate) => candidate.seat === seat);
    const name = seat === state.you ? say('you') : state.seats[seat].name;
    slot.classList.toggle('slot--lead', played !== undefined && cards[0].seat === seat);
    slot.classList.toggle('slot--win', state.finished?.winner === seat);
    keepOrReplace(slot, `${played?.card ?? '-'} ${name}`, () => [
      ...(played ? [picture(played.card, spoken(played.card, trumpOf(state)))] : []),
      element('span', { class: 'slot__name' }, name),
    ]);
  }
}

function drawScores(board, state) {
  for (const heap of all('[data-heap]', board)) {
    const taken = state.won[Number(heap.dataset.heap)];
    keepOrReplace(heap, String(taken), () => {
      heap.setAttribute('aria-label', count('taken', taken));
      return [
        ...Array.from({ length: Math.min(HEAP, Math.floor(taken / state.n)) }, () => picture('', '')),
        element('span', { class: 'heap__count num', 'aria-hidden': 'true' }, taken),
      ];
    });
  }
  for (const points of all('[data-points]', board)) points.textContent = state.points[Number(points.dataset.points)];
  for (const pips of all('[data-pips]', board)) {
    [...pips.children].forEach((pip, i) => pip.classList.toggle('is-won', i < state.score[Number(pips.dataset.pips)]));
  }
}

function drawSignals(box, told) {
  box.hidden = !told;
  if (!told) return;
  const [trumps, loads] = Array.isArray(told) ? told : [told.trumps, told.loads];
  keepOrReplace(box, `${trumps} ${loads}`, () => [
    ...(trumps ? [...trumps].map((rank) => element('span', { class: 'signals__card', 'aria-hidden': 'true' }, rank)) : [element('span', { class: 'signals__card', 'aria-hidden': 'true' }, 'X')]),
    element('span', { class: 'signals__loads', 'aria-hidden': 'true' }, count('loads', loads)),
    element('span', { class: 'visually-hidden' }, signalsText([trumps, loads])),
  ]);
}

/** "Your partner has ace, king, 2 carichi." */
export function signalsText(told) {
  const [trumps, loads] = Array.isArray(told) ? told : [told.trumps, told.loads];
  const honours = trumps ? [...trumps].map((rank) => named('signs', rank)) : [say('signals_none')];
  return say('signals_line', { cards: [...honours, count('loads', loads)].join(', ') });
}

/** Everything on the felt but the own hand. */
export function drawBoard(board, state) {
  for (const node of all('[data-seat]', board)) {
    const seat = Number(node.dataset.seat);
    node.classList.toggle('seat--turn', state.turn === seat);
    const { present } = state.seats[seat];
    one('[data-who]', node).classList.toggle('is-away', present === false);
    if (seat !== state.you) drawBacks(one('[data-hand]', node), state, seat);
    drawSignals(one('[data-signals]', node), state.signals?.[seat] ?? null);
  }
  drawStock(one('[data-stock]', board), state);
  drawSlots(board, state);
  drawScores(board, state);
}

/** The line at the foot of the table: connection first, then who is away. `wait` = '' | 'again' | 'offline'. */
export function drawBar(board, state, wait) {
  const bar = one('[data-bar]', board);
  const away = awayOpponent(state);
  const text = wait === 'offline' ? say('offline') : wait === 'again' ? say('retrying') : away ? awayText(state, away) : '';
  bar.hidden = text === '';
  bar.classList.toggle('board__bar--trouble', wait !== '');
  const line = one('[data-bar-text]', bar);
  if (line.textContent !== text) line.textContent = text;
  const claim = one('[data-claim]', bar);
  claim.hidden = wait !== '' || !away || away.kind === 'bot' || state.turn !== away.index || (away.claimAt ?? Infinity) > serverNow();
}

/** Whoever of the other side is not there while a deal is in play. */
function awayOpponent(state) {
  if (state.result || state.you === null || state.deal === null) return null;
  return state.seats.find((seat) => seat.present === false && sideOf(state, seat.index) !== sideOf(state, state.you)) ?? null;
}

function awayText(state, seat) {
  if (seat.kind === 'bot') return say('silent_bot', { name: seat.name });
  const left = (seat.claimAt ?? 0) - serverNow();
  return left > 0 ? say('away_for', { name: seat.name, time: clockText(Math.max(left, 10000)) }) : say('away', { name: seat.name });
}

/** "You 4:58. VelaBot 5:00." */
export const clocksText = (state) =>
  leftOf(state, 0) === null
    ? say('no_clock')
    : state.seats
        .map((seat) => say('clock_line', { name: seat.index === state.you ? say('you') : seat.name, time: clockText(leftOf(state, seat.index)) }))
        .join(' ');
