// The replay page. State = deal, number of cards played, playing or not; `show` draws it, everything else changes it.
import { all, announce, data, one, toast } from '../dom.js';
import { cardName, deck } from '../cards.js';
import { parseRules } from '../engine.js';
import { awaitAnalysis, drawAnalysis, notesOf } from './analysis.js';
import { bannerText, drawBoard, fly, placeOf } from './board.js';
import { drawGraph } from './graph.js';
import { listenToKeys, listenToSwipes, repeatWhileHeld } from './input.js';
import { openDeal, trickAt } from './positions.js';
import { drawTricks } from './tricks.js';
import { startVerifying } from './verify_panel.js';
import { say } from './words.js';

const STEP = 1100;
const AFTER_TRICK = 1.35;

const match = data('replay-data');
const rules = parseRules(match.rules);
const names = match.seats.map((seat) => seat.name);
const deals = match.deals.filter((deal) => deal.deck).map((deal) => openDeal(rules, deal, match.seats));
const page = one('.replay');
const board = one('[data-board]');
const slider = one('[data-slider]');
const speed = one('[data-speed]');
const playButton = one('[data-play]');
const analysis = one('[data-analysis]');

let deal = deals[0];
let ply = 0;
let timer = 0;
let areHandsHidden = false;

/** Deal and position of the address; what does not exist is clamped. A deal that ended by a fault opens at its end. */
function readAddress() {
  const query = new URLSearchParams(location.search);
  deal = deals.find((candidate) => candidate.number === Number(query.get('d'))) ?? deals[0];
  const isAwarded = !['', 'normal', 'claim', 'auto', null, undefined].includes(deal.termination);
  const wanted = query.has('c') ? Math.trunc(Number(query.get('c'))) || 0 : isAwarded ? deal.last : 0;
  ply = Math.min(Math.max(wanted, 0), deal.last);
}

function positionText() {
  if (ply === 0) return say('start');
  return say('position', { trick: trickAt(ply, deal.n) + 1, name: names[deal.players[ply - 1]], card: cardName(deal.plays[ply - 1]) });
}

function drawControls() {
  slider.max = deal.last;
  slider.value = ply;
  slider.setAttribute('aria-valuetext', positionText());
  const ms = deal.thinkMs[ply - 1];
  const thought = one('[data-thought]');
  if (thought) thought.textContent = Number.isInteger(ms) ? say('thought', { ms }) : '';
  one('[data-count]').textContent = `${ply} / ${deal.last}`;
  const places = { first: 0, previous: Math.max(0, ply - 1), next: Math.min(deal.last, ply + 1), last: deal.last };
  for (const link of all('[data-go]')) {
    const place = places[link.dataset.go];
    link.setAttribute('href', `?d=${deal.number}&c=${place}`);
    link.setAttribute('aria-disabled', String(place === ply));
  }
  for (const tab of all('[data-deal]')) {
    if (Number(tab.dataset.deal) === deal.number) tab.setAttribute('aria-current', 'true');
    else tab.removeAttribute('aria-current');
  }
}

/** The panel is drawn anew for another deal or deck. */
function drawNotes() {
  const drawn = `${deck()} ${deal.number} ${Boolean(deal.analysis)}`;
  if (!analysis || analysis.dataset.drawn === drawn) return;
  analysis.dataset.drawn = drawn;
  drawAnalysis(analysis, deal, names);
}

function show() {
  const position = deal.positions[ply];
  const notes = notesOf(deal, names);
  drawBoard(board, deal, position, names, areHandsHidden);
  drawTricks(one('[data-tricks]'), deal, position, names, notes);
  drawGraph(one('[data-graph]'), deal, position, notes);
  drawNotes();
  drawControls();
  const note = notes.find((candidate) => candidate.ply === ply);
  one('[data-note]').textContent = note ? note.text : '';
}

function announcePosition() {
  const position = deal.positions[ply];
  if (ply === 0) return announce(say('start'));
  const sentence = say('plays', { name: names[deal.players[ply - 1]], card: cardName(deal.plays[ply - 1]) });
  return announce(`${sentence} ${bannerText(deal, position, names)}`.trim());
}

/** The address of the page, and of the pages beside it that follow it, names the position. */
function remember() {
  const here = `?d=${deal.number}&c=${ply}`;
  history.replaceState(null, '', here);
  for (const link of document.querySelectorAll('[data-follows]')) link.search = here;
}

/** Goes to a position; one card forward the card flies from the hand, any other way nothing moves. */
function go(wanted, { isSpoken = true } = {}) {
  const next = Math.min(Math.max(wanted, 0), deal.last);
  const seat = next === ply + 1 ? deal.players[ply] : null;
  const from = seat === null || areHandsHidden ? null : placeOf(board, seat, deal.plays[ply]);
  ply = next;
  remember();
  show();
  if (from) fly(board, seat, from, Math.min(260, (STEP / Number(speed.value)) * 0.5));
  if (isSpoken) announcePosition();
}

function openOther(step) {
  const other = deals[deals.indexOf(deal) + step];
  if (!other) return;
  stop();
  deal = other;
  go(0, { isSpoken: false });
  announce(say('deal', { number: deal.number }));
}

function showPlayButton(isPlaying) {
  playButton.setAttribute('aria-label', say(isPlaying ? 'pause' : 'play'));
  one('[data-icon="play"]', playButton).hidden = isPlaying;
  one('[data-icon="pause"]', playButton).hidden = !isPlaying;
}

function stop() {
  clearTimeout(timer);
  timer = 0;
  showPlayButton(false);
}

function play() {
  if (ply === deal.last) go(0, { isSpoken: false });
  showPlayButton(true);
  const step = () => {
    go(ply + 1, { isSpoken: false });
    if (ply === deal.last) return stop();
    const pause = ply % deal.n === 0 ? AFTER_TRICK : 1;
    timer = setTimeout(step, (STEP / Number(speed.value)) * pause);
    return undefined;
  };
  timer = setTimeout(step, STEP / Number(speed.value) / 2);
}

const togglePlay = () => (timer ? stop() : play());

/** By hand: stops playing first. */
const step = (wanted) => {
  stop();
  go(wanted);
};

const moves = {
  first: () => step(0),
  previous: () => step(ply - 1),
  next: () => step(ply + 1),
  last: () => step(deal.last),
  previousTrick: () => step(trickAt(ply, deal.n) * deal.n),
  nextTrick: () => step((Math.floor(ply / deal.n) + 1) * deal.n),
};

function changeSpeed(by) {
  speed.selectedIndex = Math.min(Math.max(speed.selectedIndex + by, 0), speed.options.length - 1);
  announce(say('speed', { speed: speed.selectedOptions[0].textContent }));
}

function hideHands() {
  areHandsHidden = !areHandsHidden;
  one('[data-hide]').setAttribute('aria-pressed', String(areHandsHidden));
  show();
  announce(say(areHandsHidden ? 'hands_hidden' : 'hands_shown'));
}

async function share() {
  remember();
  try {
    await navigator.clipboard.writeText(location.href);
    toast(say('copied'));
  } catch {
    toast(say('not_copied'));
  }
}

/** The deck changes at once, the preference is saved behind; without script the same form reloads the page. */
function changeDeck(event) {
  const form = event.target.closest('[data-deck-form]');
  if (!form || event.submitter?.name !== 'deck') return;
  event.preventDefault();
  const body = new URLSearchParams(new FormData(form));
  body.set('deck', event.submitter.value);
  document.documentElement.dataset.deck = event.submitter.value;
  for (const button of all('button[name="deck"]', form)) button.setAttribute('aria-pressed', String(button === event.submitter));
  show();
  fetch(form.action, { method: 'POST', body, redirect: 'manual' });
}

for (const link of all('[data-go]')) repeatWhileHeld(link, moves[link.dataset.go]);
playButton.addEventListener('click', togglePlay);
slider.addEventListener('input', () => {
  stop();
  go(Number(slider.value), { isSpoken: false });
});
one('[data-hide]').addEventListener('click', hideHands);
one('[data-share]').addEventListener('click', share);
one('[data-keys]').addEventListener('click', () => one('#replay-keys').showModal());
one('[data-tricks]').addEventListener('click', (event) => {
  const line = event.target.closest('[data-ply]');
  if (!line) return;
  event.preventDefault();
  step(Number(line.dataset.ply));
});
for (const tab of all('[data-deal]')) {
  tab.addEventListener('click', (event) => {
    event.preventDefault();
    openOther(deals.findIndex((candidate) => candidate.number === Number(tab.dataset.deal)) - deals.indexOf(deal));
  });
}
analysis?.addEventListener('click', (event) => {
  const note = event.target.closest('[data-ply]');
  if (!note) return;
  event.preventDefault();
  step(Number(note.dataset.ply));
});
document.addEventListener('submit', changeDeck);
listenToSwipes(board, (by) => step(ply + by));
listenToKeys({
  ArrowLeft: moves.previous,
  ArrowRight: moves.next,
  'Shift+ArrowLeft': moves.previousTrick,
  'Shift+ArrowRight': moves.nextTrick,
  ArrowUp: () => openOther(-1),
  ArrowDown: () => openOther(1),
  Home: moves.first,
  End: moves.last,
  ' ': togglePlay,
  '<': () => changeSpeed(-1),
  '>': () => changeSpeed(1),
  h: hideHands,
  s: share,
  '?': () => one('#replay-keys').showModal(),
});
startVerifying(match);
if (match.has_analysis === false) {
  awaitAnalysis(analysis.dataset.analysis, (made) => {
    for (const opened of deals) opened.analysis = made.get(opened.number) ?? null;
    show();
    announce(say('analysis_made'));
  });
}
readAddress();
show();
page.classList.add('is-live');
