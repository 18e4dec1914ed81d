import { describe, expect, it } from 'vitest';
import { differences, requestOf } from '../../../src/exporter/backfill/history-plan.ts';
import { accountsAt } from './history-bed.ts';

const URL = 'http://127.0.0.1:1';
const FROM = Date.UTC(2026, 0, 5);
const metrics = (settings: object) => ({
  collectors: { metrics: { products: { edge_applications: settings } } },
});
const BEGUN = { from: FROM, to: undefined, labels: {}, accounts: accountsAt(URL, metrics({})) };

function changes(changed: Partial<Parameters<typeof requestOf>[0]>): string[] {
  return differences(requestOf(BEGUN), requestOf({ ...BEGUN, ...changed }));
}

describe('a request differs from the one that a history was begun with', () => {
  it('in nothing when the same is asked for', () => {
    expect(changes({ accounts: accountsAt(URL, metrics({})) })).toEqual([]);
  });

  it('in nothing when only what does not matter has changed: the pace, the credentials', () => {
    const account = { ...metrics({ schedule: '*/5 * * * *' }), quota: { reserve: 0.5 }, token: 'another' };
    expect(changes({ accounts: accountsAt(URL, account) })).toEqual([]);
  });

  it.each([
    [{ from: FROM + 1_000 }, '--from was 2026-01-05T00:00:00Z and is 2026-01-05T00:00:01Z'],
    [{ to: FROM }, '--to was not given and is 2026-01-05T00:00:00Z'],
    [{ labels: { job: 'edge' } }, '--labels was {} and is {"job":"edge"}'],
    [
      { accounts: accountsAt(URL, metrics({ metrics: ['waf'] })) },
      'the configuration of account test has changed',
    ],
    [
      { accounts: accountsAt('http://127.0.0.1:2', metrics({})) },
      'the configuration of account test has changed',
    ],
    [{ accounts: [] }, 'account test has been removed'],
  ])('in %o', (changed, phrase) => {
    expect(changes(changed)).toEqual([phrase]);
  });
});
