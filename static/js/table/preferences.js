// What the player prefers at the table: on the account, before sign-up in this browser. `wanted` names a change to those who listen.
import { all, data, one } from '../dom.js';

const KEY = 'bella-table';
const DEFAULTS = {
  felt: 'green', speed: 'normal', pause: 'normal', two_tap: 'auto', left_handed: false, keys: true,
  sounds: true, sound_cards: true, sound_turn: true, sound_result: true, volume: 60,
}; // prettier-ignore

const account = data('table-preferences');
const listeners = [];

function stored() {
  try {
    const found = JSON.parse(localStorage.getItem(KEY) ?? '{}');
    return Object.fromEntries(Object.entries(found).filter(([name, value]) => typeof value === typeof DEFAULTS[name]));
  } catch {
    return {};
  }
}

/** Read-only for everybody else. */
export const preferences = { ...DEFAULTS, ...(account ?? stored()) };

export const onPreference = (listener) => listeners.push(listener);

const encoded = (value) => (typeof value === 'boolean' ? (value ? 'on' : 'off') : String(value));

function send(values) {
  const body = new URLSearchParams(Object.entries(values).map(([name, value]) => [name, encoded(value)]));
  const headers = { 'X-CSRFToken': one('meta[name="csrf"]')?.content ?? '' };
  return fetch(one('[data-play]').dataset.preferences, { method: 'POST', body, headers, redirect: 'manual' }).catch(() => {});
}

/** Takes effect at once, everywhere; saved behind. */
export function prefer(name, value) {
  if (preferences[name] === value) return;
  preferences[name] = value;
  if (account) send({ [name]: value });
  else {
    try {
      localStorage.setItem(KEY, JSON.stringify(preferences));
    } catch {
      // A browser that keeps nothing: it holds until the page is closed.
    }
    if (name === 'felt') send({ felt: value });
  }
  for (const listener of listeners) listener(name, value);
}

const root = document.documentElement;

/** Another deck, mid-trick: the pictures change, nothing else. */
export function preferDeck(deck) {
  if (root.dataset.deck === deck) return;
  root.dataset.deck = deck;
  for (const button of all('button[name="deck"]')) button.setAttribute('aria-pressed', String(button.value === deck));
  send({ deck });
  for (const listener of listeners) listener('deck', deck);
}

/** Whether the first tap only raises a card. */
export const needsTwoTaps = () =>
  preferences.two_tap === 'on' || (preferences.two_tap === 'auto' && matchMedia('(pointer: coarse) and (max-width: 359px)').matches);

/** The form of the settings shows what is chosen and changes it. */
export function bindForm(form) {
  const show = () => {
    for (const field of form.elements) {
      if (field.name === 'deck') field.checked = field.value === root.dataset.deck;
      else if (field.type === 'radio') field.checked = field.value === preferences[field.name];
      else if (field.type === 'checkbox') field.checked = preferences[field.name];
      else if (field.type === 'range') field.value = preferences[field.name];
    }
  };
  form.addEventListener('input', ({ target }) => {
    if (target.name === 'deck') preferDeck(target.value);
    else if (target.type === 'radio') prefer(target.name, target.value);
    else if (target.type === 'checkbox') prefer(target.name, target.checked);
  });
  // A slider reports every step while it is dragged: only where it stops is kept.
  form.addEventListener('change', ({ target }) => target.type === 'range' && prefer(target.name, Number(target.value)));
  onPreference(show);
  show();
}

/** What was chosen before signing up goes to the account, once. */
export function keepOnAccount() {
  if (!account || !localStorage.getItem(KEY)) return;
  const before = stored();
  localStorage.removeItem(KEY);
  if (Object.keys(before).length === 0) return;
  Object.assign(preferences, before);
  send(before);
}
