// Signs between partners, where the rules have them, and the question for notifications, with the settings.
import { element, one } from '../dom.js';
import { named } from './words.js';

const SIGNS = ['A', '3', 'R', 'C', 'F', 'X', 'K', 'L', '?A', '?K', '!take', '!load', '!low', '!trump'];

/** Fills the dialog of signs; `send(code)` makes one. */
export function prepareSigns(send) {
  for (const code of SIGNS) {
    const button = element('button', { class: 'btn', value: code }, named('signs', code));
    button.addEventListener('click', () => send(code));
    one('[data-sign-list]').append(button);
  }
}

/** Shows the button that asks for notifications: browsers allow the question only after a click. */
export function prepareNotifying(button) {
  if (!button?.hidden || !('Notification' in window) || Notification.permission !== 'default') return;
  button.hidden = false;
  button.addEventListener('click', async () => {
    await Notification.requestPermission();
    button.hidden = true;
  });
}
