// Cards that fly. Nothing here lays anything out: a card is already in its place and is only shown coming from another.
import { preferences } from './preferences.js';

const FACTOR = { slow: 1 / 0.6, normal: 1, fast: 0.5, none: 0 };
const still = matchMedia('(prefers-reduced-motion: reduce)');
let isHurried = false;

/** While hurried, nothing moves. */
export const hurry = (value) => {
  isHurried = value;
};

/** Milliseconds of a motion at the chosen speed; 0 where motion is not wanted. */
export const lasting = (ms) => (isHurried || still.matches || document.hidden ? 0 : ms * FACTOR[preferences.speed]);

export const rectOf = (node) => node?.getBoundingClientRect() ?? null;

async function animate(node, frames, ms, easing, delay = 0) {
  const duration = lasting(ms);
  if (!node || !duration) return;
  await node.animate(frames, { duration, easing, delay: lasting(delay), fill: delay ? 'backwards' : 'none' }).finished.catch(() => {});
}

/** `node` comes from the place `from`. */
export function fly(node, from, ms = 260, delay = 0) {
  if (!node || !from?.width || !lasting(ms)) return Promise.resolve();
  const to = node.getBoundingClientRect();
  const x = from.left + from.width / 2 - to.left - to.width / 2;
  const y = from.top + from.height / 2 - to.top - to.height / 2;
  const size = from.width / (to.width || 1);
  const lifted = { transform: `translate(${x * 0.35}px, ${y * 0.35 - 6}px) scale(${1 + (size - 1) * 0.3 + 0.04})`, offset: 0.6 };
  return animate(
    node,
    [{ transform: `translate(${x}px, ${y}px) scale(${size})` }, lifted, { transform: 'none' }],
    ms,
    'cubic-bezier(0.2, 0.7, 0.25, 1)',
    delay,
  );
}

/** `node` goes to the middle of `target` and shrinks into it; it stays there until it is drawn anew. */
export function flyAway(node, target, ms = 320, delay = 0) {
  if (!node || !target || !lasting(ms)) return Promise.resolve();
  const [from, to] = [node.getBoundingClientRect(), target.getBoundingClientRect()];
  const x = to.left + to.width / 2 - from.left - from.width / 2;
  const y = to.top + to.height / 2 - from.top - from.height / 2;
  const motion = node.animate(
    [
      { transform: 'none', opacity: 1 },
      { transform: `translate(${x}px, ${y}px) scale(${Math.max(0.3, to.width / from.width)}) rotate(4deg)`, opacity: 0.5 },
    ],
    { duration: lasting(ms), delay: lasting(delay), easing: 'ease-in', fill: 'forwards' },
  );
  return motion.finished.catch(() => {});
}
