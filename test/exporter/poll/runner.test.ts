import { describe, expect, it } from 'vitest';
import type { Exposure, PollResult } from '../../../src/exporter/poll/job.ts';
import { PollRunner } from '../../../src/exporter/poll/runner.ts';
import { ScheduledJob } from '../../../src/exporter/poll/schedule.ts';
import { AccountMemory, changed, type MemoryPart } from '../../../src/exporter/state/account-memory.ts';
import { NO_MEMORY, StateWriteFailure } from '../../../src/exporter/state/state.ts';
import { SimulatedClock } from '../../simulated-clock.ts';
import { jobOf } from './polling.ts';

const TOTAL: MemoryPart<number> = { key: ['total'], open: () => 0 };

function poll(commit: (seen: () => { memory: number; exposed: readonly number[] }) => Promise<void>) {
  const memory = new AccountMemory(NO_MEMORY);
  const exposed: number[] = [];
  const events: string[] = [];
  const clock = new SimulatedClock(0);
  const result = (): PollResult => {
    const total = memory.of(TOTAL);
    return {
      outcome: 'ok',
      memory: [changed(TOTAL, total + 1, total)],
      commit: [{ key: ['total'], value: total + 1 }],
      exposures: (committed): Exposure[] => [{ part: String(committed ? total + 1 : total), samples: [] }],
    };
  };
  const runner = new PollRunner({
    account: 'test',
    clock,
    reachability: { polled: ({ outcome }) => void events.push(`reachability: ${outcome}`) },
    operations: { turn: () => Promise.reject(new Error('nothing is asked')) },
    intervals: { of: () => ({ usual: 60_000, careful: 60_000, planned: 60_000 }) },
    commit: () => commit(() => ({ memory: memory.of(TOTAL), exposed: [...exposed] })),
    memory,
    exposed: { expose: (_job, parts) => void exposed.push(...parts.map(({ part }) => Number(part))) },
    observer: {
      exchanged: () => undefined,
      departed: () => undefined,
      polled: (_account, { committed }) => void events.push(committed ? 'polled, committed' : 'polled'),
      commitRefused: () => void events.push('refused'),
      overdue: () => undefined,
      defect: (_account, _job, error) => {
        throw error;
      },
    },
  });
  const job = new ScheduledJob(
    jobOf('counter', { read: async () => undefined, conclude: result }),
    clock.now(),
  );
  return { run: () => runner.run(job), total: () => memory.of(TOTAL), exposed, events, job };
}

describe('a poll that counts', () => {
  it('is neither remembered nor exposed before its commit is durable', async () => {
    const seen: unknown[] = [];
    const { run, total, exposed, events } = poll(async (state) => {
      seen.push(state());
      await Promise.resolve();
      seen.push(state());
    });
    await run();
    expect(seen).toEqual(Array(2).fill({ memory: 0, exposed: [] }));
    expect([total(), exposed, events]).toEqual([1, [1], ['reachability: ok', 'polled, committed']]);
  });

  it('counts again from where it was where the state refuses the commit, and says so', async () => {
    const refuse = { now: true };
    const { run, total, exposed, events } = poll(async () => {
      if (refuse.now) throw new StateWriteFailure('the disk is full');
    });
    await run();
    expect([total(), exposed, events]).toEqual([0, [0], ['refused', 'reachability: ok', 'polled']]);
    refuse.now = false;
    await run();
    expect([total(), exposed]).toEqual([1, [0, 1]]);
  });

  it('leaves nothing behind where its job went while it was committed, but what the state holds', async () => {
    let stop = () => {};
    const { run, total, exposed, events, job } = poll(async () => stop());
    stop = () => job.stop();
    await run();
    expect([total(), exposed, events]).toEqual([0, [], []]);
  });
});

describe('polls of one job and its follow-ups', () => {
  it('conclude one after the other, so that none counts from before what another has counted', async () => {
    let finish = () => {};
    const hanging = new Promise<void>((resolve) => {
      finish = resolve;
    });
    let commits = 0;
    const { run, total, exposed } = poll(() => {
      commits += 1;
      return commits === 1 ? hanging : Promise.resolve();
    });
    const first = run();
    const second = run();
    await new Promise((resolve) => setImmediate(resolve));
    expect(commits).toBe(1);
    finish();
    await Promise.all([first, second]);
    expect([total(), exposed]).toEqual([2, [1, 2]]);
  });
});
