import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SimulatedClock } from './simulated-clock.ts';

const START = Date.UTC(2026, 0, 5);

describe('the simulated clock', () => {
  it('wakes every sleeper once, in the order of time and then of falling asleep, and at its time', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(50), { maxLength: 60 }), fc.nat(60), async (sleeps, until) => {
        const clock = new SimulatedClock(START);
        const woken: { index: number; ms: number; at: number }[] = [];
        sleeps.forEach((ms, index) => {
          void clock.sleep(ms).then(() => woken.push({ index, ms, at: clock.now() }));
        });
        await clock.advance(until);
        const due = sleeps
          .map((ms, index) => ({ index, ms, at: START + ms }))
          .filter(({ ms }) => ms <= until);
        expect(woken).toEqual(due.sort((a, b) => a.ms - b.ms || a.index - b.index));
        expect(clock.sleeping).toBe(sleeps.length - due.length);
        expect(clock.now()).toBe(START + until);
      }),
    );
  });

  it('gives the same wakings whether time moves at once or in steps', async () => {
    const diary = async (steps: readonly number[]) => {
      const clock = new SimulatedClock(START);
      const lines: string[] = [];
      const live = async (name: string, ms: number) => {
        for (;;) {
          await clock.sleep(ms);
          lines.push(`${name} ${clock.now() - START}`);
        }
      };
      void live('a', 7);
      void live('b', 13);
      void live('c', 7);
      for (const step of steps) await clock.advance(step);
      return lines;
    };
    const whole = await diary([200]);
    expect(whole.length).toBe(2 * Math.floor(200 / 7) + Math.floor(200 / 13));
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 50 })), async (steps) => {
        const total = steps.reduce((sum, step) => sum + step, 0);
        expect(await diary([...steps, Math.max(0, 200 - total)])).toEqual(
          total <= 200 ? whole : await diary([total]),
        );
      }),
      { numRuns: 20 },
    );
  });

  it('ends an aborted sleep at once with the reason, and no other', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(fc.nat(20), fc.boolean()), { maxLength: 30 }), async (sleeps) => {
        const clock = new SimulatedClock(START);
        const endings: string[] = sleeps.map(() => 'asleep');
        sleeps.forEach(([ms, aborts], index) => {
          const abort = new AbortController();
          void clock.sleep(ms, abort.signal).then(
            () => (endings[index] = 'woken'),
            (reason) => (endings[index] = reason),
          );
          if (aborts) abort.abort('aborted');
        });
        await clock.advance(0);
        expect(clock.now()).toBe(START);
        await clock.advance(20);
        expect(endings).toEqual(sleeps.map(([, aborts]) => (aborts ? 'aborted' : 'woken')));
        expect(clock.sleeping).toBe(0);
      }),
    );
  });

  it('refuses a sleep whose signal is aborted already', async () => {
    await expect(new SimulatedClock().sleep(1, AbortSignal.abort('over'))).rejects.toBe('over');
  });

  it('does not move on while something is under way, however long that takes', async () => {
    const clock = new SimulatedClock(START);
    let busy = 0;
    const seen: number[] = [];
    void (async () => {
      for (let round = 0; round < 3; round++) {
        await clock.sleep(1000);
        busy++;
        await new Promise((resolve) => setTimeout(resolve, 20));
        busy--;
        seen.push(clock.now() - START);
      }
    })();
    await clock.advance(10_000, { busy: () => busy });
    expect(seen).toEqual([1000, 2000, 3000]);
  });

  it('says what it waits for instead of hanging', async () => {
    const clock = new SimulatedClock(START);
    void clock.sleep(5);
    await expect(clock.advance(10, { busy: () => 2, timeout: 20 })).rejects.toThrow(
      'time stands still at 2026-01-05T00:00:00.000Z: 2 operations under way, 1 asleep',
    );
  });

  it('counts the sleepers of a view apart', async () => {
    const clock = new SimulatedClock(START);
    const view = clock.counting();
    const ended = new AbortController();
    void clock.sleep(1);
    void view.sleep(5);
    const aborted = expect(view.sleep(9, ended.signal)).rejects.toBe('ended');
    expect([clock.sleeping, view.sleeping]).toEqual([3, 2]);
    ended.abort('ended');
    await aborted;
    await clock.advance(5);
    expect([clock.sleeping, view.sleeping, view.now()]).toEqual([0, 0, START + 5]);
  });

  it('is run by one at a time', async () => {
    const clock = new SimulatedClock(START);
    const run = clock.advance(1);
    await expect(clock.advance(1)).rejects.toThrow('running already');
    await run;
  });
});
