// Shows what happened one step after the other: a card flies, the finished trick rests, cards are drawn. The newest state waits in the queue meanwhile.
import { all, announce, one } from '../dom.js';
import { cardName } from '../cards.js';
import { drawHand, drawBoard, focusPlace, placesOf, signalsText } from './board.js';
import { serverNow } from './clock.js';
import { drawColumn, takesText } from './column.js';
import { dealText, drawResult, matchTitle, toneOf } from './result.js';
import { fly, flyAway, hurry, lasting, rectOf } from './motion.js';
import { preferences } from './preferences.js';
import { play as sound } from './sound.js';
import { dealOver, noted, overDeal, played, shownTrick, sideOf, started, taken, trumpOf } from './state.js';
import { named, say } from './words.js';

const PAUSES = { short: 700, normal: 1400 };

/**
 * The table on the page. `onSettled(state, isMyTurn)` is called whenever nothing moves any more.
 */
export class Stage {
  #queue = [];
  #speech = [];
  #places = [];
  #skip = null;
  #isRunning = false;
  #generation = 0;
  #waitsForPlace = null;

  constructor(board, state, address, onSettled) {
    this.board = board;
    this.state = state;
    this.address = address;
    this.onSettled = onSettled;
    this.list = state.you === null ? null : one(`ul[data-hand="${state.you}"]`, board);
    this.sheet = one('[data-result]', board);
    this.banner = one('[data-banner]', board);
    /** The card that was tapped once, in two-tap mode; undefined where one tap plays. */
    this.selected = undefined;
    this.hinted = null;
    this.isLocked = false;
  }

  get places() {
    return this.#places;
  }

  /** Nothing moves and nothing waits. */
  get isIdle() {
    return !this.#isRunning;
  }

  get isPausing() {
    return this.#skip !== null;
  }

  get isMyTurn() {
    return this.isIdle && this.state.turn !== null && this.state.turn === this.state.you && !this.isLocked;
  }

  draw() {
    const { state } = this;
    this.#places = placesOf(this.#places, state);
    if (this.list) {
      drawHand(this.list, this.#places, { trump: trumpOf(state), selected: this.selected, hinted: this.hinted, isOpen: this.isMyTurn });
      if (this.#waitsForPlace !== null && this.#places[this.#waitsForPlace] && this.list.contains(document.activeElement)) {
        focusPlace(this.list, this.#waitsForPlace);
        this.#waitsForPlace = null;
      }
    }
    drawBoard(this.board, state);
    drawColumn(state, preferences.sounds);
    return drawResult(this.sheet, state, this.address);
  }

  /** Another state, at once: after a gap, a refusal, a reload. */
  reset(state) {
    this.#queue = [];
    this.#speech = [];
    // What is being shown belongs to a past that this state replaces.
    this.#generation += 1;
    this.#skip?.();
    this.state = state;
    this.selected = this.selected === undefined ? undefined : null;
    this.hinted = null;
    this.say('');
    this.draw();
    if (!this.#isRunning) this.#settle();
  }

  /** One more thing happened. */
  push(name, event) {
    this.#queue.push([name, event]);
    this.#run();
  }

  /** Something that needs no showing: clocks, who is there. */
  note(name, event) {
    this.state = noted(this.state, name, event, serverNow());
    this.draw();
  }

  /** Ends a pause, and shows what still waits without motion. */
  hasten() {
    if (!this.#isRunning) return;
    hurry(true);
    this.#skip?.();
  }

  /** The sentence beside the trick. */
  say(text) {
    this.banner.textContent = text;
    this.banner.hidden = text === '';
  }

  speak(...sentences) {
    announce(sentences.filter(Boolean).join(' '));
  }

  async #run() {
    if (this.#isRunning) return;
    this.#isRunning = true;
    while (this.#queue.length) {
      const [name, event] = this.#queue.shift();
      await this.#show(name, event);
    }
    this.#isRunning = false;
    hurry(false);
    this.draw();
    this.#settle();
  }

  #settle() {
    // A card that completes the trick is told together with who takes it.
    const isComplete = this.state.trick.length === this.state.n && !this.state.result;
    const sentences = isComplete ? [] : this.#speech.splice(0);
    const isMyTurn = this.state.turn !== null && this.state.turn === this.state.you;
    if (isMyTurn && sentences.length) sentences.push(say('your_turn_spoken'));
    if (sentences.length) this.speak(...sentences);
    this.onSettled(this.state, isMyTurn);
  }

  #name(seat) {
    return this.state.seats[seat].name;
  }

  async #show(name, event) {
    if (name === 'play') return this.#showPlay(event);
    if (name === 'trick') return this.#showTrick(event);
    if (name === 'start') return this.#showStart(event);
    if (name === 'deal') return this.#showDeal(event);
    this.state = noted(this.state, name, event, serverNow());
    if (name === 'sign') this.#speech.push(say('sign_sent', { name: this.#name(event.seat), sign: named('signs', event.code) }));
    if (name === 'rating' || name === 'result' || name === 'rematch' || name === 'ready') this.#showNews(name);
    else this.draw();
    return undefined;
  }

  #showNews(name) {
    const { state } = this;
    const isNew = this.draw();
    if (name !== 'result') return;
    sound(toneOf(state, state.result));
    this.#speech.push(matchTitle(state));
    if (isNew) this.#focusSheet();
  }

  #focusSheet() {
    // Who plays by keyboard goes on where the next key is; nobody else is moved.
    if (!this.list?.contains(document.activeElement) && document.activeElement !== document.body) return;
    (one('button, a', this.sheet) ?? this.sheet).focus({ preventScroll: true });
  }

  async #showPlay(event) {
    if (event.deal !== this.state.deal || event.ply < this.state.ply) {
      // Shown already when it was tapped: only what the server knows better is taken over.
      if (event.deal === this.state.deal) {
        this.state = { ...this.state, seq: event.seq, clock: event.clock ?? this.state.clock, signals: event.signals ?? this.state.signals };
      }
      return;
    }
    await this.#throwCard(event);
  }

  /** The viewer's own card, before the server has answered. */
  async throwOwn(event) {
    this.#isRunning = true;
    this.#waitsForPlace = this.list.contains(document.activeElement) ? this.#places.indexOf(event.card) : null;
    await this.#throwCard(event);
    this.#isRunning = false;
    return this.#run();
  }

  async #throwCard(event) {
    const hand = one(`[data-hand="${event.seat}"]`, this.board);
    const from = rectOf(one(`[data-card="${event.card}"] .card, img[data-card="${event.card}"]`, hand) ?? hand.lastElementChild);
    const old = this.state;
    this.state = played(old, event);
    this.selected = this.selected === undefined ? undefined : null;
    this.hinted = null;
    this.say('');
    const isOwn = event.seat === old.you;
    this.draw();
    sound('card');
    this.#speech.push(isOwn ? say('you_play', { card: cardName(event.card) }) : say('plays', { name: this.#name(event.seat), card: cardName(event.card) }));
    await fly(one(`[data-slot="${event.seat}"] .card`, this.board), from);
  }

  async #showTrick(event) {
    if (this.state.trick.length < this.state.n) return;
    const isOwn = event.winner === this.state.you;
    const values = { name: this.#name(event.winner), points: event.points };
    this.state = shownTrick(this.state, event);
    this.draw();
    this.say(takesText(this.state, event));
    this.speak(...this.#speech.splice(0), say(isOwn ? 'you_take_spoken' : 'takes_spoken', values));
    const generation = this.#generation;
    await this.#pause();
    if (generation !== this.#generation) return;
    sound('take');
    const heap = one(`[data-heap="${sideOf(this.state, event.winner)}"]`, this.board);
    await Promise.all(all('.slot .card', this.board).map((card, i) => flyAway(card, heap, 320, i * 40)));
    if (generation !== this.#generation) return;
    await this.#takeAndDraw(event);
  }

  async #takeAndDraw(event) {
    const before = this.state;
    const pile = rectOf(one('.stock__pile .card', this.board) ?? one('.stock__upcard .card', this.board));
    this.state = taken(before, event);
    const { state } = this;
    this.say(before.stock > 0 && state.stock === 0 ? say('last_three_short') : before.stock > state.n && state.stock === state.n ? say('last_draw') : '');
    this.draw();
    if (event.drew) this.#speech.push(say('you_draw', { card: cardName(event.drew) }));
    if (before.stock > 0 && state.stock === 0) this.#speech.push(say('last_three'));
    if (before.stock === 0) return;
    const drawn = state.seats.map((_, step) => (event.winner + step) % state.n);
    await Promise.all(
      drawn.map((seat, i) => {
        const hand = one(`[data-hand="${seat}"]`, this.board);
        const card = seat === state.you && event.drew ? one(`[data-card="${event.drew}"] .card`, hand) : hand.lastElementChild;
        return fly(card, pile, 220, i * 90);
      }),
    );
  }

  async #showStart(event) {
    this.state = started(this.state, event);
    this.#places = [];
    this.say('');
    this.draw();
    const { state } = this;
    this.#speech.push(state.upcard ? say('start', { number: state.deal, card: cardName(state.upcard) }) : say('start_plain', { number: state.deal }));
    if (this.list && this.sheet.contains(document.activeElement)) focusPlace(this.list, 0);
    sound('take');
    const pile = rectOf(one('.stock__cards', this.board));
    await Promise.all(
      all('[data-hand]', this.board).flatMap((hand) => all('.card', hand).map((card, i) => fly(card, pile, 260, i * 90))),
    );
  }

  async #showDeal(event) {
    const generation = this.#generation;
    if (lasting(1)) await new Promise((resolve) => setTimeout(resolve, lasting(350)));
    if (generation !== this.#generation) return;
    this.state = dealOver(this.state, event, serverNow());
    this.say('');
    const isNew = this.draw();
    const deal = overDeal(this.state);
    // The last deal of a match is told by the match.
    sound(toneOf(this.state, deal));
    this.#speech.push(dealText(this.state, deal));
    if (isNew) this.#focusSheet();
  }

  /** The finished trick rests: as long as chosen, or until a tap. Also without motion. */
  async #pause() {
    const ms = PAUSES[preferences.pause];
    await new Promise((resolve) => {
      const timer = ms ? setTimeout(resolve, ms) : 0;
      this.#skip = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#skip = null;
  }

  /** What the partner told changed: said with what follows. */
  hearSignals(told) {
    this.#speech.push(signalsText(told));
  }
}
