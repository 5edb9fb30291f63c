// The button "Verify": runs verify.js in this browser and shows each check as it ends.
import { element, one } from '../dom.js';
import { say } from './words.js';

function checkLine(check) {
  const tone = check.passed ? 'passed' : 'failed';
  return element(
    'li',
    { class: `check check--${tone}` },
    element('span', { class: 'check__mark', 'aria-hidden': 'true' }, check.passed ? '✓' : '✕'),
    element(
      'span',
      { class: 'check__title' },
      say(`check_${check.kind}`, { number: check.deal }),
      element('span', { class: 'visually-hidden' }, `: ${say(tone)}`),
    ),
    check.detail ? element('span', { class: 'check__detail check__place' }, check.detail) : null,
  );
}

export function startVerifying(match) {
  const button = one('[data-verify]');
  if (!button) return;
  const list = one('[data-checks]');
  const verdict = one('[data-verdict]');
  button.addEventListener('click', async () => {
    button.setAttribute('aria-disabled', 'true');
    list.replaceChildren();
    verdict.className = 'verify__verdict';
    verdict.textContent = say('verifying');
    // Fetched when it is asked for: most visitors only watch.
    const { verify } = await import('../verify.js');
    let isRight = true;
    for await (const check of verify(match)) {
      isRight &&= check.passed;
      list.append(checkLine(check));
    }
    verdict.classList.add(isRight ? 'verify__verdict--right' : 'verify__verdict--wrong');
    verdict.textContent = say(isRight ? 'verified' : 'refuted');
    button.removeAttribute('aria-disabled');
  });
}
