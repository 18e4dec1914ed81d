import { expect, it } from 'vitest';
import type { SourceReader, WindowedAnswer } from '../../../src/exporter/series/series-source.ts';
import { learn } from '../../../src/exporter/settling/learned.ts';
import type { Window } from '../../../src/exporter/settling/window.ts';
import { NO_EVIDENCE, SeriesBed } from './series-bed.ts';

const MINUTE = 60_000;
const NOW = 1_000 * 60 * MINUTE;

/** The minutes that the first read of a series asks for, where others of the metric have shown so much lag (minutes) of the platform. */
async function firstMinutes(costsByWindow: boolean, lag: number | undefined): Promise<number> {
  const bed = new SeriesBed('requests', NOW, 'auto');
  if (lag !== undefined)
    bed.learn((known) => learn(known, { ...NO_EVIDENCE, now: NOW, lagMs: lag * MINUTE }));
  let asked: Window | undefined;
  const never = () => Promise.reject(new Error('this source asks nothing'));
  const reader: SourceReader = {
    name: 'graphql',
    group: 'graphql',
    dimensions: undefined,
    costsByWindow,
    cost: () => 1,
    read: async (_read, window) => {
      asked = window(NOW);
      const decoded = { series: new Map(), rejected: new Map(), width: undefined, rows: 0 };
      return { decoded, window: asked, now: NOW } satisfies WindowedAnswer;
    },
  };
  await bed.job('1', reader).read(never, new AbortController().signal);
  if (asked === undefined) throw new Error('nothing was asked');
  return (asked.to - asked.from) / MINUTE;
}

it('begins with an hour by a source whose operations bring so much at no price', async () => {
  expect(await firstMinutes(false, 2)).toBe(60);
});

it('begins with what changes by a source that would take more operations for an hour', async () => {
  expect(await firstMinutes(true, 2)).toBe(15);
});

it('begins with an hour while nothing shows how late the platform is, or it is later than usual', async () => {
  expect(await firstMinutes(true, undefined)).toBe(60);
  expect(await firstMinutes(true, 40)).toBe(60);
});
