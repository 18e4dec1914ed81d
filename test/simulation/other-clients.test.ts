import { describe, expect, it } from 'vitest';
import { measure } from '../bench/schedule/measure.ts';
import { madeUpStatus } from '../exporter/page/made-up-status.ts';
import { page, words } from '../exporter/page/rendered.ts';
import { inLongSuite } from '../long-suite.ts';
import { simulate } from './simulation.ts';

// Requests of other clients arrive by a Poisson process. Their share of the limit, 0 to 60 %, changes every
// ten minutes; 60 % is three times the reserve.
describe('while other clients take more than the reserve, and change their mind', () => {
  it.each([
    { jobs: 50, limit: 80, seed: 0, hours: 3 },
    { jobs: 200, limit: 80, seed: 0, hours: inLongSuite(3, 2) },
    { jobs: 200, limit: 80, seed: 1, hours: inLongSuite(3, 1) },
    { jobs: 400, limit: 200, seed: 0, hours: inLongSuite(3, 1) },
  ])(
    'meets no 429 of its own making, uses what is left, and starves nobody: $jobs jobs, $limit operations, seed $seed',
    async (options) => {
      const found = await measure({
        company: 'shared',
        ...options,
      });
      expect(found.refusals).toBe(0);
      expect(found.used).toBeGreaterThan(0.97);
      expect(found.starved).toBe(0);
      expect(found.refusedOthers).toBeLessThan(0.06);
    },
  );
});

// Bursts of ten seconds use up to half of the limit after quiet minutes. The first one cannot be forecast.
describe('while other clients come in bursts', () => {
  it.each([1, 2])(
    'meets no 429 of its own making where it asks for less than it may use: seed %d',
    async (seed) => {
      const found = await measure({
        company: 'bursty',
        hours: inLongSuite(6, 2),
        jobs: 50,
        limit: 80,
        seed,
      });
      expect(found.refusals).toBe(0);
      expect(found.starved).toBe(0);
    },
  );

  it('meets a few at most where it uses all that it may', async () => {
    const found = await measure({
      company: 'bursty',
      hours: inLongSuite(6, 2),
      jobs: 200,
      limit: 80,
      seed: 0,
    });
    expect(found.refusals).toBeLessThanOrEqual(inLongSuite(6, 2));
    expect(found.used).toBeGreaterThan(0.97);
  });
});

describe('while another client takes three quarters of the quota', () => {
  it('is told on the page as what spends it, with how much', async () => {
    const metrics = ['cdn_requests', 'status_code', 'waf'];
    const simulation = await simulate({
      sandbox: {
        configurations: 6,
        domainsPerConfiguration: 1,
        rateLimit: { reads: 40, writes: 20, purges: 200 },
        faults: { other_consumer: { share: 0.75 } },
      },
      account: { collectors: { metrics: { products: { edge_applications: { metrics } } } } },
    });
    await simulation.minutes(60);
    const accounts = simulation.exporter().accounts();
    const [quota] = accounts[0]?.quota ?? [];
    expect(quota?.others_per_minute).toBeGreaterThan(25);
    expect(quota?.others_per_minute).toBeLessThan(35);
    expect(words(page(madeUpStatus({ accounts })))).toMatch(
      /; other clients of the token take about (2[5-9]|3[0-5]) operations a minute/,
    );
  });
});
