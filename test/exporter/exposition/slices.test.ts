import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { madeInSlices, runInSlices, wakeInSlices } from '../../../src/exporter/exposition/slices.ts';
import { doneInTurns, STEPS_A_TURN, sliceBySteps, sliceByTime } from '../../work-in-turns.ts';

function* steps(count: number, ms: number, done: number[]): Generator<undefined, void> {
  for (let step = 0; step < count; step++) {
    for (const end = performance.now() + ms; performance.now() < end; );
    done.push(step);
    yield;
  }
}

// Work of other tests in the same turn of the event loop would count too.
beforeEach(() => nextTurn());
afterEach(sliceByTime);

function* counted(count: number, done: number[]): Generator<undefined, void> {
  for (let step = 0; step < count; step++) {
    done.push(step);
    yield;
  }
}

describe('what wakes many that wait', () => {
  it('lets each go on before the next is woken, and the event loop have its turn long before all have', async () => {
    const order: string[] = [];
    const acts = Array.from({ length: 20 }, (_, index) => () => {
      order.push(`woken ${index}`);
      void Promise.resolve()
        .then(() => undefined)
        .then(() => {
          for (const end = performance.now() + 1; performance.now() < end; );
          order.push(`done ${index}`);
        });
    });
    let atTurn = 0;
    setImmediate(() => {
      atTurn = order.length;
    });
    await wakeInSlices(acts);
    expect(order).toEqual(acts.flatMap((_, index) => [`woken ${index}`, `done ${index}`]));
    expect(atTurn).toBeGreaterThan(0);
    expect(atTurn).toBeLessThan(20);
  });
});

describe('work in slices', () => {
  it('lets the event loop have its turn long before it is done', async () => {
    const done: number[] = [];
    let doneAtTurn = 0;
    const running = runInSlices(steps(20, 1, done));
    setImmediate(() => {
      doneAtTurn = done.length;
    });
    await running;
    expect(doneAtTurn).toBeGreaterThan(0);
    expect(doneAtTurn).toBeLessThan(10);
    expect(done).toHaveLength(20);
  });

  it('takes many quick steps in one slice', async () => {
    const done: number[] = [];
    await runInSlices(steps(50, 0, done));
    expect(done).toHaveLength(50);
  });

  it('needs no turn of the event loop where one slice is enough', () => {
    expect(runInSlices(steps(1, 0, []))).toBeUndefined();
  });

  it('fails as its steps do', async () => {
    const failing = (function* (): Generator<undefined, void> {
      yield* steps(5, 1, []);
      throw new Error('no such family');
    })();
    await expect(runInSlices(failing)).rejects.toThrow('no such family');
  });

  it('of many pieces takes no more steps in a turn than of one', async () => {
    sliceBySteps();
    const done: number[] = [];
    const all = Array.from({ length: 10 }, () => runInSlices(counted(4, done)));
    expect(Math.max(...(await doneInTurns(() => done.length, 40)))).toBe(STEPS_A_TURN);
    await Promise.all(all);
  });

  it('counts what its steps set off, so that hundreds of requests that end together do not go on in one turn', async () => {
    const work = (ms: number) => {
      for (const end = performance.now() + ms; performance.now() < end; );
    };
    let goneOn = 0;
    const request = async (ended: Promise<void>) => {
      await ended;
      work(1);
      goneOn += 1;
    };
    // The first request uses all the time that slices have in this turn.
    void runInSlices(steps(1, 3, []));
    const requests = Array.from({ length: 50 }, () => request(runInSlices(steps(1, 0, [])) ?? nextTurn()));
    expect(Math.max(...(await doneInTurns(() => goneOn, 50)))).toBeLessThan(10);
    await Promise.all(requests);
    goneOn = 0;
    function* starts(): Generator<undefined, void> {
      for (let each = 0; each < 50; each++) {
        requests.push(request(Promise.resolve()));
        yield;
      }
    }
    void runInSlices(steps(1, 3, []));
    void runInSlices(starts());
    expect(Math.max(...(await doneInTurns(() => goneOn, 50)))).toBeLessThan(10);
  });

  it('goes on with each piece in turn, but first with one that somebody waits for', async () => {
    sliceBySteps();
    const [first, second, urgent]: number[][] = [[], [], []];
    const running = [first, second].map((done = []) => runInSlices(counted(20, done)));
    const awaited = runInSlices(counted(21, urgent ?? []), () => true);
    await awaited;
    expect(first).toHaveLength(STEPS_A_TURN);
    expect(second).toHaveLength(0);
    await nextTurn();
    await nextTurn();
    expect(second?.length).toBeGreaterThan(0);
    await Promise.all(running);
  });

  it('makes first what somebody waits for', async () => {
    sliceBySteps();
    const other: number[] = [];
    const running = runInSlices(counted(40, other));
    const done: number[] = [];
    const asked = (function* () {
      yield* counted(21, done);
    })();
    await madeInSlices(asked, () => true);
    expect([done.length, other.length]).toEqual([21, STEPS_A_TURN]);
    await running;
  });

  it('comes to what its steps come to', async () => {
    const made = madeInSlices(
      (function* () {
        yield* steps(5, 1, []);
        return 'a page';
      })(),
    );
    expect(await made).toBe('a page');
  });
});
