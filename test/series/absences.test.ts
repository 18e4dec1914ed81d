import { describe, expect, it } from 'vitest';
import { Absences } from '../../src/series/absences.ts';

const MINUTE = 60_000;
const T0 = Date.UTC(2026, 0, 5, 10);
const at = (minute: number) => T0 + minute * MINUTE;
const WINDOW = { from: T0, to: at(60) };

/** Has a bucket be absent from so many answers, ten minutes apart. */
function absent(answers: number, sound = true): { absences: Absences; now: number } {
  const absences = new Absences();
  let now = at(60);
  for (let answer = 0; answer < answers; answer += 1) {
    now += 10 * MINUTE;
    absences.note({ window: WINDOW, buckets: [T0], watermark: T0, sound }, now);
  }
  return { absences, now };
}

describe('an absent bucket', () => {
  it('is given up after enough answers over enough time', () => {
    const { absences, now } = absent(5);
    expect(absences.exhausted(T0, now, now)).toBe(true);
    expect(absences.exhausted(T0 + MINUTE, now, now)).toBe(false);
  });

  it('is waited for when few answers lacked it, or all of them at about the same time', () => {
    const few = absent(4);
    expect(few.absences.exhausted(T0, few.now, few.now)).toBe(false);
    const absences = new Absences();
    for (let answer = 0; answer < 20; answer += 1) {
      absences.note({ window: WINDOW, buckets: [T0], watermark: T0, sound: true }, at(60) + answer);
    }
    expect(absences.exhausted(T0, at(61), at(61))).toBe(false);
  });

  it('is waited for while the platform has hardly anything newer', () => {
    const { absences, now } = absent(5);
    expect(absences.exhausted(T0, now, at(39))).toBe(false);
    expect(absences.exhausted(T0, now, at(40))).toBe(true);
  });

  it('is waited for much longer when rows were dropped from the answers', () => {
    const some = absent(29, false);
    expect(some.absences.exhausted(T0, some.now, some.now)).toBe(false);
    const many = absent(30, false);
    expect(many.absences.exhausted(T0, many.now, many.now)).toBe(true);
  });

  it('is waited for anew once it was there', () => {
    const { absences, now } = absent(5);
    absences.note({ window: WINDOW, buckets: [], watermark: T0, sound: true }, now);
    expect(absences.exhausted(T0, now, now)).toBe(false);
  });

  it('is not forgotten because of an answer about another time', () => {
    const { absences, now } = absent(5);
    absences.note({ window: { from: at(60), to: at(120) }, buckets: [], watermark: T0, sound: true }, now);
    expect(absences.exhausted(T0, now, now)).toBe(true);
  });
});
