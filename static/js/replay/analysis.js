// Luck and best cards of each deal: fetched when they are made, drawn as a list, marked in the graph and at the tricks.
// The server draws the same panel (games/selectors/analysis.py).
import { element, one } from '../dom.js';
import { cardName } from '../cards.js';
import { count, say } from './words.js';

/** Seconds between two questions, and how many: the server needs one or two. */
const PAUSE = 1;
const QUESTIONS = 20;

const decimal = new Intl.NumberFormat(document.documentElement.lang, { minimumFractionDigits: 1, maximumFractionDigits: 1 });

/**
 * A play that gave points away.
 * @typedef {object} Note
 * @property {number} ply position after it
 * @property {number} seat
 * @property {number} lost points
 * @property {boolean} isExact whether the player could know
 * @property {string} text
 */

/** @returns {Note[]} */
export function notesOf(deal, names) {
  return (deal.analysis?.plays ?? [])
    .filter((play) => play.lost)
    .map((play) => ({
      ply: play.ply + 1,
      seat: play.seat,
      lost: play.lost,
      isExact: play.is_exact,
      text: say('note', {
        trick: Math.floor(play.ply / deal.n) + 1,
        name: names[play.seat],
        card: cardName(play.card),
        best: play.best.map(cardName).join(say('or')),
        lost: count('lost', play.lost),
      }),
    }));
}

function luckLine(title, tenths, names) {
  const text = say('luck_of', { name: names[tenths >= 0 ? 0 : 1], points: decimal.format(Math.abs(tenths) / 10) });
  return element('div', {}, element('dt', {}, say(title)), element('dd', {}, text));
}

function luck(deal, names) {
  const tenths = deal.analysis.luck;
  if (!tenths) return null;
  const net = 10 * (deal.points[0] - deal.points[1]) - tenths[0];
  return element('dl', { class: 'analysis__luck' }, luckLine('luck', tenths[0], names), luckLine('luck_net', net, names));
}

function part(title, notes, isOpen, deal) {
  const lines = notes.map((note) =>
    element('li', {}, element('a', { class: 'analysis__note', href: `?d=${deal.number}&c=${note.ply}`, 'data-ply': note.ply }, note.text)),
  );
  return element(
    'details',
    { class: 'analysis__part', open: isOpen },
    element('summary', {}, say(title)),
    lines.length ? element('ul', { class: 'analysis__notes' }, ...lines) : element('p', { class: 'muted' }, say('notes_none')),
  );
}

const sentence = (key) => element('p', { class: 'muted' }, say(key));

/** The panel of a deal. */
export function drawAnalysis(panel, deal, names) {
  const body = one('[data-analysis-body]', panel);
  if (!deal.analysis) {
    panel.dataset.state = 'wanted';
    body.replaceChildren(sentence('analysis_wanted'));
    return;
  }
  const notes = notesOf(deal, names);
  const chances = notes.filter((note) => !note.isExact);
  const children = [luck(deal, names)];
  const { plays } = deal.analysis;
  if (plays.length) {
    if (plays.some((play) => play.is_exact)) children.push(part('notes_exact', notes.filter((note) => note.isExact), true, deal));
    if (chances.length) children.push(part('notes_open', chances, false, deal));
  }
  if (!plays.length && !deal.analysis.luck) children.push(sentence('analysis_none'));
  panel.dataset.state = 'made';
  body.replaceChildren(...children.filter(Boolean));
}

/** One question: the deals by number, null while they are being made or the network is away, false when there are none. */
async function ask(address) {
  try {
    const answer = await fetch(address, { headers: { Accept: 'application/json' } });
    if (answer.status === 200) return new Map((await answer.json()).deals.map((entry) => [entry.number, entry]));
    return answer.status === 202 || answer.status >= 500 ? null : false;
  } catch {
    return null;
  }
}

/** Asks until every deal has its analysis, then calls `made` with them by number; gives up after a while. */
export async function awaitAnalysis(address, made) {
  for (let question = 0; question < QUESTIONS; question += 1) {
    const found = await ask(address);
    if (found) return made(found);
    if (found === false) return undefined;
    await new Promise((resolve) => {
      setTimeout(resolve, PAUSE * 1000);
    });
  }
  return undefined;
}
