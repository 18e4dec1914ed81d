/** Time (ms) that all slices take in a turn of the event loop: other work waits that long, plus one step. */
const SLICE_MS = 2;

interface SlicedWork {
  readonly steps: Iterator<undefined, void>;
  /** Called after the last step. */
  readonly done: () => void;
  /** Returns true while a caller waits for the work; undefined if no caller ever does. */
  readonly isUrgent?: (() => boolean) | undefined;
  readonly failed: (error: unknown) => void;
}

/** Queued work of the process, in order: a thousand accounts may start in the same turn. */
const waiting: SlicedWork[] = [];
/** Work for which a caller may wait. There is little of it, so checking each is cheap. */
const awaitable = new Set<SlicedWork>();
/** Time until which slices may run in this turn; undefined before the first. */
let sliceEnd: number | undefined;

/**
 * Runs `steps` to their end in slices that yield to the event loop. The first slice runs at once if this turn has time left; others
 * take turns with all other work.
 * @param isUrgent returns true while a caller waits, which gives the work priority; default: no priority
 * @returns undefined if one slice was enough
 */
export function runInSlices(
  steps: Iterator<undefined, void>,
  isUrgent?: () => boolean,
): Promise<void> | undefined {
  const isFirst = sliceEnd === undefined;
  const end = sliceEnd ?? beginSlice();
  if ((isFirst || performance.now() < end) && takeSlice(steps, end)) return undefined;
  return new Promise((done, failed) => wait({ steps, done, isUrgent, failed }));
}

/** Runs `steps` in slices and returns their result. @param isUrgent as in {@link runInSlices} */
export function madeInSlices<Result>(
  steps: Generator<undefined, Result>,
  isUrgent?: () => boolean,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    function* toTheEnd(): Generator<undefined, void> {
      resolve(yield* steps);
    }
    runInSlices(toTheEnd(), isUrgent)?.catch(reject);
  });
}

/** Runs `steps` at once and returns their result, for small work. */
export function toTheEnd<Result>(steps: Generator<undefined, Result>): Result {
  let step = steps.next();
  while (!step.done) step = steps.next();
  return step.value;
}

/** Returns all of `values`, one per step, with priority because a caller waits for them. */
export function takenInSlices<Value>(values: Iterable<Value>): Promise<Value[]> {
  return madeInSlices(allOf(values), () => true);
}

function* allOf<Value>(values: Iterable<Value>): Generator<undefined, Value[]> {
  const taken: Value[] = [];
  for (const value of values) {
    taken.push(value);
    yield;
  }
  return taken;
}

/**
 * Runs `acts` one after another, each with the promises that it resolves. Yields to other work after a slice's time. For events
 * that wake thousands of waiters.
 */
export async function wakeInSlices(acts: Iterable<() => void>): Promise<void> {
  let end = performance.now() + SLICE_MS;
  for (const act of acts) {
    act();
    // Ticks run once no promise has anything left to do.
    await new Promise<void>((resolve) => process.nextTick(resolve));
    if (performance.now() < end) continue;
    await othersHaveGoneOn();
    end = performance.now() + SLICE_MS;
  }
}

/** Resolves once all work that waits now has continued, and the event loop has had its turn. */
export function othersHaveGoneOn(): Promise<void> {
  return new Promise((resolve, failed) => {
    const done = () => void setImmediate(resolve);
    if (waiting.length === 0) done();
    else wait({ steps: [].values(), done, failed });
  });
}

function beginSlice(): number {
  sliceEnd = performance.now() + SLICE_MS;
  setImmediate(takeTurn);
  return sliceEnd;
}

async function takeTurn(): Promise<void> {
  sliceEnd = undefined;
  if (waiting.length === 0) return;
  const end = beginSlice();
  do await takeNext(end);
  while (waiting.length > 0 && performance.now() < end);
}

function wait(work: SlicedWork): void {
  waiting.push(work);
  if (work.isUrgent !== undefined) awaitable.add(work);
}

function firstUrgent(): SlicedWork | undefined {
  for (const work of awaitable) if (work.isUrgent?.()) return work;
  return undefined;
}

function nextWork(): SlicedWork | undefined {
  const urgent = firstUrgent();
  const [next] = waiting.splice(urgent === undefined ? 0 : waiting.indexOf(urgent), 1);
  if (next !== undefined) awaitable.delete(next);
  return next;
}

/**
 * Runs steps of the next queued work, and then puts it at the end of the queue unless it is done. Promises that a step resolves run
 * before the next step and count too.
 */
async function takeNext(end: number): Promise<void> {
  const work = nextWork();
  if (work === undefined) return;
  try {
    let { done } = work.steps.next();
    while (!done && performance.now() < end) {
      await undefined;
      ({ done } = work.steps.next());
    }
    if (done) work.done();
    else wait(work);
  } catch (error) {
    work.failed(error);
  }
}

function takeSlice(steps: Iterator<undefined, void>, end: number): boolean {
  do {
    if (steps.next().done) return true;
  } while (performance.now() < end);
  return false;
}
