import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { useBrowser, visit } from '../../browser-at-hand.ts';
import { madeUpAccount, madeUpJob, madeUpStatus, many } from './made-up-status.ts';

useBrowser();

function rows(page: Page) {
  return page.locator('#jobs tbody tr');
}

test('shows the jobs, failing ones first with the reason, a hundred to a page', async () => {
  const { page, complaints } = await visit(many, { search: 'jobs=all' });
  await expect.poll(() => rows(page).count()).toBe(100);
  expect(await rows(page).first().textContent()).toContain('server errorHTTP 502');
  expect(await page.title()).toBe('5 failing · edge-exporter');
  await page.getByRole('link', { name: 'Next page' }).click();
  await page.waitForURL(/page=2/);
  await page.getByRole('link', { name: 'Next page' }).click();
  await page.waitForURL(/page=3/);
  await expect.poll(() => rows(page).count()).toBe(50);
  expect(await page.locator('.pages').textContent()).toContain('201 to 250 of 250');
  expect(complaints).toEqual([]);
});

test('finds jobs by words, which stay in the box and in the address', async () => {
  const { page, complaints } = await visit(many, { search: 'jobs=all' });
  await page.locator('#words').fill('SHOP-24 images');
  await page.keyboard.press('Enter');
  await page.waitForURL(/q=SHOP/);
  expect(await rows(page).count()).toBe(5);
  expect(await page.locator('#words').inputValue()).toBe('SHOP-24 images');
  expect(complaints).toEqual([]);
});

test('filters by part and by state, one within the other', async () => {
  const { page } = await visit(many);
  expect(await rows(page).count()).toBe(0);
  await page.getByRole('link', { name: 'images' }).click();
  await expect.poll(() => page.locator('.filters a[aria-current]').textContent()).toBe('All 125');
  await page.getByRole('link', { name: /^Failing 5/ }).click();
  await expect.poll(() => rows(page).count()).toBe(5);
  await page.locator('#words').fill('nothing like this');
  await page.keyboard.press('Enter');
  await expect.poll(() => page.locator('#jobs').textContent()).toContain('No job matches.');
  expect(new URL(page.url()).searchParams.get('jobs')).toBe('failing');
});

test('twenty accounts, eight of them in trouble, take two screens at most', async () => {
  const accounts = Array.from({ length: 20 }, (_, index) => {
    const jobs = Array.from({ length: 29 }, (_, job) =>
      madeUpJob({ id: `job-${job}`, last_outcome: index < 8 && job < 27 ? 'forbidden' : 'ok' }),
    );
    return madeUpAccount({ name: `account-${index}`, jobs });
  });
  const { page } = await visit(() => madeUpStatus({ accounts }), { width: 1400 });
  const height = await page.locator('html').evaluate(({ scrollHeight }) => scrollHeight);
  expect(height).toBeLessThan(2 * 900);
  expect(await page.locator('th[scope=row]', { hasText: 'account-' }).count()).toBe(20);
});

test('works without scripts', async () => {
  const { page } = await visit(many, { scripts: 'off', search: 'jobs=all' });
  expect(await page.locator('#live').isVisible()).toBe(false);
  await page.locator('#words').fill('shop-249');
  await page.getByRole('button', { name: 'Find' }).click();
  await expect.poll(() => rows(page).count()).toBe(1);
});

describe('every ten seconds', () => {
  test('shows what is new and leaves unfolded what was unfolded', async () => {
    const absent = madeUpJob({
      product: 'dns',
      metric: undefined,
      last_outcome: 'empty',
      last_bucket_at: null,
    });
    const accounts = [madeUpAccount({ jobs: [madeUpJob(), absent] })];
    let status = madeUpStatus({ accounts });
    const { page, complaints } = await visit(() => status);
    await page.locator('#absent > summary').click();
    await page.evaluate('document.activeElement.blur()');
    status = madeUpStatus({ accounts, ready: false, not_ready: ['account "production" does not answer'] });
    await page.clock.runFor(10_000);
    await expect.poll(() => page.locator('#summary').textContent()).toContain('does not answer');
    expect(await page.locator('#absent').getAttribute('open')).not.toBeNull();
    expect(complaints).toEqual([]);
  });

  test('says so when the exporter does not answer any more, beside the last that it said', async () => {
    const { web, page } = await visit(() => madeUpStatus());
    await web.close();
    await page.clock.runFor(10_000);
    await expect.poll(() => page.locator('#lost').isVisible()).toBe(true);
    expect(await page.locator('#verdict').textContent()).toContain('is fresh');
  });

  test('disturbs nobody who switched that off', async () => {
    let asked = 0;
    const { page } = await visit(() => {
      asked++;
      return madeUpStatus();
    });
    await page.getByRole('checkbox').uncheck();
    await page.evaluate('document.activeElement.blur()');
    await page.clock.runFor(60_000);
    expect(asked).toBe(1);
  });
});
