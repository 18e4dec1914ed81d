import { describe, expect, it } from 'vitest';
import { runInSlices } from '../../src/exposition/slices.ts';

/** Steps that take `ms` each. */
function* steps(count: number, ms: number, done: number[]): Generator<undefined, void> {
  for (let step = 0; step < count; step++) {
    for (const end = performance.now() + ms; performance.now() < end; );
    done.push(step);
    yield;
  }
}

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
});
