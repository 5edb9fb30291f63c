// Small helpers around the document. Nothing here parses markup: the policy of the replay page forbids it.

/**
 * @param {string} selector
 * @param {ParentNode} [root]
 * @returns {HTMLElement}
 */
export const one = (selector, root = document) => root.querySelector(selector);

/**
 * @param {string} selector
 * @param {ParentNode} [root]
 * @returns {HTMLElement[]}
 */
export const all = (selector, root = document) => [...root.querySelectorAll(selector)];

function build(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) node.setAttribute(name, '');
    else if (value !== false && value !== null && value !== undefined) node.setAttribute(name, String(value));
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

/** An HTML element; attributes that are false, null or undefined are left out. */
export const element = (tag, attributes = {}, ...children) => build(document.createElement(tag), attributes, children);

/** The same for SVG. */
export const shape = (tag, attributes = {}, ...children) =>
  build(document.createElementNS('http://www.w3.org/2000/svg', tag), attributes, children);

/** Data that the server left in the page with `json_script`. */
export const data = (id) => JSON.parse(document.getElementById(id).textContent);

/** `fill("{name} takes", {name: "Luna"})`; a name without a value stays as it is. */
export const fill = (text, values = {}) => text.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));

let pending = 0;

/** Says a sentence through the one polite live region of the page. */
export function announce(sentence) {
  const region = document.getElementById('live');
  region.textContent = '';
  cancelAnimationFrame(pending);
  pending = requestAnimationFrame(() => {
    region.textContent = sentence;
  });
}

/** A short note at the foot of the window, also spoken. */
export function toast(sentence) {
  one('.toast')?.remove();
  const note = element('div', { class: 'toast' }, sentence);
  document.body.append(note);
  announce(sentence);
  setTimeout(() => note.remove(), 1800);
}

/** Whether a key belongs to what has the focus (a field, an open dialog) and not to the page. */
export function isTyping(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return true;
  if (event.target.closest?.('input:not([type="range"]), select, textarea, [contenteditable]')) return true;
  return document.querySelector('dialog[open], :popover-open') !== null;
}
