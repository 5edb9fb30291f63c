// What happens, as it happens: every event once and in order, the whole state where one went missing.
//
// One stream a tab. It comes again by itself after it breaks, from the number that this page holds; while no stream gets
// through, the state is asked for every few seconds. A stream of somebody who plays is never closed because the tab is
// hidden: it brings the turn. Others rest after a minute out of sight, at once where many tabs are open.

/** How long an early event waits for the one before it, and a number of the heartbeat for its event, ms. */
const HOLD = 150;
const LATE = 1000;
/** Without any sign of life for so long the stream counts as broken (one comes every 15 s), ms. */
const SILENCE = 20000;
/** The state is asked for so often while no stream gets through, from this many failures on. */
const POLL = 5000;
const FAILURES = 3;
const LONGEST = 15000;
/** A stream of somebody who only watches rests when its tab was hidden for so long, and this many tabs may stay. */
const REST = 60000;
const TABS = 3;

const OF_MATCH = ['play', 'trick', 'deal', 'start', 'sign', 'hint', 'presence', 'clock', 'ready', 'result', 'rating', 'rematch'];
const OF_VIEWER = ['inbox', 'starting', 'called', 'turn', 'invited', 'invitation'];

/**
 * @typedef {object} Listener
 * @property {string} address  folder of `events` and `state`: `/matches/<code>/` or `/me/`
 * @property {number} [seq]  number of the state that the page shows; without one nothing is numbered (`/me/`)
 * @property {boolean} [isSeated]  whether the viewer plays in this match
 * @property {boolean} [isOver]  whether the match is over already
 * @property {(kind: string, data: object) => void} onEvent
 * @property {(state: object) => void} [onState]  the whole state: draw it without motion
 * @property {(ms: number) => void} [onTime]  the server's clock
 * @property {(status: 'live' | 'lost' | 'ended') => void} [onStatus]
 */

/**
 * Listen until `stop()`. `ask()` fetches the state, `take(state)` is for one that came otherwise (409), `isOpen()` for the stream.
 * @param {Listener} listener
 */
export function listen({ address, seq = null, isSeated = false, isOver = false, onEvent, onState = () => {}, onTime = () => {}, onStatus = () => {} }) {
  const tab = Array.from(crypto.getRandomValues(new Uint32Array(3)), (word) => word.toString(36)).join('-').padEnd(8, '0');
  const isNumbered = seq !== null;
  const early = new Map();
  const timers = new Map();
  let held = seq ?? 0;
  let source = null;
  let failures = 0;
  let isAsking = false;
  let isStopped = false;

  /** One timer a purpose; a new one takes the place of the old. */
  const later = (purpose, ms, work) => {
    never(purpose);
    timers.set(purpose, setTimeout(() => timers.delete(purpose) && work(), ms));
  };
  const never = (purpose) => {
    clearTimeout(timers.get(purpose));
    timers.delete(purpose);
  };

  /** Fetch the state; `isIdle` = only to see whether it has changed. */
  async function ask(isIdle = false) {
    if (!isNumbered || isAsking || isStopped) return;
    isAsking = true;
    try {
      const response = await fetch(`${address}state`, { headers: { Accept: 'application/json' } });
      if (response.ok) take(await response.json(), isIdle);
      else if ([401, 403, 404].includes(response.status)) stop();
    } catch {
      // Asked again later.
    } finally {
      isAsking = false;
    }
  }

  function take(state, isIdle = false) {
    if (isStopped || state.seq < held) return;
    if (isIdle && state.seq === held) return onStatus('live');
    held = state.seq;
    isOver ||= Boolean(state.result);
    for (const number of early.keys()) if (number <= held) early.delete(number);
    onStatus('live');
    onState(state);
    return drain();
  }

  function drain() {
    while (early.has(held + 1)) {
      const [kind, data] = early.get(held + 1);
      early.delete(held + 1);
      held += 1;
      isOver ||= kind === 'result';
      onEvent(kind, data);
    }
    if (!early.size) never('gap');
    else if (!timers.has('gap')) later('gap', HOLD, ask);
  }

  function hear(kind, data) {
    failures = 0;
    later('silence', SILENCE, lost);
    never('poll');
    onStatus('live');
    if (kind === 'hb') {
      onTime(data.now_ms);
      if (isNumbered && data.seq > held && !timers.has('late')) later('late', LATE, () => data.seq > held && ask());
    } else if (kind === 'state') take(data);
    else if (!isNumbered || data.seq === undefined) onEvent(kind, data);
    else if (data.seq > held) {
      early.set(data.seq, [kind, data]);
      drain();
    }
  }

  function open() {
    if (isStopped) return;
    close();
    source = new EventSource(`${address}events?tab=${tab}${isNumbered ? `&after=${held}` : ''}`);
    const opened = source;
    const kinds = ['hb', ...(isNumbered ? ['state', ...OF_MATCH] : []), ...OF_VIEWER];
    for (const kind of kinds) opened.addEventListener(kind, ({ data }) => source === opened && hear(kind, JSON.parse(data)));
    opened.addEventListener('error', () => source === opened && lost());
    later('silence', SILENCE, lost);
    tell('open');
  }

  /** The browser's own way back would know neither our number nor when to wait longer: this one takes its place. */
  function lost() {
    const isRefused = source?.readyState === EventSource.CLOSED;
    close();
    if (isRefused && isOver) return stop();
    failures += 1;
    onStatus('lost');
    const longest = isRefused && !isNumbered ? 4 * LONGEST : LONGEST;
    later('open', Math.min(longest, 500 * 2 ** failures) * (0.5 + Math.random() / 2), open);
    if (failures >= FAILURES) poll();
    return undefined;
  }

  function poll() {
    if (!isNumbered || isStopped) return;
    ask(true);
    later('poll', POLL, poll);
  }

  function close() {
    never('silence');
    never('open');
    source?.close();
    if (source) tell('close');
    source = null;
  }

  function stop() {
    if (isStopped) return;
    isStopped = true;
    close();
    for (const purpose of timers.keys()) never(purpose);
    for (const [target, kind, work] of listening) target.removeEventListener(kind, work);
    tabs.close();
    onStatus('ended');
  }

  function again() {
    never('rest');
    if (!source) open();
    ask();
  }

  // -- other tabs, and when this one is out of sight

  const tabs = new BroadcastChannel('bella-streams');
  const others = new Set();
  const tell = (what) => tabs.postMessage({ what, tab });
  tabs.onmessage = ({ data }) => {
    if (data.what === 'close') others.delete(data.tab);
    else others.add(data.tab);
    if (data.what === 'open' && source) tell('here');
    if (data.what !== 'close' && source && document.hidden && !isSeated && others.size >= TABS) close();
  };
  const looked = () => {
    if (!document.hidden) return source ? never('rest') : again();
    if (!isSeated) later('rest', others.size < TABS ? REST : 0, close);
    return undefined;
  };
  const listening = [
    [document, 'visibilitychange', looked],
    [window, 'online', again],
    [window, 'offline', lost],
    [window, 'pagehide', close],
    [window, 'pageshow', (event) => event.persisted && again()],
  ];
  for (const [target, kind, work] of listening) target.addEventListener(kind, work);
  open();
  return { ask, take, stop, isOpen: () => source !== null };
}
