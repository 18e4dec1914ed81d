import type { Sample } from '../../../src/exporter/catalogue/family.ts';
import { COLLECTORS, type CollectorName } from '../../../src/exporter/collectors.ts';
import { PlatformClock } from '../../../src/exporter/platform/platform-clock.ts';
import { PlatformFailure, type Read, type Resource } from '../../../src/exporter/platform/read.ts';
import type { Job, PollResult, SettingChange } from '../../../src/exporter/poll/job.ts';
import { adopt, answerOf } from '../../../src/exporter/poll/runner.ts';
import { AccountMemory } from '../../../src/exporter/state/account-memory.ts';
import { memoryState } from '../../../src/exporter/state/open-state.ts';
import { type State, StateWriteFailure } from '../../../src/exporter/state/state.ts';
import type { Configuration } from '../../../src/exporter/targets/configuration-list.ts';
import { seriesKey } from '../../parse-exposition.ts';

/** Answers by path: a document, a failure, or a function of the resource. */
export type Answers = Record<string, unknown | PlatformFailure | ((resource: Resource) => unknown)>;

export interface SettingsBench {
  /** Answers of the platform; tests can change them between two polls. */
  answers: Answers;
  /** Local and platform time (ms since the epoch). */
  now: number;
  readonly job: Job;
  readonly asked: Resource[];
  readonly changes: SettingChange[];
  /**
   * Polls once, and adopts the result.
   * @throws PlatformFailure if the read fails
   */
  poll(): Promise<PollResult>;
  shown(): ReadonlyMap<string, number>;
  value(name: string, labels: Readonly<Record<string, string | number>>): number | undefined;
}

export interface BenchOptions {
  readonly state?: State;
  readonly configurations?: readonly Configuration[];
}

const START = Date.UTC(2026, 0, 5, 10);

/** Returns one collector that reads the given answers. */
export function settingsBench(
  collector: CollectorName,
  answers: Answers,
  { state = memoryState(), configurations = [] }: BenchOptions = {},
): SettingsBench {
  const published: { samples: readonly Sample[] } = { samples: [] };
  const memory = new AccountMemory(state);
  const asked: Resource[] = [];
  const changes: SettingChange[] = [];
  const [job] = COLLECTORS[collector].jobs({
    account: 'test',
    collector,
    schedule: '* * * * *',
    named: [],
    configurations: () => configurations,
    isPending: () => false,
    state,
    memory,
    platformClock: new PlatformClock(() => bench.now),
  });
  if (job === undefined) throw new Error(`${collector} has no job`);
  const read: Read = async (resource) => {
    const asks = resource();
    asked.push(asks);
    const answer = bench.answers[asks.path] ?? new PlatformFailure('not_found', 'no answer', 404);
    if (answer instanceof PlatformFailure) throw answer;
    return { body: typeof answer === 'function' ? answer(asks) : answer, bytes: 0 };
  };
  const bench: SettingsBench = {
    answers,
    now: START,
    job,
    asked,
    changes,
    async poll() {
      const result = await job.conclude(await answerOf(job, read, new AbortController().signal));
      const committed = await state.commit(result.commit ?? []).then(
        () => true,
        (error: unknown) => {
          if (!(error instanceof StateWriteFailure)) throw error;
          return false;
        },
      );
      adopt(memory, result, committed);
      published.samples = result.exposures(committed).flatMap(({ samples }) => samples);
      if (committed) changes.push(...(result.settingChanges ?? []));
      if (result.failure !== undefined) throw result.failure;
      return result;
    },
    shown: () =>
      new Map(
        published.samples.map(({ family, labels: { account: _, ...labels }, value }) => [
          seriesKey(family.name, labels),
          value,
        ]),
      ),
    value: (name, labels) => {
      const wanted = Object.entries(labels).map(([label, value]) => [label, String(value)]);
      const found = published.samples.filter(
        ({ family, labels: given }) =>
          family.name === name && wanted.every(([label = '', value]) => given[label] === value),
      );
      if (found.length > 1) throw new Error(`${found.length} series of ${name}`);
      return found[0]?.value;
    },
  };
  return bench;
}

/** Returns a version 3 list with these items on one page. */
export function listOf(...results: unknown[]): unknown {
  return { count: results.length, total_pages: 1, schema_version: 3, links: {}, results };
}
