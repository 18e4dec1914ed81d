import { expect, it } from 'vitest';
import { Heartbeat } from '../../src/account/heartbeat.ts';
import { ManualClock } from '../manual-clock.ts';

const MINUTE = 60_000;
const SECOND = 1_000;

/** A heartbeat whose scheduler runs whenever the test says so. */
function started() {
  const clock = new ManualClock();
  const heartbeat = new Heartbeat(clock);
  let tick: (at: number) => void = () => undefined;
  let beats = 0;
  heartbeat.start(
    (_, fire) => {
      tick = fire;
      return () => undefined;
    },
    () => {
      beats += 1;
    },
  );
  /** Lets time pass; @param ticking whether the scheduler runs at its end */
  const pass = (ms: number, ticking = true) => {
    clock.advance(ms);
    if (ticking) tick(clock.wall());
  };
  return { heartbeat, pass, beats: () => beats };
}

it('an account is not ready after three of its shortest intervals without a poll, although the scheduler runs', () => {
  const { heartbeat, pass, beats } = started();
  heartbeat.expect([5 * MINUTE, MINUTE]);
  for (let minute = 1; minute <= 3; minute += 1) {
    pass(MINUTE);
    expect(heartbeat.silence(true)).toBeUndefined();
  }
  pass(SECOND);
  expect(heartbeat.silence(true)).toBe('nothing was polled for 181 s');
  expect(beats()).toBe(4);
  heartbeat.polled();
  expect(heartbeat.silence(true)).toBeUndefined();
});

it('intervals that the quota has stretched may be silent for as much longer', () => {
  const { heartbeat, pass } = started();
  heartbeat.expect([10 * MINUTE]);
  pass(30 * MINUTE);
  expect(heartbeat.silence(true)).toBeUndefined();
  pass(SECOND);
  expect(heartbeat.silence(true)).toBe('nothing was polled for 1801 s');
});

it('an account that has nothing to poll is not silent', () => {
  const { heartbeat, pass } = started();
  heartbeat.expect([]);
  pass(24 * 60 * MINUTE);
  expect(heartbeat.silence(true)).toBeUndefined();
});

it('while the platform is down polls may wait; a scheduler that stands still is told all the same', () => {
  const { heartbeat, pass } = started();
  heartbeat.expect([MINUTE]);
  pass(20 * MINUTE);
  expect(heartbeat.silence(false)).toBeUndefined();
  pass(150 * SECOND, false);
  expect(heartbeat.silence(false)).toBeUndefined();
  pass(SECOND, false);
  expect(heartbeat.silence(false)).toBe('the scheduler has not run for 151 s');
});
