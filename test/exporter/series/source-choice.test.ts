import { describe, expect, test } from 'vitest';
import type { Outcome } from '../../../src/exporter/platform/read.ts';
import {
  type AllSeries,
  mayAskRest,
  restAsked,
  type SeriesRead,
  SourceChoice,
  sourceAnswered,
} from '../../../src/exporter/series/source-choice.ts';
import {
  mayListElsewhere,
  type SourceMemory,
  sourceAtFirst,
  sourceListed,
  sourceListedByRest,
} from '../../../src/exporter/series/source-memory.ts';
import { AccountMemory } from '../../../src/exporter/state/account-memory.ts';
import { memoryState } from '../../../src/exporter/state/open-state.ts';
import type { State } from '../../../src/exporter/state/state.ts';

const MINUTE = 60_000;

/** What is known after reads by REST of one metric each, of another target at its time. */
function polledBy(
  known: SourceMemory,
  ...reads: readonly (readonly [target: string, outcome: Outcome, now: number])[]
) {
  return reads.reduce((memory, [target, outcome, now]) => read(memory, { target, outcome, now }), known);
}

function read(known: SourceMemory, of: Partial<SeriesRead> & Pick<SeriesRead, 'outcome' | 'now'>) {
  const usual = {
    source: 'rest',
    target: 'a',
    metric: 'requests',
    isForeign: false,
    all: () => ({ series: 90, targets: 9 }),
  } as const;
  return sourceAnswered(known, { ...usual, ...of });
}

/** Some metrics of one target are not found. */
function metricsGone(metrics: readonly string[], all: AllSeries): SourceMemory {
  return metrics.reduce(
    (known, metric) => read(known, { metric, outcome: 'not_found', now: 0, all: () => all }),
    AUTO,
  );
}

const AUTO = sourceAtFirst('auto');

describe('where nothing is configured', () => {
  test('REST is read by, until three jobs are not found and none is', () => {
    expect(AUTO.source).toBe('rest');
    expect(polledBy(AUTO, ['a', 'not_found', 0], ['b', 'not_found', 0]).source).toBe('rest');
    const closed = polledBy(AUTO, ['a', 'not_found', 0], ['b', 'not_found', 0], ['c', 'not_found', 0]);
    expect(closed).toMatchObject({ source: 'graphql', why: 'REST answers 404 to the reads of series' });
  });

  test('three metrics of one configuration that are not found prove nothing of the others', () => {
    const three = ['requests', 'waf', 'bandwidth'];
    expect(metricsGone(three, { series: 9, targets: 2 }).source).toBe('rest');
    expect(metricsGone(three, { series: 9, targets: 1 }).source).toBe('graphql');
  });

  test('where fewer than three series are read, it is enough that all of them are not found', () => {
    expect(metricsGone(['requests'], { series: 2, targets: 1 }).source).toBe('rest');
    expect(metricsGone(['requests', 'waf'], { series: 2, targets: 1 }).source).toBe('graphql');
    expect(metricsGone(['requests'], { series: 1, targets: 1 }).source).toBe('graphql');
  });

  test('what another server answers proves nothing', () => {
    const foreign = ['a', 'b', 'c', 'd'].reduce(
      (known, target) => read(known, { target, outcome: 'not_found', isForeign: true, now: 0 }),
      AUTO,
    );
    expect(foreign).toBe(AUTO);
  });

  test('one job that is not found three times proves nothing', () => {
    expect(polledBy(AUTO, ['a', 'not_found', 0], ['a', 'not_found', 1], ['a', 'not_found', 2]).source).toBe(
      'rest',
    );
  });

  test.each(['forbidden', 'server_error', 'timeout', 'undecodable', 'rate_limited', 'unauthorized'] as const)(
    'that it answers %s is no reason to leave it',
    (outcome) => {
      expect(polledBy(AUTO, ['a', outcome, 0], ['b', outcome, 0], ['c', outcome, 0]).source).toBe('rest');
    },
  );

  test('a source that has answered is left only when it has answered nothing for ten minutes', () => {
    const gone = (now: number) =>
      [
        ['a', 'not_found', now],
        ['b', 'not_found', now],
        ['c', 'not_found', now],
      ] as const;
    const answered = polledBy(AUTO, ['x', 'ok', 0], ...gone(1 * MINUTE));
    expect(answered.source).toBe('rest');
    expect(polledBy(answered, ['x', 'ok', 9 * MINUTE], ...gone(12 * MINUTE)).source).toBe('rest');
    expect(polledBy(answered, ['a', 'not_found', 11 * MINUTE]).source).toBe('graphql');
  });

  test('GraphQL is read by where only it lists configurations', () => {
    expect(sourceListed(AUTO)).toMatchObject({ source: 'graphql' });
  });

  test('a product that REST does not list is one that the account lacks, as soon as REST lists another', () => {
    const listed = sourceListedByRest(sourceListed(AUTO));
    expect(listed).toMatchObject({ source: 'rest', why: 'REST lists configurations' });
    expect([mayListElsewhere(AUTO), mayListElsewhere(listed)]).toEqual([true, false]);
  });

  test('REST that was left is asked again after ten minutes, of what it answered with 404 after twenty', () => {
    const left = polledBy(AUTO, ['a', 'not_found', 0], ['b', 'not_found', 0], ['c', 'not_found', 0]);
    const asks = (known: SourceMemory, target: string) =>
      [9, 10, 19, 20].filter((minute) => mayAskRest(known, target, minute * MINUTE));
    expect([asks(left, 'x'), asks(left, 'a')]).toEqual([[10, 19, 20], [20]]);
    expect(asks(restAsked(left, 10 * MINUTE), 'x')).toEqual([20]);
    expect(asks(sourceListed(AUTO), 'x')).toEqual([]);
  });

  test.each(['ok', 'empty'] as const)(
    'REST that was left is read by again once it answers: %s',
    (outcome) => {
      const left = polledBy(AUTO, ['a', 'not_found', 0], ['b', 'not_found', 0], ['c', 'not_found', 0]);
      expect(polledBy(left, ['d', 'not_found', MINUTE]).source).toBe('graphql');
      const back = polledBy(left, ['d', outcome, MINUTE]);
      expect(back).toMatchObject({ source: 'rest', why: 'REST answers again' });
      expect(mayAskRest(back, 'd', 60 * MINUTE)).toBe(false);
    },
  );

  test('lists of REST do not bring back series that it answers with 404', () => {
    const closed = polledBy(AUTO, ['a', 'not_found', 0], ['b', 'not_found', 0], ['c', 'not_found', 0]);
    expect(sourceListedByRest(closed).source).toBe('graphql');
  });
});

test.each(['rest', 'graphql'] as const)('what is configured stands: %s', (source) => {
  const fixed = sourceAtFirst(source);
  expect(sourceListed(fixed)).toBe(fixed);
  expect(polledBy(fixed, ['a', 'not_found', 0], ['b', 'not_found', 0], ['c', 'not_found', 0])).toBe(fixed);
});

test('nothing new leaves the same object: thousands of polls a minute end in it', () => {
  const known = polledBy(AUTO, ['a', 'ok', 0]);
  expect(polledBy(known, ['b', 'ok', 30_000])).toBe(known);
});

describe('after a restart', () => {
  const ACCOUNT = { name: 'acme', api_url: 'https://api.example.net' };
  const open = (state: State, { account = ACCOUNT, configured = 'auto' as 'auto' | 'rest', now = 0 } = {}) =>
    new SourceChoice({
      account,
      memory: new AccountMemory(state),
      configured: { metrics: configured, analytics: configured },
      now: () => now,
    });

  /** A state in which REST was left at minute 5. */
  async function stateWithout(): Promise<State> {
    const state = memoryState();
    const memory = new AccountMemory(state);
    const choice = new SourceChoice({
      account: ACCOUNT,
      memory,
      configured: { metrics: 'auto', analytics: 'auto' },
      now: () => 0,
    });
    for (const target of ['a', 'b', 'c'])
      choice.learn('metrics', (known) => read(known, { target, outcome: 'not_found', now: 5 * MINUTE }));
    for (const part of choice.parts())
      await state.commit([{ key: part.key, value: part.store(memory.of(part)) }]);
    return state;
  }

  test('the source that was chosen is read by, with all that is known of both', async () => {
    const state = await stateWithout();
    const known = open(state, { now: 10 * MINUTE }).of('metrics');
    expect(known).toMatchObject({ source: 'graphql', why: 'REST answers 404 to the reads of series' });
    const asks = (target: string) =>
      [14, 15, 24, 25].filter((minute) => mayAskRest(known, target, minute * MINUTE));
    expect([asks('x'), asks('a')]).toEqual([[15, 24, 25], [25]]);
  });

  test('what was noted in the future, before the clock was set back, is taken to be of now', async () => {
    const known = open(await stateWithout(), { now: 2 * MINUTE }).of('metrics');
    expect(mayAskRest(known, 'x', 12 * MINUTE)).toBe(true);
  });

  test('what is configured stands, and another platform of the same name begins anew', async () => {
    const state = await stateWithout();
    expect(open(state, { configured: 'rest' }).of('metrics').source).toBe('rest');
    const elsewhere = { ...ACCOUNT, api_url: 'https://other.example.net' };
    expect(open(state, { account: elsewhere }).of('metrics')).toEqual(AUTO);
  });

  test('what is stored in another form is as nothing', async () => {
    const state = memoryState();
    await state.commit([
      { key: ['source', 'acme', 'metrics', ACCOUNT.api_url], value: { version: 9, source: 'graphql' } },
    ]);
    expect(open(state).of('metrics')).toEqual(AUTO);
  });
});
