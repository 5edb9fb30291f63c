// The guided first game: five tricks of one deal. The server chose the deal and says what each card would do; the list under it is the same without a script.
import { all, announce, data, element, fill, isTyping, one } from '../dom.js';
import { cardName, miniCard, picture } from '../cards.js';
import { Deal, parseCards, parseRules, winnerOf } from '../engine.js';

/**
 * @typedef {{ply: number, title: string, text: string, done: string, hint: string, later: string, said: Record<string, string>}} Step
 * @typedef {{deck: string, plays: string, dealer: number, steps: Step[], words: Record<string, string>}} Script
 */

/** @type {Script} */
const script = data('guided-data');
const { steps, words } = script;
const cards = parseCards(script.deck);
const plays = parseCards(script.plays);
const [OWN, OTHER] = [0, 1];
const root = one('[data-guided]');

/** `tried` = wrong cards of this step; `isDone` = the right one lies on the table. */
const state = { step: 0, tried: [], isDone: false };

function dealAfter(count) {
  const deal = new Deal(parseRules('n=2'), cards, script.dealer);
  for (const card of plays.slice(0, count)) deal.play(card);
  return deal;
}

const part = (name) => one(`[data-${name}]`, root);

function drawStock(deal) {
  const left = deal.stock.length;
  const text = left ? fill(left === 1 ? words.stock_one : words.stock, { count: left }) : words.empty;
  part('stock').replaceChildren(
    ...(left ? [element('span', { class: 'lesson__upcard' }, picture(deal.upcard, cardName(deal.upcard)))] : []),
    ...(left > 1 ? [element('span', { class: 'lesson__pile' }, picture('', ''))] : []),
    element('span', { class: 'lesson__trump' }, '★ ', miniCard(deal.upcard)),
    element('span', { class: 'lesson__left num' }, text),
  );
}

/** The trick of this step, as far as it is played, before the winner takes it. */
function drawTrick(trump) {
  const { ply } = steps[state.step];
  const lying = state.isDone ? [plays[ply - 1], plays[ply]] : [plays[ply - 1]];
  const winner = state.isDone ? winnerOf(lying, trump) : -1;
  [OTHER, OWN].forEach((seat, at) => {
    const slot = one(`[data-slot="${seat}"]`, root);
    slot.className = `lesson__slot${at === 0 ? ' lesson__slot--lead' : ''}${winner === at ? ' lesson__slot--win' : ''}`;
    slot.replaceChildren(...(lying[at] ? [picture(lying[at], cardName(lying[at]))] : []));
  });
}

function drawHand(deal) {
  const { ply } = steps[state.step];
  const hand = deal.hands[OWN].filter((card) => !state.isDone || card !== plays[ply]);
  part('hand').replaceChildren(
    ...hand.map((card, at) =>
      element(
        'li',
        {},
        element(
          'button',
          {
            class: `lesson__card${card[1] === deal.trump ? ' lesson__card--trump' : ''}${state.tried.includes(card) ? ' is-tried' : ''}`,
            type: 'button',
            'data-choice': card,
            'aria-label': cardName(card),
            'aria-disabled': state.isDone || state.tried.includes(card) ? 'true' : null,
          },
          picture(card, ''),
          element('kbd', { class: 'lesson__key', 'aria-hidden': 'true' }, at + 1),
        ),
      ),
    ),
  );
}

function drawPoints(deal) {
  [OWN, OTHER].forEach((seat) => (one(`[data-points="${seat}"]`, root).textContent = deal.totals[seat]));
}

function render() {
  const step = steps[state.step];
  const deal = dealAfter(step.ply);
  part('step').textContent = fill(words.step, { number: state.step + 1, count: steps.length });
  part('title').textContent = step.title;
  part('later').textContent = step.later;
  part('text').textContent = step.text;
  part('backs').replaceChildren(...deal.hands[OTHER].map(() => picture('', '')));
  drawStock(deal);
  drawTrick(deal.trump);
  drawHand(deal);
  drawPoints(state.isDone ? dealAfter(step.ply + 1) : deal);
  const next = part('next');
  next.hidden = !state.isDone;
  next.textContent = state.step + 1 < steps.length ? words.next : words.finish;
}

function say(text, kind) {
  const message = part('message');
  message.className = `lesson__message lesson__message--${kind}`;
  message.textContent = text;
  message.parentElement.scrollIntoView({ block: 'nearest' });
  announce(text);
}

function choose(card) {
  const step = steps[state.step];
  if (state.isDone || state.tried.includes(card)) return;
  const said = fill(words.card, { card: cardName(card), said: step.said[card] });
  if (card === plays[step.ply]) {
    state.isDone = true;
    render();
    say(`${said} ${step.done}`, 'right');
    part('next').focus({ preventScroll: true });
  } else {
    state.tried.push(card);
    render();
    say(`${said} ${step.hint}`, 'wrong');
    one(`[data-choice="${card}"]`, root).focus({ preventScroll: true });
  }
}

/** Shows a step; the text is spoken and the first card gets the focus. */
function open(step, isFirst = false) {
  Object.assign(state, { step, tried: [], isDone: false });
  root.classList.remove('is-over');
  render();
  part('message').textContent = '';
  part('message').className = 'lesson__message';
  if (isFirst) return;
  announce(`${steps[step].later} ${steps[step].title}. ${steps[step].text}`.trim());
  one('[data-choice]', root).focus({ preventScroll: true });
  one('.lesson', root).scrollIntoView({ block: 'start' });
}

function goOn() {
  if (state.step + 1 < steps.length) {
    open(state.step + 1);
    return;
  }
  root.classList.add('is-over');
  one('h2', part('end')).focus();
}

part('hand').addEventListener('click', (event) => {
  const button = event.target.closest('[data-choice]');
  if (button) choose(button.dataset.choice);
});
part('next').addEventListener('click', goOn);
part('again').addEventListener('click', () => open(0));

addEventListener('keydown', (event) => {
  if (event.repeat || isTyping(event) || root.classList.contains('is-over')) return;
  const button = /^[123]$/.test(event.key) ? all('[data-choice]', root)[Number(event.key) - 1] : null;
  if (!button) return;
  event.preventDefault();
  choose(button.dataset.choice);
});

root.classList.add('is-live');
open(0, true);
