import { createHash } from 'node:crypto';
import { PAGE_STYLE } from './style.ts';

/** Script of the page. It refreshes the page in place, and inserts only markup that the server rendered. */
export const PAGE_SCRIPT = `
'use strict';
(() => {
  const REFRESH_MS = 10000;
  const REGIONS = ['as-of', 'summary', 'accounts', 'jobs'];
  const lost = document.getElementById('lost');
  const live = document.getElementById('live');

  const place = (next, id) => {
    const now = document.getElementById(id);
    const then = next.getElementById(id);
    if (!now || !then) return;
    for (const open of then.querySelectorAll('details[id]')) {
      const before = document.getElementById(open.id);
      if (before) open.open = before.open;
    }
    now.replaceWith(then);
  };

  const load = async () => {
    try {
      const answer = await fetch(location.href, { headers: { accept: 'text/html' }, cache: 'no-store' });
      if (!answer.ok) throw new Error('status ' + answer.status);
      const next = new DOMParser().parseFromString(await answer.text(), 'text/html');
      for (const id of REGIONS) place(next, id);
      lost.hidden = true;
    } catch {
      lost.hidden = false;
    }
  };

  // Text that somebody selects, or reads with the keyboard, stays.
  const held = () => {
    const focus = document.activeElement;
    const reading = REGIONS.some((id) => document.getElementById(id)?.contains(focus));
    return document.hidden || reading || !getSelection().isCollapsed;
  };

  const auto = live.querySelector('input');
  live.hidden = false;
  const refresh = () => { if (auto.checked && !held()) load(); };
  setInterval(refresh, REFRESH_MS);
  document.addEventListener('visibilitychange', refresh);
})();
`;

/** Content-Security-Policy of the page: its own style sheet and script by their hashes, and requests to itself. */
export const PAGE_CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  `style-src ${sha256Source(PAGE_STYLE)}`,
  `script-src ${sha256Source(PAGE_SCRIPT)}`,
  "connect-src 'self'",
  'img-src data:',
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

function sha256Source(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}
