// Beside the table: points by deal, the list of tricks, and their strip on phones.
import { all, element, one } from '../dom.js';
import { miniCard } from '../cards.js';
import { keepOrReplace } from './board.js';
import { sideOf, trumpOf } from './state.js';
import { say, stockText } from './words.js';

const STRIP = 8;

/** "You take · +14" */
export const takesText = (state, trick) =>
  trick.winner === state.you ? say('you_take', { points: trick.points }) : say('takes', { name: state.seats[trick.winner].name, points: trick.points });

/** Cards of a trick in seat order. */
const bySeat = (state, trick) => state.seats.map((_, seat) => trick.cards[(seat - trick.lead + state.n) % state.n]);

function line(state, trick, i, totals, isLast) {
  return element(
    'li',
    { class: isLast ? 'trick trick--last' : 'trick' },
    element('span', { class: 'trick__number' }, i + 1),
    ...bySeat(state, trick).map((card, seat) =>
      element('span', {}, miniCard(card, { wins: seat === trick.winner, isTrump: card[1] === trumpOf(state) })),
    ),
    element('span', { class: 'trick__gain' }, trick.points ? `+${trick.points}` : '·'),
    element('span', { class: 'trick__total' }, totals.join('–')),
    element('span', { class: 'visually-hidden' }, takesText(state, trick)),
  );
}

function drawTricks(state) {
  const list = one('[data-tricks]');
  const totals = Array(state.points.length).fill(0);
  const isNew = keepOrReplace(list, `${state.deal} ${state.tricks.length}`, () =>
    state.tricks.map((trick, i) => {
      totals[sideOf(state, trick.winner)] += trick.points;
      return line(state, trick, i, [...totals], i === state.tricks.length - 1);
    }),
  );
  one('[data-no-trick]').hidden = state.tricks.length > 0;
  one('[data-stock-text]').textContent = stockText(state.stock);
  if (isNew) one('[data-tricks-box]').scrollTop = 1e6;
}

function drawStrip(state) {
  const strip = one('[data-strip]');
  const isNew = keepOrReplace(strip, `${state.deal} ${state.tricks.length}`, () =>
    state.tricks.slice(-STRIP).map((trick) =>
      element(
        'li',
        { class: 'strip__trick' },
        ...bySeat(state, trick).map((card, seat) => miniCard(card, { wins: seat === trick.winner })),
        trick.points ? element('span', { class: 'strip__gain num' }, `+${trick.points}`) : null,
        element('span', { class: 'visually-hidden' }, takesText(state, trick)),
      ),
    ),
  );
  if (isNew) strip.scrollLeft = 1e6;
}

function drawSeries(state) {
  const deals = [...state.deals];
  if (state.deal && !deals.some((deal) => deal.number === state.deal)) deals.push({ number: state.deal, points: state.points, winner_side: null });
  const table = one('[data-series]');
  keepOrReplace(table, JSON.stringify(deals), () => [
    table.caption,
    element('thead', {}, element('tr', {}, element('th', { scope: 'col' }, say('deal_word')), ...deals.map((deal) => element('th', { scope: 'col' }, deal.number)))),
    element(
      'tbody',
      {},
      ...state.points.map((_, side) =>
        element(
          'tr',
          {},
          element(
            'th',
            { scope: 'row', class: `series__side series__side--${side}` },
            state.seats.filter((seat) => sideOf(state, seat.index) === side).map((seat) => seat.name).join(' · '),
          ),
          ...deals.map((deal) =>
            deal.winner_side === side
              ? element('td', { class: 'is-winner' }, deal.points[side], element('span', { 'aria-hidden': 'true' }, ' ♛'), element('span', { class: 'visually-hidden' }, ` (${say('won_word')})`))
              : element('td', {}, deal.points[side]),
          ),
        ),
      ),
    ),
  ]);
}

/** Buttons of the menu that the state allows or marks. */
function drawMenu(state, sounds) {
  for (const button of all('[data-act]')) {
    const { act } = button.dataset;
    if (act === 'sound') button.setAttribute('aria-pressed', String(sounds));
    if (act === 'hands') button.setAttribute('aria-pressed', String(Boolean(state.open_hands)));
    if (act === 'call') button.hidden = state.rules.stop_at_61 !== 'claim' || state.turn === null;
    if (act === 'signs') button.hidden = state.rules.signals !== 'signs' || state.turn === null;
    if (act === 'resign') button.hidden = Boolean(state.result) || state.deal === null;
    if (act === 'undo' || act === 'hint') button.hidden = Boolean(state.result);
  }
}

export function drawColumn(state, sounds) {
  drawTricks(state);
  drawStrip(state);
  drawSeries(state);
  drawMenu(state, sounds);
}
