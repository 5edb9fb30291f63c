// The keys of the table (the dialog with `?` lists them). They can be switched off in the settings.
import { isTyping } from '../dom.js';
import { preferences } from './preferences.js';

/** @param {Record<string, () => void>} actions by key in lower case */
export function listenToKeys(actions) {
  addEventListener('keydown', (event) => {
    if (!preferences.keys || event.repeat || isTyping(event)) return;
    // Space and Enter belong to the control that has the focus, but a card is played by Enter or its number: Space goes on.
    if (event.key === ' ' && event.target.closest?.('button, a, summary') && !event.target.closest('[data-hand]')) return;
    const action = actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (action && action() !== false) event.preventDefault();
  });
}
