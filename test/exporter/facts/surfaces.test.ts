import { expect, it } from 'vitest';
import { factSamples } from '../../../src/exporter/account/account-samples.ts';
import type { CauseKind, Fault } from '../../../src/exporter/facts/cause.ts';
import { type AccountState, factsOf } from '../../../src/exporter/facts/facts.ts';
import { FAILURE_OUTCOMES } from '../../../src/exporter/platform/read.ts';
import type { JobStatus, ObservedAccount } from '../../../src/exporter/status.ts';
import { statusDocument } from '../../../src/exporter/status-document.ts';
import { at, madeUpAccount, madeUpJob, madeUpQuota, madeUpStatus, NOW } from '../page/made-up-status.ts';
import { page, words } from '../page/rendered.ts';

type Changes = Partial<ObservedAccount>;

const OTHER = madeUpJob({ id: 'other', product: 'waf' });

function failing(outcome: JobStatus['last_outcome']): Changes {
  return { jobs: [madeUpJob({ last_outcome: outcome, last_reason: 'HTTP 400' }), OTHER] };
}

function late(changes: Partial<JobStatus>): Changes {
  const job = madeUpJob({ data_age_seconds: 4_000, last_success_at: at(-600), ...changes });
  return { jobs: [job, madeUpJob({ ...job, id: 'b' }), OTHER] };
}

const TROUBLES: Readonly<
  Record<CauseKind, readonly [Changes, AccountState, part: AccountState | undefined, Fault]>
> = {
  unauthorized: [failing('unauthorized'), 'partly_failing', 'down', 'access'],
  rate_limited: [{ quota: [madeUpQuota({ stopped_until: at(60) })] }, 'partly_failing', undefined, 'quota'],
  forbidden: [failing('forbidden'), 'partly_failing', 'down', 'access'],
  not_found: [failing('not_found'), 'partly_failing', 'down', 'configuration'],
  server_error: [failing('server_error'), 'partly_failing', 'down', 'platform'],
  network: [failing('network'), 'partly_failing', 'down', 'network'],
  timeout: [failing('timeout'), 'partly_failing', 'down', 'platform'],
  not_acceptable: [failing('not_acceptable'), 'partly_failing', 'down', 'platform'],
  undecodable: [failing('undecodable'), 'partly_failing', 'down', 'platform'],
  unreachable: [
    { up: false, note: 'the platform cannot be reached', jobs: [madeUpJob({ last_outcome: 'network' })] },
    'down',
    'down',
    'network',
  ],
  quota: [{ stretch: 4, ...late({ allowed_age_seconds: 4_000 }) }, 'late', 'late', 'quota'],
  platform_late: [late({ last_success_at: at(-20) }), 'late', 'late', 'platform'],
  exporter_late: [late({ state: 'waiting' }), 'late', 'late', 'exporter'],
  nothing_there: [
    { jobs: [madeUpJob({ last_outcome: 'empty', last_bucket_at: null })] },
    'no_data',
    undefined,
    'configuration',
  ],
  first_polls: [
    { jobs: [madeUpJob({ last_outcome: null, last_bucket_at: null, last_polled_at: null })] },
    'starting',
    undefined,
    'nobody',
  ],
  not_read_yet: [
    { jobs: [madeUpJob({ last_outcome: null, last_bucket_at: null, last_polled_at: null }), OTHER] },
    'partly_missing',
    'starting',
    'nobody',
  ],
  counters_behind: [{ jobs: [madeUpJob({ counted_age_seconds: 9_000 }), OTHER] }, 'late', 'late', 'platform'],
  rows_missing: [
    { jobs: [madeUpJob({ missing_share: 0.4 }), OTHER] },
    'partly_missing',
    'partly_missing',
    'platform',
  ],
  clock: [{ clock_skew_seconds: 600 }, 'well', undefined, 'machine'],
  platform_clock: [{ clock_skew_seconds: 600, clock_moved: 'platform' }, 'well', undefined, 'platform'],
};

it('has a trouble for each way in which a poll can fail', () => {
  for (const outcome of FAILURE_OUTCOMES) expect(Object.keys(TROUBLES)).toContain(outcome);
});

it.each(Object.entries(TROUBLES))(
  '%s is told alike on every surface',
  (kind, [changes, state, partState, fault]) => {
    const account = madeUpAccount(changes);
    const facts = factsOf(account, NOW);
    const [first] = facts.causes;
    expect(first).toMatchObject({ kind, fault });
    expect(facts.state).toBe(state);
    const part = facts.parts.find(({ cause }) => cause === kind);
    expect(part?.state).toBe(partState);
    expect(facts.says).toContain(first?.text);

    const status = madeUpStatus({ accounts: [account] });
    const markup = page(status);
    const plain = (text = '') => text.replaceAll('`', '');
    const shown = words(markup).replaceAll(/ ([.,:;)])/g, '$1');
    expect(shown).toContain(`production ${plain(facts.says)}`);
    expect(shown.replaceAll(/\s/g, '')).toContain(plain(first?.next).replaceAll(/\s/g, ''));

    const query = { account: undefined, offset: 0, limit: 10 };
    const [document] = statusDocument(status, query).accounts;
    expect(document?.judgement).toMatchObject({ state, says: facts.says, causes: facts.causes });
    expect(document?.up).toBe(facts.up);

    const samples = factSamples('production', facts);
    const told = samples.filter(({ family }) => family.name === 'edge_trouble_info');
    const expected = facts.causes.map((cause) => cause.kind).filter((cause) => cause !== 'first_polls');
    expect(told.map(({ labels }) => labels['cause'])).toEqual([...new Set(expected)]);
    const up = samples.find(({ family }) => family.name === 'edge_up');
    expect(up?.value).toBe(facts.up === null ? undefined : Number(facts.up));
    for (const { name, product, hasData } of facts.parts) {
      const available = samples.find(
        ({ family, labels }) => family.name === 'edge_data_available' && labels['product'] === product,
      );
      expect([name, available?.value]).toEqual([name, hasData === null ? undefined : Number(hasData)]);
    }
  },
);

it.each([
  [null, 300, 'platform_late'],
  [600, 300, 'platform_late'],
  [600, -120, 'exporter_late'],
] as const)(
  'a job that waits for its schedule is not behind (interval %s s, next in %s s)',
  (interval, next, kind) => {
    const job = late({
      state: 'idle',
      interval_seconds: interval,
      last_success_at: at(-1_000),
      next_at: at(next),
    });
    expect(factsOf(madeUpAccount(job), NOW).causes.map((cause) => cause.kind)).toEqual([kind]);
  },
);
