import { EventEmitter, once } from 'node:events';
import { afterEach, expect, test } from 'vitest';
import type { JobStatus } from '../../../src/exporter/status.ts';
import { doneInTurns, STEPS_A_TURN, sliceBySteps, sliceByTime } from '../../work-in-turns.ts';
import { madeUpAccount, madeUpJob, madeUpStatus } from '../page/made-up-status.ts';
import { startWeb } from './server-at-hand.ts';

afterEach(sliceByTime);

const JOBS = 40;

/** Jobs that tell when they are looked at for the first time. */
function watchedJobs(looked: Set<string>): JobStatus[] {
  return Array.from({ length: JOBS }, (_, index) => {
    const made = madeUpJob({ id: `job-${index}` });
    return new Proxy(made, {
      get: (target, field) => {
        looked.add(made.id);
        return Reflect.get(target, field);
      },
    });
  });
}

test.each(['/', '/?q=job&show=waiting', '/api/v1/status'])(
  '%s looks at a few jobs in each turn of the event loop',
  async (path) => {
    const looked = new Set<string>();
    const status = madeUpStatus({ accounts: [madeUpAccount({ jobs: watchedJobs(looked) })] });
    const events = new EventEmitter();
    const web = await startWeb({
      status: () => {
        sliceBySteps();
        events.emit('asked');
        return status;
      },
    });
    const asked = once(events, 'asked');
    const answer = fetch(`${web.url}${path}`);
    await asked;
    expect(Math.max(...(await doneInTurns(() => looked.size, JOBS)))).toBe(STEPS_A_TURN);
    expect((await answer).status).toBe(200);
  },
);
