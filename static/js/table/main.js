// The card table. `stage` shows what happened; this module turns what the player does into requests.
import { announce, data, element, one, toast } from '../dom.js';
import { cardName, deck, picture, suitName } from '../cards.js';
import { clocksText, drawBar, trickCards } from './board.js';
import { alarm, drawClocks, hearTime, lowText, serverNow } from './clock.js';
import { takesText } from './column.js';
import { listenToKeys } from './keys.js';
import { listen } from '../live.js';
import { post, Refused } from './post.js';
import { bindForm, keepOnAccount, needsTwoTaps, onPreference, prefer, preferDeck, preferences } from './preferences.js';
import { drawNext } from './result.js';
import { play as sound } from './sound.js';
import { Stage } from './stage.js';
import { mineFirst, openState, overDeal, isWaiting, sideOf, trumpOf } from './state.js';
import { watchTabs } from './tabs.js';
import { named, say, spoken, stockText } from './words.js';

const DECKS = ['napoletane', 'bresciane', 'francesi'];

const page = one('[data-play]');
const board = one('[data-board]');
const icon = one('link[rel="icon"]');
const address = page.dataset.match;
const first = data('table-state');

let wait = '';
let connection = '';
let isVeiled = false;
let wanted = null;
let wasMyTurn = false;
let stream = null;
let isGettingReady = false;

const stage = new Stage(board, openState(first), address, settled);
const { list } = stage;

function settled(state, isMyTurn) {
  const name = state.turn === null ? state.seats.map((seat) => seat.name).join(' – ') : isMyTurn ? `● ${say('your_turn')}` : say('turn_of', { name: state.seats[state.turn].name });
  document.title = `${name} · Bella`;
  icon.setAttribute('href', isMyTurn ? page.dataset.iconTurn : page.dataset.icon);
  if (isMyTurn && !wasMyTurn) {
    sound('turn');
    notify();
  }
  wasMyTurn = isMyTurn;
  drawTrouble();
  if (isMyTurn && wanted && state.hand.includes(wanted)) {
    const card = wanted;
    wanted = null;
    choose(card);
  }
  if (state.rematch?.code && state.you !== null) location.assign(`/matches/${state.rematch.code}/table/`);
}

function notify() {
  if (document.hidden && 'Notification' in window && Notification.permission === 'granted') {
    new Notification(say('notify_title'), { body: document.title, icon: page.dataset.icon, tag: first.code });
  }
}

function drawTrouble() {
  drawBar(board, stage.state, connection === 'lost' ? 'offline' : wait);
}

/** The own card: at once on the table, taken back if the server refuses it. */
async function playCard(card) {
  const before = stage.state;
  const body = { deal: before.deal, ply: before.ply, card };
  stage.isLocked = true;
  stage.throwOwn({ deal: before.deal, ply: before.ply, seat: before.you, card });
  try {
    const answer = await post(`${address}plays`, body, (how) => {
      wait = how;
      drawTrouble();
    });
    if (answer.clock) stage.state = { ...stage.state, clock: answer.clock };
    stage.isLocked = false;
    if (stage.isIdle) stage.draw();
  } catch (error) {
    stage.isLocked = false;
    refuse(error, before);
  }
}

function refuse(error, before) {
  if (!(error instanceof Refused)) throw error;
  if (error.state) stream.take(error.state);
  else stage.reset(before);
  // What happened meanwhile was shown on top of a card that was not played.
  stream.ask();
  toast(say('refused', { reason: named('refusals', error.code, error.message) }));
}

/** A card of the hand was tapped, or its number pressed. */
function choose(card) {
  if (!card || isVeiled || stage.isLocked) return;
  if (!stage.isIdle) {
    wanted = card;
    stage.hasten();
    return;
  }
  if (!stage.isMyTurn) return;
  if (needsTwoTaps() && stage.selected !== card) {
    stage.selected = card;
    stage.draw();
    announce(say('selected', { card: cardName(card) }));
    return;
  }
  playCard(card);
}

function unselect() {
  if (!stage.selected) return false;
  stage.selected = null;
  stage.draw();
  announce(say('unselected'));
  return true;
}

/** Any other request of the table. */
async function request(what, body) {
  try {
    return await post(`${address}${what}`, body, (how) => {
      wait = how;
      drawTrouble();
    });
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    if (error.state) stream.take(error.state);
    if (error.code === 'not_claimable') {
      const left = error.body.left_s ?? 0;
      const { turn } = stage.state;
      const seats = stage.state.seats.map((seat) => (seat.index === turn ? { ...seat, claimAt: serverNow() + left * 1000 } : seat));
      stage.state = { ...stage.state, seats };
      toast(say('claim_wait', { n: left }));
    } else toast(say('cannot', { reason: named('refusals', error.code, error.message) }));
    return null;
  }
}

const place = () => ({ deal: stage.state.deal, ply: stage.state.ply });

function ready() {
  const { state } = stage;
  if (state.you === null || state.ready.includes(state.you) || state.result) return;
  if (isGettingReady || (!overDeal(state) && !isWaiting(state))) return;
  isGettingReady = true;
  request('ready', { deal: state.deal === null ? 1 : overDeal(state) ? state.deal + 1 : state.deal }).then((answer) => {
    isGettingReady = false;
    if (!answer || stage.state.ready.includes(state.you) || !(overDeal(stage.state) || isWaiting(stage.state))) return;
    stage.push('ready', { seat: state.you });
    announce(say('waiting_ready'));
  });
}

function showLast() {
  const { state } = stage;
  const trick = state.finished ?? state.last;
  const body = one('[data-last]');
  const text = one('[data-last-text]');
  if (!trick) {
    body.replaceChildren();
    text.textContent = say('no_trick');
  } else {
    const names = trick.cards.map((_, step) => state.seats[(trick.lead + step) % state.n]);
    body.replaceChildren(
      ...trick.cards.map((card, step) =>
        element(
          'figure',
          { class: names[step].index === trick.winner ? 'last__card is-winner' : 'last__card' },
          picture(card, cardName(card)),
          element('figcaption', {}, names[step].index === state.you ? say('you') : names[step].name),
        ),
      ),
    );
    text.textContent = takesText(state, trick);
  }
  one('#last-trick').showModal();
}

const sayPoints = () => {
  const { state } = stage;
  const [mine, theirs] = mineFirst(state, state.points);
  const other = state.seats.find((seat) => sideOf(state, seat.index) !== sideOf(state, state.mine));
  const line = say(state.you === null ? 'points_watch' : 'points_line', { mine, theirs, name: other.name, first: state.seats[state.mine].name });
  announce(`${line} ${stockText(state.stock)}.`);
};

function sayTrump() {
  const { upcard } = stage.state;
  announce(upcard ? say('trump_line', { suit: suitName(upcard[1]), card: cardName(upcard) }) : say('no_trump'));
}

function sayTable() {
  const { state } = stage;
  const cards = trickCards(state).map(({ seat, card }) => say('table_card', { name: seat === state.you ? say('you') : state.seats[seat].name, card: spoken(card, trumpOf(state)) }));
  announce(cards.length ? cards.join(' ') : say('table_empty'));
}

function toggleSound() {
  prefer('sounds', !preferences.sounds);
  announce(say(preferences.sounds ? 'sounds_on' : 'sounds_off'));
}

function nextDeck() {
  preferDeck(DECKS[(DECKS.indexOf(deck()) + 1) % DECKS.length]);
  announce(say('deck_now', { deck: named('decks', deck()) }));
}

async function undo() {
  if (await request('undo', place())) announce(say('undone'));
}

async function showHands() {
  const on = !stage.state.open_hands;
  if (await request('show-hands', { on })) announce(say(on ? 'hands_shown' : 'hands_hidden'));
}

async function hint() {
  announce(say('hint_wait'));
  await request('hint', place());
}

function hearHint({ deal, ply, card, reason }) {
  if (deal !== stage.state.deal || ply !== stage.state.ply) return;
  const text = say('hint', { card: cardName(card), reason: named('reasons', reason) });
  stage.hinted = card;
  stage.draw();
  stage.say(text);
  announce(text);
}

async function resign(scope) {
  const answer = await request('resign', { deal: stage.state.deal, scope });
  if (answer?.is_offer) announce(say('resign_offered'));
}

const isPractice = first.mode === 'practice' && first.you !== null;
const acts = {
  last: showLast,
  undo,
  hint,
  hands: showHands,
  sound: toggleSound,
  settings: openSettings,
  keys: () => one('#table-keys').showModal(),
  resign: () => one('#resign').showModal(),
  signs: () => one('#signs').showModal(),
  call: () => request('call', place()),
};
const does = { ready, rematch: () => request('rematch', {}).then((answer) => answer && stage.push('rematch', { by: stage.state.you, code: answer.code })) };

// A card: a press is enough. A tap anywhere ends the pause; a tap beside the hand puts a raised card down.
list?.addEventListener('click', (event) => {
  const card = event.target.closest('[data-card]')?.dataset.card;
  if (!card) return;
  event.stopPropagation();
  // The second tap of a double tap plays no second card; it plays the one that the first has raised.
  if (event.detail < 2 || stage.selected === card) choose(card);
});
board.addEventListener('click', (event) => {
  if (event.target.closest('button, a')) return;
  stage.hasten();
  unselect();
});
document.addEventListener('click', (event) => {
  const act = event.target.closest('[data-act]');
  if (!act) return;
  act.closest('[popover]')?.hidePopover();
  acts[act.dataset.act]();
});
stage.sheet.addEventListener('click', (event) => does[event.target.closest('[data-do]')?.dataset.do]?.());
one('[data-claim]').addEventListener('click', () => request('claim-absence', place()));
one('#resign')?.addEventListener('close', ({ target }) => {
  if (target.returnValue) resign(target.returnValue);
  target.returnValue = '';
});
// The preferences of the header: the deck changes without a reload here.
document.addEventListener('submit', (event) => {
  if (!event.target.closest('[data-deck-form]') || event.submitter?.name !== 'deck') return;
  event.preventDefault();
  preferDeck(event.submitter.value);
});

listenToKeys({
  1: () => choose(stage.places[0]),
  2: () => choose(stage.places[1]),
  3: () => choose(stage.places[2]),
  4: () => choose(stage.places[3]),
  5: () => choose(stage.places[4]),
  ' ': () => (stage.isIdle ? ready() : stage.hasten()),
  Escape: unselect,
  l: showLast,
  p: sayPoints,
  o: () => announce(clocksText(stage.state)),
  b: sayTrump,
  t: sayTable,
  m: toggleSound,
  d: nextDeck,
  u: () => isPractice && undo(),
  h: () => isPractice && showHands(),
  '?': acts.keys,
});

/** What few tables need is fetched by them alone. */
const extras = () => import('./extras.js');

async function openSettings() {
  one('#table-settings').showModal();
  (await extras()).prepareNotifying(one('[data-notify]'));
}

function applyPreferences() {
  if (preferences.felt === 'green') delete document.documentElement.dataset.felt;
  else document.documentElement.dataset.felt = preferences.felt;
  page.classList.toggle('play--left', preferences.left_handed);
  stage.selected = needsTwoTaps() ? (stage.selected ?? null) : undefined;
  stage.draw();
}

function connect() {
  stream = listen({
    address,
    seq: first.seq,
    isSeated: first.you !== null,
    isOver: Boolean(first.result),
    onEvent(name, event) {
      if (name === 'hint') hearHint(event);
      else if (name === 'clock' || name === 'presence') {
        hearPresence(name, event);
        stage.note(name, event);
      } else stage.push(name, event);
    },
    onState(state) {
      stage.reset(openState(state));
    },
    onTime: hearTime,
    onStatus(status) {
      const before = connection;
      connection = status;
      if (before === status) return;
      drawTrouble();
      if (status === 'lost') announce(say('offline_spoken'));
      else if (before === 'lost') announce(say('online_spoken'));
    },
  });
}

function hearPresence(name, event) {
  if (name !== 'presence' || event.seat === first.you) return;
  const seat = stage.state.seats[event.seat];
  if (seat.present !== event.present) announce(say(event.present ? 'back' : 'away', { name: seat.name }));
}

function tick() {
  drawClocks(board, stage.state, (seat) => {
    alarm(lowText(stage.state, seat));
    if (seat === stage.state.you) sound('low');
  });
  drawNext(stage.sheet, stage.state);
  drawTrouble();
}

const [navigation] = performance.getEntriesByType('navigation');
// The page was made at `now` on the server and began to arrive here at `responseStart`.
hearTime(Number(page.dataset.now) + (Date.now() - performance.timeOrigin - (navigation?.responseStart ?? 0)));
bindForm(one('[data-settings]'));
onPreference(applyPreferences);
keepOnAccount();
applyPreferences();
settled(stage.state, stage.isMyTurn);
if (first.you !== null) {
  watchTabs(first.code, (veiled) => {
    isVeiled = veiled;
    one('[data-veil]').hidden = !veiled;
  });
}
setInterval(tick, 100);
tick();
connect();
page.classList.add('is-live');
if (first.you !== null && stage.state.rules.signals === 'signs') {
  extras().then(({ prepareSigns }) => prepareSigns((code) => request('signs', { ...place(), code })));
}
