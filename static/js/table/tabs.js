// One tab of a match plays: the newest one. The others are veiled until theirs is asked for.
import { one } from '../dom.js';

/** `onVeil(isVeiled)` whenever another tab takes over, or this one again. */
export function watchTabs(code, onVeil) {
  const channel = new BroadcastChannel(`bella-table-${code}`);
  const id = crypto.getRandomValues(new Uint32Array(1))[0];
  const take = () => {
    channel.postMessage({ id });
    onVeil(false);
  };
  channel.onmessage = ({ data }) => data.id !== id && onVeil(true);
  one('[data-play-here]').addEventListener('click', take);
  take();
}
