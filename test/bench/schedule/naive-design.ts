import { WINDOW_MS } from './counted-platform.ts';
import type { Design } from './design.ts';

const FIRST_BACKOFF_MS = 1_000;
const LONGEST_BACKOFF_MS = 60_000;

/** Every job on its own cron at the whole minute, never one beside itself; a 429 is tried again, ever later. */
export const naiveDesign: Design = async ({ clock, platform, latency, ages, jobs, until }) => {
  const busy = new Uint8Array(jobs);
  const attempt = (job: number, backoff: number): void => {
    clock.at(clock.now() + latency(), () => {
      const arrivedAt = clock.now();
      const { allowed } = platform.take(arrivedAt);
      const back = latency();
      if (!allowed) {
        const wait = backoff * (0.5 + latency() / 80);
        clock.at(arrivedAt + back + wait, () => attempt(job, Math.min(2 * backoff, LONGEST_BACKOFF_MS)));
        return;
      }
      clock.at(arrivedAt + back, () => {
        busy[job] = 0;
        ages.renew(job, clock.now(), Math.floor(arrivedAt / WINDOW_MS) * WINDOW_MS);
      });
    });
  };
  const fire = (at: number): void => {
    clock.at(at + WINDOW_MS, () => fire(at + WINDOW_MS));
    for (let job = 0; job < jobs; job += 1) {
      if (busy[job] === 1) continue;
      busy[job] = 1;
      attempt(job, FIRST_BACKOFF_MS);
    }
  };
  const first = Math.ceil(clock.now() / WINDOW_MS) * WINDOW_MS;
  clock.at(first, () => fire(first));
  clock.runCallbacks(until);
};
