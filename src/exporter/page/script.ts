import { createHash } from 'node:crypto';
import { PAGE_STYLE } from './style.ts';

/** What the page adds where scripts run: filtering while typing, refreshing in place; it inserts only what the server rendered. */
export const PAGE_SCRIPT = `
'use strict';
(() => {
  const REFRESH_MS = 10000;
  const REGIONS = ['as-of', 'summary', 'accounts', 'jobs'];
  const form = document.querySelector('form[role=search]');
  const box = form.querySelector('input[type=search]');
  const lost = document.getElementById('lost');
  const live = document.getElementById('live');
  let latest = 0;

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

  const load = async (address, regions) => {
    const turn = ++latest;
    try {
      const answer = await fetch(address, { headers: { accept: 'text/html' }, cache: 'no-store' });
      if (!answer.ok) throw new Error('status ' + answer.status);
      const next = new DOMParser().parseFromString(await answer.text(), 'text/html');
      if (turn !== latest) return;
      for (const id of regions) place(next, id);
      lost.hidden = true;
    } catch {
      if (turn === latest) lost.hidden = false;
    }
  };

  const asked = () => {
    const words = new URLSearchParams(new FormData(form));
    if (box.value.trim() === '') words.delete('q');
    return location.pathname + (words.size > 0 ? '?' + words : '');
  };

  let typing;
  box.addEventListener('input', () => {
    clearTimeout(typing);
    typing = setTimeout(() => {
      history.replaceState(null, '', asked());
      load(location.href, ['as-of', 'jobs']);
    }, 150);
  });
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    clearTimeout(typing);
    history.replaceState(null, '', asked());
    load(location.href, ['as-of', 'jobs']);
  });

  addEventListener('keydown', (event) => {
    if (event.key !== '/' || event.target.closest('input') || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    box.focus();
    box.select();
  });

  // Whoever reads with the keyboard or selects text to copy it must not have it pulled away.
  const held = () => {
    const focus = document.activeElement;
    const reading = REGIONS.some((id) => document.getElementById(id)?.contains(focus));
    return document.hidden || reading || !getSelection().isCollapsed;
  };

  const auto = live.querySelector('input');
  live.hidden = false;
  const refresh = () => { if (auto.checked && !held()) load(location.href, REGIONS); };
  setInterval(refresh, REFRESH_MS);
  document.addEventListener('visibilitychange', refresh);
})();
`;

/** The page's Content-Security-Policy: its own style sheet and script by their hashes, requests to itself, nothing else. */
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
