import { expect, it } from 'vitest';
import type {
  GroupAnswer,
  ReadableSeries,
  SeriesSource,
  WindowAsked,
  WindowedAnswer,
} from '../../../src/exporter/series/series-source.ts';
import type { Window } from '../../../src/exporter/settling/window.ts';
import { SeriesBed } from './series-bed.ts';

const MINUTE = 60_000;
const NOW = 1_000 * 60 * MINUTE;
const PRESENT = { from: NOW - 60 * MINUTE, to: NOW };
const EMPTY: WindowedAnswer = {
  decoded: { series: new Map(), rejected: new Map(), rows: 0 },
  window: PRESENT,
  now: NOW,
};

interface Beginning {
  readonly costsByWindow: boolean;
  readonly before?: readonly WindowedAnswer[];
}

async function minutesAsked({ costsByWindow, before = [] }: Beginning): Promise<number> {
  const bed = new SeriesBed('requests', NOW, 'auto');
  let asked: Window | undefined;
  const source: SeriesSource = {
    name: 'graphql',
    group: 'graphql',
    costsByWindow,
    cost: () => 1,
    answers: () => true,
    read: async <S extends ReadableSeries>({ window }: WindowAsked<S>): Promise<GroupAnswer<S>> => {
      asked = window(NOW);
      return { answers: [], rejected: new Map() };
    },
  };
  const job = bed.job('1', source);
  for (const answer of before) bed.taken(job, answer);
  const never = () => Promise.reject(new Error('this source asks nothing'));
  await job.read(never, new AbortController().signal);
  if (asked === undefined) throw new Error('nothing was asked');
  return (asked.to - asked.from) / MINUTE;
}

it('begins with an hour by a source whose operations bring so much at no price', async () => {
  expect(await minutesAsked({ costsByWindow: false })).toBe(60);
});

it('begins with what changes by a source that would take more operations for an hour', async () => {
  expect(await minutesAsked({ costsByWindow: true })).toBe(15);
});

it('asks for an hour after an answer without rows', async () => {
  expect(await minutesAsked({ costsByWindow: true, before: [EMPTY] })).toBe(60);
});

it('asks for an hour again where there were rows before, and then none', async () => {
  const timestamps = Float64Array.from([NOW - 3 * MINUTE, NOW - 2 * MINUTE]);
  const series = new Map([['total', { timestamps, values: timestamps.map(() => 5) }]]);
  const answered = { ...EMPTY, decoded: { series, rejected: new Map(), rows: 2 } };
  expect(await minutesAsked({ costsByWindow: true, before: [answered, EMPTY] })).toBe(60);
});
