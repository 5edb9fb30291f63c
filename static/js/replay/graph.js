// The graph of points by trick, with the line at 60. The server draws it with the same numbers (games/selectors/replay.py).
import { all, one } from '../dom.js';
import { say } from './words.js';

const LEFT = 30;
const WIDTH = 296;
const BOTTOM = 100;
const HEIGHT = 88;
const MOST_POINTS = 120;

const x = (trick, deal) => (LEFT + (trick * WIDTH) / deal.tricksInAll).toFixed(1);
const y = (points) => (BOTTOM - (points * HEIGHT) / MOST_POINTS).toFixed(1);

export function drawGraph(graph, deal, position) {
  if (graph.dataset.drawn !== String(deal.number)) {
    graph.dataset.drawn = deal.number;
    const finished = deal.tricks.filter((trick) => trick.winner !== null);
    for (const polyline of all('[data-line]', graph)) {
      const side = Number(polyline.dataset.line);
      const points = [`${x(0, deal)},${y(0)}`, ...finished.map((trick, i) => `${x(i + 1, deal)},${y(trick.totals[side])}`)];
      polyline.setAttribute('points', points.join(' '));
    }
    const totals = finished.at(-1)?.totals ?? deal.sideNames.map(() => 0);
    const result = deal.sideNames.map((name, side) => `${name} ${totals[side]}`).join(', ');
    graph.setAttribute('aria-label', say('graph', { result }));
  }
  const cursor = one('[data-cursor]', graph);
  const at = x(position.ply / deal.n, deal);
  cursor.setAttribute('x1', at);
  cursor.setAttribute('x2', at);
}
