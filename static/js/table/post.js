// What the player does goes up by POST. Every body may be sent again: the server does nothing twice.
import { one } from '../dom.js';

const AGAIN = 4000;
const OFFLINE = 20000;
const BUSY = [300, 1000, 3000];

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** An answer of the server that is no success. `state` comes with every conflict. */
export class Refused extends Error {
  constructor(status, body) {
    super(body.message ?? String(status));
    this.status = status;
    this.code = body.code ?? '';
    this.body = body;
    this.state = body.state ?? null;
  }
}

async function attempt(url, body) {
  const response = await fetch(url, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'Content-Type': 'application/json', Accept: 'application/json', 'X-CSRFToken': one('meta[name="csrf"]')?.content ?? '' },
    signal: AbortSignal.timeout(AGAIN),
  });
  if (response.status === 503 || response.status === 429) {
    return { wait: Number(response.headers.get('Retry-After')) * 1000 || null, body: await response.json().catch(() => ({})), status: response.status };
  }
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) throw new Refused(response.status, answer);
  return { answer };
}

/**
 * Sends until the server has answered. `onWait('again' | 'offline' | '')` tells how it goes. Rejects with `Refused`.
 * @returns {Promise<Record<string, any>>}
 */
export async function post(url, body, onWait = () => {}) {
  const begun = performance.now();
  let busy = 0;
  for (;;) {
    try {
      const { answer, wait, body: told, status } = await attempt(url, body);
      if (answer) {
        onWait('');
        return answer;
      }
      if (busy === BUSY.length) throw new Refused(status, told);
      await pause(wait ?? BUSY[busy]);
      busy += 1;
      continue;
    } catch (error) {
      if (error instanceof Refused) {
        onWait('');
        throw error;
      }
      onWait(performance.now() - begun >= OFFLINE - AGAIN ? 'offline' : 'again');
      // A lost network refuses at once: ask once a second then.
      if (error.name !== 'TimeoutError') await pause(1000);
    }
  }
}
