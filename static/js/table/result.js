// What lies over the table when nothing is in play: waiting for players, a deal that is over, the match that is over.
import { element, one } from '../dom.js';
import { mineFirst, overDeal, sideOf, isWaiting } from './state.js';
import { named, say } from './words.js';
import { serverNow } from './clock.js';

const PLAYED = ['normal', 'claim', 'auto', '', null, undefined];

const names = (state, seats) => seats.map((seat) => state.seats[seat].name).join(', ');

const sideName = (state, side) =>
  state.seats.filter((seat) => sideOf(state, seat.index) === side).map((seat) => seat.name).join(' · ');

const isMine = (state, side) => state.you !== null && side === sideOf(state, state.you);

const button = (label, act, attributes = {}) => element('button', { class: 'btn btn--on-felt', type: 'button', 'data-do': act, ...attributes }, label);

/** "You win the deal, 71 to 49. Match: 1 to 0." */
export function dealText(state, deal) {
  const score = mineFirst(state, state.score);
  const [mine, theirs] = deal.winner_side === null ? mineFirst(state, deal.points) : winnerFirst(state, deal);
  const match = say('match_score', { mine: score[0], theirs: score[1] });
  if (deal.winner_side === null) return `${say('deal_drawn')} ${match}`;
  const sentence = !PLAYED.includes(deal.termination)
    ? `${title(state, deal)}. ${reasonOf(deal)}.`
    : say(isMine(state, deal.winner_side) ? 'deal_won' : state.you === null ? 'deal_won_by' : 'deal_lost', { mine, theirs, name: sideName(state, deal.winner_side) });
  return `${sentence} ${match}`;
}

/** Points as the viewer reads them: the own ones first, for spectators the winner's. */
function winnerFirst(state, deal) {
  if (state.you !== null) return mineFirst(state, deal.points);
  return [deal.points[deal.winner_side], Math.max(...deal.points.filter((_, side) => side !== deal.winner_side))];
}

const reasonOf = (over) => (PLAYED.includes(over.termination) ? '' : say('awarded', { reason: named('endings', over.termination, over.termination) }));

function title(state, deal) {
  if (deal.winner_side === null) return say('deal_drawn_title');
  if (isMine(state, deal.winner_side)) return say('deal_won_title');
  return state.you === null ? say('deal_by_title', { name: sideName(state, deal.winner_side) }) : say('deal_lost_title');
}

const winnerOf = (state) => {
  if (state.result.winner_side !== undefined) return state.result.winner_side;
  const best = Math.max(...state.score);
  return state.score.filter((value) => value === best).length > 1 ? null : state.score.indexOf(best);
};

export function matchTitle(state) {
  if (state.result.outcome === 'void') return say('void_title');
  const side = winnerOf(state);
  if (side === null) return say('match_drawn_title');
  if (isMine(state, side)) return say('match_won_title');
  return state.you === null ? say('match_by_title', { name: sideName(state, side) }) : say('match_lost_title');
}

/** 'won', 'lost' or 'even', for sound and colour. */
export function toneOf(state, over) {
  const side = over === state.result ? winnerOf(state) : over.winner_side;
  if (side === null || over.outcome === 'void') return 'even';
  return state.you === null || isMine(state, side) ? 'won' : 'lost';
}

/** Points of both sides as two large numbers with the names below. */
const figures = (state, numbers, winner) =>
  element(
    'p',
    { class: 'result__figures num' },
    ...orderOf(state, numbers).map((side) =>
      element('span', { class: side === winner ? 'result__side is-winner' : 'result__side' }, element('b', {}, numbers[side]), element('small', {}, sideName(state, side))),
    ),
  );

function orderOf(state, numbers) {
  const mine = sideOf(state, state.mine);
  return [mine, ...numbers.map((_, side) => side).filter((side) => side !== mine)];
}

function ratings(state) {
  if (!state.ratings) return [];
  return state.ratings.map((change, seat) => {
    const name = state.seats[seat].name;
    if (change.reason) return element('li', {}, `${name}: ${say('unrated', { reason: change.reason })}`);
    const by = change.after - change.before;
    return element('li', {}, say('rating_change', { name, before: change.before, after: change.after, change: by > 0 ? `+${by}` : by < 0 ? `−${-by}` : '0' }));
  });
}

function waiting(state) {
  const missing = state.seats.filter((seat) => !state.ready.includes(seat.index) && seat.kind !== 'bot').map((seat) => seat.index);
  const others = missing.filter((seat) => seat !== state.you);
  const isReady = state.you === null || state.ready.includes(state.you);
  return [
    element('h2', { id: 'result-title' }, others.length ? say('waiting_for', { names: names(state, others) }) : say('ready')),
    element('p', { class: 'result__note' }, state.ready.length ? say('is_ready', { names: names(state, state.ready) }) : ''),
    isReady ? null : element('p', { class: 'result__acts' }, button(say('ready'), 'ready', { class: 'btn btn--gold btn--big' })),
  ];
}

function dealIsOver(state, deal) {
  const isReady = state.you === null || state.ready.includes(state.you);
  return [
    element('h2', { id: 'result-title' }, title(state, deal)),
    figures(state, deal.points, deal.winner_side),
    element('p', { class: 'result__note' }, deal.winner_side === null ? say('deal_drawn') : reasonOf(deal)),
    element('p', { class: 'result__match' }, say('match_score', Object.fromEntries(mineFirst(state, state.score).map((value, i) => [['mine', 'theirs'][i], value])))),
    element('p', { class: 'result__note num', 'data-next': true }),
    element('p', { class: 'result__note' }, state.ready.length ? say('is_ready', { names: names(state, state.ready) }) : ''),
    element('p', { class: 'result__acts' }, isReady ? null : button(say('ready'), 'ready', { class: 'btn btn--gold btn--big' })),
  ];
}

function matchIsOver(state, address) {
  const { rematch, result } = state;
  const asked = rematch && !rematch.code ? (rematch.by === state.you ? say('rematch_sent') : say('rematch_by', { name: state.seats[rematch.by].name })) : '';
  const winner = result.outcome === 'void' ? null : winnerOf(state);
  return [
    element('h2', { id: 'result-title' }, matchTitle(state)),
    result.outcome === 'void' ? null : figures(state, state.score, winner),
    element('p', { class: 'result__note' }, result.outcome === 'void' ? (result.reason ?? '') : reasonOf(result)),
    element('ul', { class: 'result__ratings num' }, ...ratings(state)),
    element('p', { class: 'result__note' }, asked),
    element(
      'p',
      { class: 'result__acts' },
      state.you === null || result.outcome === 'void' || rematch?.by === state.you ? null : button(say('rematch'), 'rematch', { class: 'btn btn--gold' }),
      element('a', { class: 'btn btn--on-felt', href: `${address}replay/` }, say('replay')),
      element('a', { class: 'btn btn--on-felt', href: address }, say('to_match')),
    ),
  ];
}

/** Draws the sheet, or hides it while cards are in play. Returns whether it has just appeared. */
export function drawResult(sheet, state, address) {
  const deal = overDeal(state);
  const key = JSON.stringify([state.result, deal, state.ready, state.ratings, state.rematch, isWaiting(state), state.seats.map((seat) => seat.name)]);
  const isShown = Boolean(state.result || deal || isWaiting(state)) && !state.finished;
  const wasShown = !sheet.hidden;
  if (isShown && sheet.dataset.drawn !== key) {
    sheet.dataset.drawn = key;
    const children = state.result ? matchIsOver(state, address) : deal ? dealIsOver(state, deal) : waiting(state);
    const tone = state.result ? toneOf(state, state.result) : deal ? toneOf(state, deal) : 'even';
    sheet.dataset.tone = tone;
    sheet.replaceChildren(...children.filter((child) => child && (child.textContent !== '' || child.dataset.next !== undefined)));
  }
  sheet.hidden = !isShown;
  drawNext(sheet, state);
  return isShown && !wasShown;
}

/** The countdown to the next deal. */
export function drawNext(sheet, state) {
  const line = one('[data-next]', sheet);
  if (!line) return;
  const left = state.next_at_ms ? Math.max(0, Math.ceil((state.next_at_ms - serverNow()) / 1000)) : null;
  const text = left === null ? '' : say('next_in', { n: left });
  if (line.textContent !== text) line.textContent = text;
}
