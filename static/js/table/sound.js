// Which sounds are wanted. Silent until the first gesture on the page: before it browsers allow none.
import { preferences } from './preferences.js';

const GROUPS = {
  card: 'sound_cards',
  take: 'sound_cards',
  turn: 'sound_turn',
  low: 'sound_turn',
  won: 'sound_result',
  lost: 'sound_result',
  even: 'sound_result',
};
let synth = null;

/** Plays `card take turn low won lost even`, if its group is wanted. */
export async function play(name) {
  if (!preferences.sounds || !preferences[GROUPS[name]] || preferences.volume === 0) return;
  if (!navigator.userActivation?.hasBeenActive) return;
  try {
    synth ??= import('./synth.js');
    (await synth).make(name, preferences.volume);
  } catch {
    // No sound device, or no way to fetch the module: a game is played without.
  }
}
