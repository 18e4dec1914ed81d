import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { memoryState, openState } from '../../../src/exporter/state/open-state.ts';
import type { State } from '../../../src/exporter/state/state.ts';
import { seriesKey } from '../../parse-exposition.ts';
import { simulate } from '../../simulation/simulation.ts';

const ALMOST_NOTHING = { collectors: { waf_rulesets: {} } };

let parent: string;

beforeEach(async () => {
  parent = await realpath(await mkdtemp(join(tmpdir(), 'state-durable-')));
});

afterEach(() => rm(parent, { recursive: true }));

async function durable(open: () => Promise<State>): Promise<readonly [key: string, value: number][]> {
  const simulation = await simulate({ account: ALMOST_NOTHING, state: open });
  const { samples } = await simulation.scrape();
  await simulation.close();
  return [...samples].filter(([key]) => key.includes('edge_exporter_state_durable'));
}

const open = (directory: string) => openState(directory, { info() {}, warn() {} });
const series = (directory: string) => seriesKey('edge_exporter_state_durable', { directory });

it('is 1 where the counters are kept on disk', async () => {
  const directory = join(parent, 'state');
  expect(await durable(() => open(directory))).toEqual([[series(directory), 1]]);
});

it('is 0 where a directory was asked for that cannot be used, so that an alert can tell', async () => {
  const directory = join(parent, 'a file');
  await writeFile(directory, '');
  expect(await durable(() => open(directory))).toEqual([[series(directory), 0]]);
});

it('is as the state was within the second before a scrape', async () => {
  let kind: State['kind'] = 'durable';
  const state: State = {
    ...memoryState(),
    directory: 'postgres://db/edge',
    get kind() {
      return kind;
    },
  };
  const simulation = await simulate({ account: ALMOST_NOTHING, state: async () => state });
  const scraped = async () => {
    await simulation.minutes(1 / 60);
    return (await simulation.scrape()).samples.get(series('postgres://db/edge'));
  };
  expect(await scraped()).toBe(1);
  kind = 'unavailable';
  expect(await scraped()).toBe(0);
  kind = 'durable';
  expect(await scraped()).toBe(1);
  await simulation.close();
});

it('is absent where none was asked for, so that nobody is woken', async () => {
  expect(await durable(async () => memoryState('no --state.dir'))).toEqual([]);
});
