import { describe, expect, test } from 'vitest';
import { useBrowser, visit } from '../../browser-at-hand.ts';
import { madeUpAccount, madeUpJob, madeUpQuota, madeUpStatus, many } from './made-up-status.ts';

useBrowser();

test.each([
  `<script>alert('run')</script>`,
  `"><img src=x onerror=alert('run')>`,
  `' onmouseover='alert(1)' x='`,
  `</style></script><script>alert('run')</script>`,
  'javascript:alert(1)',
  '\u202Egnp.exe\u2066 شركة \u200F',
  '👩‍👩‍👧‍👦 ünïcödé \u0000\u0007',
  'a'.repeat(3_000),
])('the hostile name %j is text like any other', async (name) => {
  const job = madeUpJob({
    id: name,
    configuration: name,
    product: name,
    metric: name,
    last_reason: name,
    why: name,
  });
  const account = madeUpAccount({
    name,
    note: name,
    quota: [madeUpQuota({ scope: name, note: name })],
    jobs: [job],
  });
  const { url, page, complaints } = await visit(() => madeUpStatus({ accounts: [account] }), {
    search: 'jobs=all',
  });
  await page.locator('#words').fill(name);
  await page.keyboard.press('Enter');
  await page.hover('#jobs tbody tr');
  await page.goto(`${url}/?${new URLSearchParams({ q: name }).toString().slice(0, 4_000)}`);
  // HTML does not allow NUL, and a browser omits it.
  const shown = await page.locator('#jobs .name bdi').evaluate((element) => element.textContent);
  expect(shown).toBe(name.replace('\u0000', ''));
  expect(await page.locator('script').count()).toBe(1);
  expect(await page.locator('img').count()).toBe(0);
  expect(complaints).toEqual([]);
});

describe.each([
  [1400, 'light'],
  [1400, 'dark'],
  [420, 'light'],
  [420, 'dark'],
] as const)('at %d pixels, %s', (width, colors) => {
  test('nothing needs scrolling sideways, and all text stands out from its ground', async () => {
    const { page } = await visit(many, { width, colors, search: 'jobs=all' });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
    expect(await page.evaluate(LOW_CONTRAST)).toEqual([]);
  });
});

/** Script that returns the texts whose contrast to their background is below WCAG's 4.5 to 1. */
const LOW_CONTRAST = `(() => {
  const channels = (color) => color.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => [r, g, b]
    .map((value) => value / 255)
    .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4))
    .reduce((sum, value, i) => sum + value * [0.2126, 0.7152, 0.0722][i], 0);
  const ground = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const color = channels(getComputedStyle(at).backgroundColor);
      if (color.length === 3 || color[3] > 0) return color;
    }
    return [255, 255, 255];
  };
  return [...document.querySelectorAll('.wrap *')]
    .filter((element) => [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== ''))
    .map((element) => {
      const [a, b] = [light(channels(getComputedStyle(element).color)), light(ground(element))].sort((x, y) => y - x);
      return { text: element.textContent.slice(0, 40), contrast: (a + 0.05) / (b + 0.05) };
    })
    .filter(({ contrast }) => contrast < 4.5);
})()`;
