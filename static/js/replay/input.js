// How a person moves through a deal: keys, swipes, arrows that repeat while they are held.
import { isTyping } from '../dom.js';

const SWIPE = 40;
const FIRST_REPEAT = 350;
const REPEAT = 100;

/**
 * @param {Record<string, (event: KeyboardEvent) => void>} actions by key; "Shift+" before it where that matters
 */
export function listenToKeys(actions) {
  addEventListener('keydown', (event) => {
    if (isTyping(event)) return;
    // A slider moves itself with these keys and tells us; Space and Enter belong to the button or link that has the focus.
    if (event.target.matches?.('input[type="range"]') && /^(Arrow|Home|End|Page)/.test(event.key)) return;
    if (event.key === ' ' && event.target.closest?.('button, summary')) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const action = (event.shiftKey && actions[`Shift+${key}`]) || actions[key];
    if (!action) return;
    event.preventDefault();
    action(event);
  });
}

/** Horizontal swipes of at least 40 px; what scrolls or zooms the page is left alone. */
export function listenToSwipes(target, onSwipe) {
  let start = null;
  target.addEventListener('pointerdown', (event) => {
    start = event.isPrimary ? { x: event.clientX, y: event.clientY } : null;
  });
  target.addEventListener('pointercancel', () => {
    start = null;
  });
  target.addEventListener('pointerup', (event) => {
    if (!start) return;
    const across = event.clientX - start.x;
    const along = event.clientY - start.y;
    start = null;
    if (Math.abs(across) >= SWIPE && Math.abs(across) > Math.abs(along)) onSwipe(across < 0 ? 1 : -1);
  });
}

/** A press acts once; a long press repeats, first after 350 ms, then every 100 ms. */
export function repeatWhileHeld(button, act) {
  let timer = 0;
  let hasRepeated = false;
  const stop = () => clearTimeout(timer);
  button.addEventListener('pointerdown', (event) => {
    if (event.button !== 0) return;
    hasRepeated = false;
    const again = () => {
      hasRepeated = true;
      act();
      timer = setTimeout(again, REPEAT);
    };
    timer = setTimeout(again, FIRST_REPEAT);
  });
  for (const end of ['pointerup', 'pointerleave', 'pointercancel']) button.addEventListener(end, stop);
  button.addEventListener('contextmenu', (event) => {
    if (hasRepeated) event.preventDefault();
  });
  button.addEventListener('click', (event) => {
    event.preventDefault();
    if (!hasRepeated) act();
    hasRepeated = false;
  });
}
