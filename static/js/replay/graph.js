// The graph of points by trick, with the line at 60. The server draws it with the same numbers (games/selectors/replay.py).
import { all, one, shape } from '../dom.js';
import { say } from './words.js';

const LEFT = 30;
const WIDTH = 296;
const BOTTOM = 100;
const HEIGHT = 88;
const MOST_POINTS = 120;

const x = (trick, deal) => (LEFT + (trick * WIDTH) / deal.tricksInAll).toFixed(1);
const y = (points) => (BOTTOM - (points * HEIGHT) / MOST_POINTS).toFixed(1);

/** A dot on the line of the side that gave points away, at the trick in which it did. */
function drawMistakes(graph, deal, notes) {
  const dots = notes
    .filter((note) => note.isExact)
    .map((note) => {
      const trick = Math.ceil(note.ply / deal.n);
      const side = deal.sides[note.seat];
      const points = deal.tricks[trick - 1]?.totals[side] ?? 0;
      return shape('circle', { class: 'graph__mistake', cx: x(trick, deal), cy: y(points), r: 4 });
    });
  one('[data-mistakes]', graph).replaceChildren(...dots);
}

export function drawGraph(graph, deal, position, notes) {
  const drawn = `${deal.number}${deal.analysis ? ' analysed' : ''}`;
  if (graph.dataset.drawn !== drawn) {
    graph.dataset.drawn = drawn;
    drawMistakes(graph, deal, notes);
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
