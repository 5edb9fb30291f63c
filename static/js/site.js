// On every page: copy buttons and the site's keys. All pages work without it.
import { all, announce, isTyping, one } from './dom.js';

for (const button of all('[data-copy]')) {
  button.addEventListener('click', async () => {
    const source = document.getElementById(button.dataset.copy);
    try {
      await navigator.clipboard.writeText(source.textContent.trim());
      announce(button.dataset.copied);
    } catch {
      // Without the clipboard (no https, or refused) the text is selected instead, ready for Ctrl+C.
      getSelection().selectAllChildren(source);
    }
  });
}

for (const button of all('[data-print]')) button.addEventListener('click', () => print());

// On a phone the tabs scroll: the one that is open is brought into view.
for (const open of all('.tabs [aria-current]')) {
  const [tabs, tab] = [open.parentElement.getBoundingClientRect(), open.getBoundingClientRect()];
  open.parentElement.scrollLeft += tab.left - tabs.left - (tabs.width - tab.width) / 2;
}

// `/` search; `g` then a letter: a link of the header that carries data-key.
let goPressedAt = -Infinity;
addEventListener('keydown', (event) => {
  if (isTyping(event)) return;
  if (event.key === '/') {
    const field = one('[data-search], input[type="search"]');
    if (field) {
      event.preventDefault();
      field.focus();
    }
  } else if (event.key === 'g') {
    goPressedAt = event.timeStamp;
  } else if (event.timeStamp - goPressedAt < 1200 && /^[a-z]$/.test(event.key)) {
    goPressedAt = -Infinity;
    one(`a[data-key="${event.key}"]`)?.click();
  }
});
