import { expect, it } from 'vitest';
import { CONFIG } from '../../src/configuration/schema.ts';
import { OLDEST_MINUTE } from '../../src/settling/completeness.ts';
import { LearnedDelays } from '../../src/settling/delays.ts';

const MINUTE = 60_000;
const NOW = Date.UTC(2026, 0, 5);

function learned(account: Record<string, unknown> = {}) {
  const config = CONFIG.parse({
    accounts: [{ name: 'a', api_url: 'https://api.example.net', token: 'x', ...account }],
  });
  const [parsed] = config.accounts;
  if (parsed === undefined) throw new Error('no account');
  const delays = new LearnedDelays(parsed);
  const fill = (minutesUntilComplete: number, buckets: number) => {
    const shown = new Float64Array(OLDEST_MINUTE + 1).map((_, minute) =>
      minute < minutesUntilComplete ? 50 : 100,
    );
    const { completeness } = delays.of('edge_applications', 'waf');
    for (let count = 0; count < buckets; count += 1) completeness.learn({ shown, final: 100 });
  };
  return { delays, fill };
}

it('a learned delay that has changed is told once, with what it was', () => {
  const { delays, fill } = learned({ publish_delay: 'auto' });
  expect(delays.changes(NOW)).toEqual([]);
  fill(9, 200);
  const waf = { product: 'edge_applications', metric: 'waf', delay: 'publish' };
  expect(delays.changes(NOW)).toEqual([{ ...waf, before: 2 * MINUTE, after: 9 * MINUTE }]);
  expect(delays.changes(NOW)).toEqual([]);
  fill(1, 200_000);
  expect(delays.changes(NOW)).toEqual([{ ...waf, before: 9 * MINUTE, after: MINUTE }]);
});

it('a configured delay never changes, whatever is learned', () => {
  const { delays, fill } = learned({ publish_delay: '3m', settle_delay: '10m' });
  fill(9, 200);
  expect(delays.changes(NOW)).toEqual([]);
});
