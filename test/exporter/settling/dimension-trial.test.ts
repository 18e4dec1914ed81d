import { describe, expect, it } from 'vitest';
import { afterMissing, type DimensionTrial, mayTry } from '../../../src/exporter/settling/dimension-trial.ts';
import { learn, NOTHING_LEARNED, nothingShown } from '../../../src/exporter/settling/learned.ts';

const HOUR = 3_600_000;
const START = Date.UTC(2026, 0, 5, 10);

/** Who tried at which minutes, where each target reads a missing metric at these minutes. */
function triesOf(reads: Record<string, readonly number[]>, isKnown = (_target: string) => true) {
  const tries: [string, number][] = [];
  let trial: DimensionTrial | undefined;
  const all = Object.entries(reads).flatMap(([target, minutes]) =>
    minutes.map((minute) => ({ target, minute })),
  );
  for (const { target, minute } of all.sort((a, b) => a.minute - b.minute)) {
    const now = START + minute * 60_000;
    if (mayTry(trial, target, now)) tries.push([target, minute]);
    trial = afterMissing(trial, { target, isKnown: isKnown(target) }, now);
  }
  return tries;
}

describe('the dimensions of a metric that is missing', () => {
  it('are tried by one target, by its second read, and an hour later again', () => {
    const minutes = [0, 1, 3, 7, 15, 31, 63, 123];
    expect(triesOf({ a: minutes, b: minutes, c: minutes })).toEqual([
      ['a', 1],
      ['a', 63],
      ['a', 123],
    ]);
  });

  it('are not tried of an id that has never had data', () => {
    expect(triesOf({ a: [0, 1, 3, 63], b: [2, 4] }, (target) => target === 'b')).toEqual([['b', 4]]);
  });

  it('are tried by another target when the first is read no more', () => {
    expect(triesOf({ a: [0, 1], b: [0, 60, 120, 180, 240, 300] })).toEqual([
      ['a', 1],
      ['b', 300],
    ]);
  });

  it('are tried again when the clock of the platform was set back', () => {
    const trial = { target: 'a', missingAt: START, triedAt: START };
    expect(mayTry(trial, 'a', START + HOUR / 2)).toBe(false);
    expect(mayTry(trial, 'a', START - HOUR)).toBe(true);
  });
});

it('what is found missing is learned of the metric', () => {
  const missing = { target: 'a', isKnown: true };
  const known = learn(NOTHING_LEARNED, { ...nothingShown(START), missing });
  expect(known.trial).toEqual({ target: 'a', missingAt: START, triedAt: undefined });
});
