// Clocks and countdowns, ten times a second: only what changed is written.
import { all, one } from '../dom.js';
import { clockText, say } from './words.js';

const LOW = 20000;
let skew = Infinity;
let bank = 0;
const warned = new Set();

/** The server's time in milliseconds, as near as the fastest message told it. */
export const serverNow = () => Date.now() - (skew === Infinity ? 0 : skew);

/** Every message with the server's time makes the difference between the clocks more exact. */
export function hearTime(serverMs) {
  if (Number.isFinite(serverMs)) skew = Math.min(skew, Date.now() - serverMs);
}

/** Milliseconds that a seat has left now; null without a clock. */
export function leftOf(state, seat) {
  const clock = state.clock;
  const left = clock?.left_ms?.[seat];
  if (left === undefined || left === null) return null;
  const runs = clock.running === seat && !state.isFrozen;
  return Math.max(0, runs ? left - Math.max(0, serverNow() - clock.as_of_ms) : left);
}

/** Draws every clock; `onLow(seat)` once a deal for a seat that runs out. */
export function drawClocks(board, state, onLow) {
  for (const node of all('[data-seat]', board)) {
    const seat = Number(node.dataset.seat);
    const left = leftOf(state, seat);
    const clock = one('[data-clock]', node);
    if (left === null || !clock) continue;
    bank = Math.max(bank, left);
    const text = clockText(left);
    if (clock.textContent !== text) {
      clock.textContent = text;
      one('[data-ring]', node).setAttribute('stroke-dasharray', `${Math.round((left / bank) * 100)} 100`);
    }
    const isLow = left < LOW;
    clock.classList.toggle('clock--low', isLow);
    const key = `${state.deal} ${seat}`;
    if (isLow && state.clock.running === seat && !warned.has(key)) {
      warned.add(key);
      onLow(seat);
    }
  }
}

/** Told now, whatever else is being read: time runs out. */
export const alarm = (sentence) => {
  one('#alert').textContent = sentence;
};

export const lowText = (state, seat) => (seat === state.you ? say('low_time') : say('low_time_of', { name: state.seats[seat].name }));
